"""Access: bytes to tables. Knows HTTP, no statistics."""
