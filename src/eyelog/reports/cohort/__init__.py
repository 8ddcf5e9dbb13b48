"""The report of a cohort: who, how much, what was lost, the wearers, their groups, the method."""
