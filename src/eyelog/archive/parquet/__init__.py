"""The archive's month files."""
