"""Walking bouts and angles against independent implementations, as pinned numbers."""

import numpy as np
import pytest

import eyelog as el
from support.frames import EYES, MINUTES, frame_of

# Steps of neighbouring 15-second intervals.
STEPS = [
    *[0, 28, 30, 0, 26, 0, 0, 30, 29, 31, 0, 0, 0, 27, 0],
    *[25, 0, 0, 0, 0, 30, 30, 28, 0, 0, 24, 0, 0, 0, 29],
]


def test_walking_bouts_are_assembled_and_aggregated_as_by_mobgap() -> None:
    # mobgap 1.2.0, each walked interval i as a stride from 15 i to 15 i + 15 at 1 Hz:
    # WbAssembly([("max_break", MaxBreakCriteria(max_break_s=30)),
    #             ("n", NStridesCriteria(min_strides=1))]).assemble(...).wb_meta_parameters_,
    # then MobilisedAggregator(groupby=None).aggregate(...) of duration_s and the steps.
    table = el.gait.bouts(frame_of(EYES, {"stp": STEPS}), max_pause="30s", min_length="0s")
    opens = el.gait.bouts(frame_of(EYES, {"stp": [1]}), min_length="0s")["start"].iloc[0]
    edges = table[["start", "end"]].apply(lambda at: (at - opens).dt.total_seconds())
    assert edges["start"].tolist() == [15, 195, 300, 435]
    assert edges["end"].tolist() == [150, 240, 390, 450]
    assert table["n"].tolist() == [6, 2, 4, 1]
    seconds = table["duration_min"] * 60
    assert seconds.tolist() == [135, 45, 90, 15]
    assert seconds.sum() / 60 == 4.75  # total_walking_duration_min
    assert table["steps"].sum() == 367  # wb_all__n_raw_initial_contacts__sum
    assert seconds.median() == 67.5  # wb_all__duration_s__avg
    assert seconds.quantile(0.9) == 121.5  # wb_all__duration_s__p90
    assert seconds.std() / seconds.mean() == pytest.approx(0.736842, abs=1e-6)  # ...__var
    assert [(seconds > limit).sum() for limit in (30, 60)] == [3, 2]  # wb_30, wb_60


def test_directions_are_those_of_pingouin() -> None:
    # pingouin 0.7.0: degrees of circ_mean(radians), then with w = 1 to 7, which is each angle as
    # often as its weight.
    degrees = [350, 10, 20, 5, 355, 2, 30]
    often = np.repeat(degrees, range(1, 8))
    for angles, mean in ((degrees, 7.3835549879776865), (often, 10.200556838307687)):
        frame = frame_of(MINUTES, {"tl_yav": [(angle + 180) % 360 - 180 for angle in angles]})
        found = el.resample(frame, "1D", min_coverage=0)["tl_yav"]
        assert found.iloc[0] == pytest.approx(mean)
