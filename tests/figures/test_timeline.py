"""Fields along time, and the reasons against their values; tests read artists, not pixels."""

import numpy as np
import pandas as pd

import eyelog as el
from eyelog.analysis.quality.reasons import Reason
from support.figures import counted_minutes


def test_a_timeline_breaks_its_line_where_records_are_missing() -> None:
    frame = counted_minutes(["2026-10-19"])
    ax = el.plot_timeline(frame.drop(frame.index[100:200]))
    y = np.asarray(ax.lines[0].get_ydata(), dtype=float)
    assert np.isnan(y).sum() == 1
    assert len(y) == 1341


def test_a_timeline_has_a_lane_for_each_field_in_the_order_asked() -> None:
    frame = el.simulate("2026-10-19", 1, log="standard_mode_logs")
    ax = el.plot_timeline(frame, fields=["bl", "tl_yav", "wea_s"])
    lanes = {str(line.get_gid()): np.nanmean(line.get_ydata()) for line in ax.lines}
    assert sorted(lanes, key=lambda n: -lanes[n]) == ["bl", "tl_yav", "wea_s"]
    labels = [tick.get_text() for tick in ax.get_yticklabels()]
    assert labels == ["Battery (level)", "Tilt fore-aft (deg)", "Worn time (s)"]


def test_a_quality_figure_shades_the_share_of_values_with_the_reason() -> None:
    frame = counted_minutes(["2026-10-19"]).assign(stp_fst=0.0)
    reasons = pd.DataFrame(0, index=frame.index, columns=frame.columns, dtype="uint16")
    reasons.iloc[10:20, 0] = int(Reason.UNWORN)
    ax = el.plot_quality(reasons)
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["UNWORN"]
    image = np.asarray(ax.images[0].get_array())
    assert image[0, 10:20].tolist() == [0.5] * 10
    assert image.sum() == 5
