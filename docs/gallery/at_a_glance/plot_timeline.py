"""
Timeline
========

Several fields over a week, each with its own scale; gaps in the records stay gaps.
"""

import eyelog as el

frame = el.sample("standard_mode_logs")
panels = el.plot_timeline(frame, ["stp_s", "tl_yav", "hm_yo"])
