"""
Agreement of both logs
======================

A Bland-Altman plot: the difference of both logs in each minute, with bias and limits of agreement.
"""

import eyelog as el

fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
ax = el.plot_agreement(fifteen, sixty, quantity="tilt_fore_aft")
