"""Whole days of answers, in one private file per account."""
