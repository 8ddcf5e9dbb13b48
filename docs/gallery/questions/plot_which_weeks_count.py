"""
Which weeks count?
==================

Days with less than 8 hours of wear are hollow and count only as wear; a week counts with four days
or more.
"""

import eyelog as el

frame = el.simulate("2026-10-05", 26, log="standard_mode_logs", seed=8, tz="Asia/Tokyo")
weeks = el.weekly(frame, limits=el.Limits(min_day="8h"), min_days=4)
print(weeks[["iso_week", "days", "days_counted", "steps_per_day"]].round(1))
ax = el.plot_daily(el.daily(frame), "steps", min_worn_h=8)
