"""Where eyelog keeps things, and private files that are put in place whole."""
