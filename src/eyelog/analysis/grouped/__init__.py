"""Rows in groups: grouping, one value per group, and the table of a summary."""
