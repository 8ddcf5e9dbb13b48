"""Archive: tables to disk and back. Knows files, no HTTP."""
