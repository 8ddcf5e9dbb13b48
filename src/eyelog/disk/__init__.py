"""Where eyelog stores its files, and private files that are put in place whole."""
