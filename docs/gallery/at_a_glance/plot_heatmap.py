"""
Heatmap
=======

Steps by day and time of day. A measured 0, a masked value and no record are drawn differently.
"""

import eyelog as el

bins = el.resample(el.sample(), "10min")
ax = el.plot_heatmap(bins, "stp")
