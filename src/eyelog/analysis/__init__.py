"""Analysis: tables to tables. No HTTP, no files, no figures."""
