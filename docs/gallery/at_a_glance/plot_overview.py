"""
Overview
========

When the eyewear was worn, which records are usable, and where there are none: the first picture
of every analysis.
"""

import eyelog as el

frame = el.sample()
ax = el.plot_overview(el.states(frame))
