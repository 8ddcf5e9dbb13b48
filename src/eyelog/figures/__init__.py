"""Figures: tables to matplotlib Axes. Nothing is computed here that is not drawn."""
