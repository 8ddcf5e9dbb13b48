"""The page of a study's staff: who sends, who wore when, tables to download."""
