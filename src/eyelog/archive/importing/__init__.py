"""Files that people have, read into the archive."""
