"""Figures: tables to matplotlib Axes. Computes nothing."""
