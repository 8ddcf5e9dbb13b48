"""A range of days as one table. Contains HTTP, but no statistics."""
