"""The report of a cohort: participants, amount, losses, outcomes, groups and method."""
