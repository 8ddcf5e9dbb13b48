"""Files from other sources: read as frames, or written into an archive."""
