"""
A person against earlier days
=============================

Each day against the usual range of the days before, and the days on which a new level begins.
"""

import eyelog as el

frame = el.simulate("2026-08-31", 42, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
steps = el.daily(frame)["steps"]
steps.iloc[25:] += 5000  # a new way to work
changes = el.baseline.new_levels(steps).index
ax = el.plot_baseline(steps, window="14D", changes=changes)
