"""
A rate by hour or weekday
=========================

The blink rate in each hour of the day with its interval, and the minutes that each is based on.
"""

import eyelog as el

frame = el.simulate("2026-09-28", 28, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
ax = el.plot_rate(el.blinks.rate(frame, by="hour", of="wearer"))

# %%
# Pace on weekdays and weekends: of the wearer, of whose days these are a sample.
pace = el.plot_rate(el.gait.pace(frame, by="weekday", of="wearer"))
