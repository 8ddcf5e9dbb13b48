"""A range of days as one table. Knows HTTP, no statistics."""
