"""
Daily summary
=============

One value per day with its interval, the median over seven days, and the hours behind each day.
"""

import eyelog as el

days = el.daily(el.simulate("2026-10-05", 28, log="standard_mode_logs", seed=3, tz="Asia/Tokyo"))
ax = el.plot_daily(days, "blink_rate_per_min")
