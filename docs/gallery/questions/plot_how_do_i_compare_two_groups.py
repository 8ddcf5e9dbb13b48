"""
How do I compare two groups?
============================

Ten simulated wearers, of whom five blink a fifth more often. Persons are the unit of the test,
not days: the figure shows each person's days, the test compares the means of persons.
"""

import eyelog as el

log = "standard_mode_logs"
wearers = {f"p{seed}": el.simulate("2026-10-05", 5, log=log, seed=seed) for seed in range(10)}
groups = {person: "screen" if person < "p5" else "field" for person in wearers}
table = el.compare.mixed_table(wearers, outcomes=["blink_rate_per_min"])
table.loc[table["account"].map(groups) == "field", "blink_rate_per_min"] *= 1.2
result = el.compare.group_difference(table, groups, outcome="blink_rate_per_min")
print(f"{result.second} less {result.first}: {result.difference:.1f} per minute")
print(f"95 % interval {result.low:.1f} to {result.high:.1f}")
days = table.set_index(["account", "day"])
ax = el.plot_cohort(days, "blink_rate_per_min", kind="caterpillar")
