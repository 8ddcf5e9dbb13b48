"""
A week at a glance
==================

The last seven days: the states of each with the notes of a diary above them, then worn hours,
blinks, steps, and the tilt of the head against the wearer's own usual range.
"""

import pandas as pd

import eyelog as el

frame = el.simulate("2026-08-31", 42, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
notes = [
    ("2026-10-06 14:00", None, "new desk"),
    ("2026-10-07 18:30", None, "yoga"),
    ("2026-10-10 09:00", "2026-10-11 17:00", "hiking"),
]
diary = pd.DataFrame(notes, columns=["start", "end", "label"])
for end in ("start", "end"):
    diary[end] = pd.to_datetime(diary[end]).dt.tz_localize("Asia/Tokyo")
axes = el.plot_week(el.daily(frame), states=frame, events=diary)
