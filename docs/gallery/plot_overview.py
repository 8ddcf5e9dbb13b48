"""
Overview
========

When the eyewear was worn, what of it can be used, and where there is no record: the first
picture of every analysis.
"""

import eyelog as el

frame = el.sample()
ax = el.plot_overview(el.states(frame))
