"""
Walking bouts
=============

When the bouts were, how long each lasted, and how fast the wearer walked.
"""

import eyelog as el

bouts = el.gait.bouts(el.sample())
ax = el.plot_bouts(bouts, column="pace_spm")
