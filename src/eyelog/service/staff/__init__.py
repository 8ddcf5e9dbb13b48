"""The page of a study's staff: who sends, when each wearer wore it, tables to download."""
