"""
Many wearers
============

A line for each wearer, a row for each in order of their medians, and groups of wearers with their
difference.
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

# %%
# Two groups: their means with intervals, and the difference beside them.
table["group"] = ["early" if name < "wearer 4" else "late" for name, _ in table.index]
groups = el.plot_cohort(table, "steps", kind="groups", by="group")
