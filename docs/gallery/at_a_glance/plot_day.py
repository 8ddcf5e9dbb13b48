"""
Days in full
============

Each day from 00 to 24: steps, the tilt of the head, and the state of the eyewear beneath.
"""

import eyelog as el

frame = el.sample("standard_mode_logs")["2026-10-19":"2026-10-20"]
bins = el.resample(frame, "10min")
panels = el.plot_day(bins, "stp_s", second="tl_yav", states=el.states(frame))
