"""Archive: tables to disk and back. Contains files, but no HTTP."""
