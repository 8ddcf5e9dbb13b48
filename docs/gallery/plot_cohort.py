"""
Many wearers
============

A line for each wearer, and a row for each in order of their medians.
"""

import pandas as pd

import eyelog as el

days = {
    f"wearer {seed}": el.daily(el.simulate("2026-10-05", 7, log="standard_mode_logs", seed=seed))
    for seed in range(8)
}
table = pd.concat(days, names=["account"])
ax = el.plot_cohort(table, "steps")

# %%
# The same days, wearer by wearer.
rows = el.plot_cohort(table, "steps", kind="caterpillar")
