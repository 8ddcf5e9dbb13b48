"""
The usual day
=============

Medians and quartiles by hour of day, and the number of days behind each hour.
"""

import eyelog as el

bins = el.resample(el.sample(), "10min")
ax = el.plot_profile(bins, "hm_yo")

# %%
# Hours of the week: a row for each weekday.
week = el.plot_profile(bins, "hm_yo", by=["weekday", "hour"])
