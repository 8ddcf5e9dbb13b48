"""
Distribution
============

How often values occur, with the value that is typical of their shape; and the same day by day.
"""

import eyelog as el

frame = el.sample("standard_mode_logs")
turns = el.mask(frame, el.flag(frame))["hm_yo"]
ax = el.plot_distribution(turns, typical=el.baseline.typical_value(turns))

# %%
# Each day has a row, with a mark at its median.
by_day = el.plot_distribution(turns, by="1D")
