"""
Can I trust this day?
=====================

Wednesday of the sample: what was recorded and worn, and which reasons apply to its values. Most
of the day is usable; meals are noisy, and walks make only the eye data unusable.
"""

import eyelog as el

day = el.sample().loc["2026-10-21"]
print(el.coverage(day)[["coverage", "worn_h", "valid_h"]].round(2))
ax = el.plot_quality(el.flag(day))
