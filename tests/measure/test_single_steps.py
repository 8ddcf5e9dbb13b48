"""Single steps of the 20 Hz log: each flag is one; no step time spans what was not seen."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.packets import flagged_at, packets

N = 4000


def walked(*rows: int, **more) -> pd.DataFrame:
    return packets(N, {"walking": flagged_at(N, *rows)} | more)


def test_each_flag_is_a_step_and_its_time_is_counted_in_packets():
    found = el.gait.steps(walked(100, 110, 121, 160))
    np.testing.assert_allclose(found["step_time_s"], [np.nan, 0.5, 0.55, np.nan])
    assert found["between"].tolist() == ["no step before", "", "", "a pause"]
    assert found["counted"].all()
    assert found.index.equals(walked().index[[100, 110, 121, 160]])


def test_a_lost_packet_may_have_held_a_step():
    frame = walked(100, 110, 120)
    found = el.gait.steps(frame.drop(frame.index[105]))
    assert found["between"].tolist() == ["no step before", "packets lost", ""]


def test_steps_of_unworn_eyewear_do_not_count_and_break_the_walk():
    found = el.gait.steps(walked(90, 110, 230, fitError=flagged_at(N, 200).astype(float)))
    assert found["reason"].tolist() == ["", "not worn", ""]
    assert found["between"].tolist() == ["no step before", "", "not worn"]


def test_no_step_time_spans_two_connections():
    one = walked(3990)
    other = walked(5).set_axis(one.index + pd.Timedelta("1h"))
    found = el.gait.steps(pd.concat([one, other]))
    assert found["between"].tolist() == ["no step before", "a new connection"]


def test_pace_step_time_and_bouts_are_those_of_the_steps():
    rows = [*range(100, 1400, 10), *range(2600, 3900, 13)]
    frame = walked(*rows)
    found = el.gait.steps(frame)
    seconds = found["step_time_s"].dropna()
    pace = el.gait.pace(frame).loc["all"]
    assert pace["pace_spm"] == pytest.approx(60 / seconds.mean())
    assert pace["n"] == len(seconds)
    time = el.gait.step_time(frame).loc["all"]
    assert time["step_time_ms"] == pytest.approx(1000 * seconds.mean())
    assert time["step_time_sd_between_ms"] == pytest.approx(1000 * seconds.std(ddof=0))
    bouts = el.gait.bouts(frame, max_pause="30s", min_length="30s")
    assert bouts["steps"].tolist() == [130, 100]
    np.testing.assert_allclose(bouts["pace_spm"], [120, 60 / 0.65])
    np.testing.assert_allclose(bouts["duration_min"] * 60, [64.55, 64.4], atol=0.06)
    assert bouts["landing_g"].isna().all()


def test_lost_packets_do_not_end_a_bout():
    frame = walked(*range(100, 1400, 10))
    kept = frame.drop(frame.index[[405, 406, 815]])
    assert len(el.gait.bouts(kept)) == 1


def test_intervals_have_the_pace_of_their_steps():
    frame = walked(*range(100, 1400, 10), *range(2600, 3900, 13))
    bins = el.intervals(frame, "30s")
    assert el.gait.pace(bins)["pace_spm"].iloc[0] == pytest.approx(
        el.gait.pace(frame)["pace_spm"].iloc[0]
    )


def test_the_busiest_minutes_are_those_of_clock_minutes():
    frame = packets(24_000, {"walking": flagged_at(24_000, *range(0, 12_000, 10))}, jitter_us=0)
    assert el.gait.peak_cadence(frame, minutes=5)["peak_spm"].tolist() == [120.0]


def test_classes_of_speed_are_refused_by_name():
    with pytest.raises(el.FieldError, match="the 20 Hz log has no step classes"):
        el.gait.speed_classes(walked(100))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), off=st.integers(0, 2), gone=st.integers(0, 5))
def test_step_times_are_those_of_a_walk_from_row_to_row(seed, off, gone):
    draws = np.random.default_rng(seed)
    n = 500
    columns = {
        "walking": draws.random(n) < 0.08,
        "fitError": flagged_at(n, *draws.integers(0, n, off)).astype(float),
    }
    frame = packets(n, columns, seed=seed)
    frame = frame.drop(frame.index[np.unique(draws.integers(1, n, gone))])
    unworn = frame.index[frame["fitError"] == 1]
    expected, last, broken, packet, before = [], None, False, 0, None
    for stamp, row in zip(frame.index, frame.to_dict("records"), strict=True):
        number = row["sequenceNumber"]
        leap = 1 if before is None else int(number - before) % 256
        before, packet = number, packet + leap
        taken_off = any(pd.Timedelta(0) <= at - stamp <= pd.Timedelta("5s") for at in unworn)
        broken |= leap != 1 or taken_off
        if row["walking"] and not taken_off:
            time = np.nan if last is None or broken else (packet - last) * 0.05
            expected.append(time if not time > 1 else np.nan)
            last, broken = packet, False
    found = el.gait.steps(frame)
    np.testing.assert_allclose(found.loc[found["counted"], "step_time_s"], expected)
