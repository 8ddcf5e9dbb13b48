"""One column: its values, runs, durations, angles and bootstrap draws."""
