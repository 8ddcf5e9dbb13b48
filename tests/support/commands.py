"""The day that the command line's tests ask for."""

DAY = "2025-10-20"
RANGE = [DAY, DAY, "--tz", "Asia/Tokyo"]
