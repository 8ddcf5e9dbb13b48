"""
Attrition
=========

How many records are left after each condition of a recipe, as in a CONSORT chart.
"""

import eyelog as el

ax = el.plot_attrition(el.attrition(el.sample(), recipe="mind"))
