"""
A month at a glance
===================

The last four weeks against the wearer's own usual range: a point for each day, and Mondays named.
"""

import eyelog as el

frame = el.simulate("2026-08-31", 56, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
axes = el.plot_month(el.daily(frame))
