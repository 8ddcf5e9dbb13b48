"""
Rhythm
======

The average day, its ten most active hours, and the cosine fitted to it.
"""

import eyelog as el

bins = el.resample(el.sample(), "1h")
steps = bins["stp"]
ax = el.plot_rhythm(
    el.rhythm.profile(steps),
    most_active=el.rhythm.most_active(steps),
    least_active=el.rhythm.least_active(steps),
    cosinor=el.rhythm.cosinor(steps),
)
