"""
Reasons against values
======================

The share of the values that each reason applies to.
"""

import eyelog as el

ax = el.plot_quality(el.flag(el.sample("standard_mode_logs")))
