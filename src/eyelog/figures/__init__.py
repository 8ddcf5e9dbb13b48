"""Figures: tables to matplotlib Axes and Figures. The numbers come from the analysis."""
