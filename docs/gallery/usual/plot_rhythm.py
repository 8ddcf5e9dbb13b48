"""
Rhythm
======

The average day, its ten most active hours, and the cosine fitted to it.
"""

import eyelog as el

ax = el.plot_rhythm(el.resample(el.sample(), "1h"), "stp")
