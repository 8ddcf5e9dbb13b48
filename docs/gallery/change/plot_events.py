"""
Around events
=============

Head turns when a walk begins: the mean over walks with its band, and each walk as a
thin line.
"""

import eyelog as el

frame = el.sample()
walks = el.gait.bouts(frame, min_length="3min")["start"]
around = {"before": "10min", "after": "10min", "every": "1min", "baseline": ("-10min", "-2min")}
table = el.compare.events(frame, walks, fields="hm_yo", **around)
each = el.compare.event_courses(frame, walks, fields="hm_yo", **around)
ax = el.plot_events(table, each=each)
