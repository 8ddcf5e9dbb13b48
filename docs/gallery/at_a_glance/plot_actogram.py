"""
Many days below each other
==========================

Four weeks of a wearer, each day twice, so that nights lie whole in the middle; the hours worn and
the diary stand beside.
"""

import pandas as pd

import eyelog as el

frame = el.simulate("2026-09-28", 28, log="standard_mode_logs", seed=3, tz="Asia/Tokyo")
diary = pd.DataFrame(
    {
        "start": pd.to_datetime(["2026-10-07 08:30", "2026-10-12 00:00"]).tz_localize("Asia/Tokyo"),
        "end": pd.to_datetime([None, "2026-10-26 00:00"]).tz_localize("Asia/Tokyo"),
        "label": ["dentist", "new lenses"],
    }
)
axes = el.plot_actogram(frame, events=diary)
