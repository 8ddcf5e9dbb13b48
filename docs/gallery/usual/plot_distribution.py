"""
Distribution
============

How often values occur, with the value that is typical of their shape; and the same day by day.
"""

import eyelog as el

frame = el.sample("standard_mode_logs")
usual = el.baseline.typical_value(frame, "hm_yo")
ax = el.plot_distribution(frame, "hm_yo", typical=usual)

# %%
# Each day has a row, with a mark at its median.
by_day = el.plot_distribution(frame, "hm_yo", by="day")
