"""
Did the new desk change my posture?
===================================

Six weeks of a simulated wearer whose tilt is 4 degrees smaller from 5 October on: the tilt
of each day against the wearer's own earlier days, and the difference with its interval.
"""

import eyelog as el

frame = el.simulate("2026-09-14", 42, log="standard_mode_logs", seed=5, tz="Asia/Tokyo")
frame.loc["2026-10-05":, "tl_yav"] -= 4
days = el.daily(frame, columns=["wear", "head"])
tilt = days.loc[days["worn_h"] >= 4, "tilt_fore_aft_deg"]
result = el.compare.two_periods(tilt[:"2026-10-04"], tilt["2026-10-05":])
print(f"{result.difference:.1f} degrees ({result.low:.1f} to {result.high:.1f})")
ax = el.plot_baseline(el.baseline.personal(tilt))
