"""
Agreement of both logs
======================

A Bland-Altman plot: the difference of both logs in each minute, with bias and limits of agreement.
"""

import eyelog as el

fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
pairs = el.compare.minute_pairs(fifteen, sixty, quantity="tilt_fore_aft")
limits = el.compare.limits_of_agreement(pairs["fifteen"], pairs["sixty"])
ax = el.plot_agreement(pairs, limits)
