"""
A week at a glance
==================

The last seven days: the states of each, then worn hours, blinks, steps, and the tilt of the head
against the wearer's own usual range.
"""

import eyelog as el

frame = el.simulate("2026-08-31", 42, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
axes = el.plot_week(el.daily(frame), states=frame)
