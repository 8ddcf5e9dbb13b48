"""
How often did I blink, and how sure can I be?
=============================================

Blinks per minute of usable time, day by day, pooled and with exact intervals. Days with few
usable minutes are drawn hollow.
"""

import eyelog as el

frame = el.sample()
rates = el.blinks.rate(frame, by="1D")
print(rates[["rate_per_min", "low", "high", "exposure_min"]].round(1))
ax = el.plot_daily(el.daily(frame), "blink_rate_per_min")
