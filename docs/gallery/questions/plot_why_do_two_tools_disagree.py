"""
Why do two tools disagree?
==========================

The two logs of one wearer count steps in different ways. Over shared minutes, the mean of the
differences is the bias, and nearly all differences lie between the limits of agreement.
"""

import eyelog as el

pairs = el.compare.minute_pairs(el.sample(), el.sample("standard_mode_logs"), quantity="steps")
limits = el.compare.limits_of_agreement(pairs["fifteen"], pairs["sixty"])
print(limits)
ax = el.plot_agreement(pairs, limits)
