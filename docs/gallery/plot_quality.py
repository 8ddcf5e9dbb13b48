"""
Reasons against values
======================

How large a share of the values has a reason against it, reason by reason.
"""

import eyelog as el

ax = el.plot_quality(el.flag(el.sample("standard_mode_logs")))
