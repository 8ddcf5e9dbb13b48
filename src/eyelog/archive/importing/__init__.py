"""Files from other sources, read into the archive."""
