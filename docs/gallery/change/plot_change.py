"""
Before and after
================

Two periods of a wearer, Monday beside Monday, and the difference with its interval: what changed
from 12 October on, and how sure that is.
"""

import eyelog as el

frame = el.simulate("2026-09-28", 28, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
values, difference = el.plot_change(el.daily(frame), "blink_rate_per_min", at="2026-10-12")
