"""
Why is this value missing?
==========================

The records left for the focus score after each condition. Where a value is
missing after ``el.mask``, one of these conditions removed it.
"""

import eyelog as el

frame = el.sample()
reasons = el.flag(frame)
print(el.explain(reasons).loc["sc_fcs", ["n", "SENTINEL", "UNWORN", "masked"]])
ax = el.plot_attrition(el.attrition(frame, recipe="mind"))
