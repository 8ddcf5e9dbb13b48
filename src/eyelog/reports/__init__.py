"""Reports: tables and figures as one self-contained page. Numbers come from the analysis."""
