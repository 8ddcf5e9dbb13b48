"""
Heatmap
=======

Steps by day and time of day; a measured 0, a masked value and no record are three different things.
"""

import eyelog as el

bins = el.resample(el.sample(), "10min")
ax = el.plot_heatmap(bins, "stp")
