"""Rows in groups: how rows are grouped, one value per group, and what a summary reports."""
