"""Trust in the rows of the 20 Hz log: what a flag says of the rows before and after it."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.laws import examples
from support.packets import flagged_at, packets

N = 600
R = el.Reason


def _against(frame: pd.DataFrame, name: str, reason: el.Reason) -> np.ndarray:
    return ((el.flag(frame)[name] & reason) != 0).to_numpy()


def _us(frame: pd.DataFrame) -> list[int]:
    return frame.index.as_unit("us").asi8.tolist()


def test_rows_without_a_flag_have_nothing_against_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not el.flag(packets(N)).to_numpy().any()


def test_eyewear_off_the_head_counts_for_the_5_s_before():
    frame = packets(N, {"fitError": flagged_at(N, 200).astype(float)}, jitter_us=0)
    for name in ("blinkSpeed", "roll", "accX", "walking"):
        assert np.flatnonzero(_against(frame, name, R.UNWORN)).tolist() == [*range(100, 201)]
    assert not el.flag(frame)[["fitError", "powerLeft", "sequenceNumber"]].any(axis=None)


def test_the_last_packet_number_is_no_cap_and_a_level_of_9_is_out_of_range():
    frame = packets(N, {"eyeMoveUp": np.where(np.arange(N) == 7, 9.0, 0.0)})
    reasons = el.flag(frame)
    assert (frame["sequenceNumber"] == 255).any()
    assert not reasons["sequenceNumber"].any()
    assert np.flatnonzero(reasons["eyeMoveUp"]).tolist() == [7]
    assert reasons["eyeMoveUp"].iloc[7] == R.RANGE


@examples(12)
@given(data=st.data(), jitter=st.sampled_from([0, 20_000]))
def test_reasons_are_those_of_looking_at_every_row_around_each_row(data, jitter):
    def some():
        return flagged_at(N, *data.draw(st.lists(st.integers(0, N - 1), max_size=4)))

    noise, steps, off = some(), some(), some()
    frame = packets(
        N,
        {"noiseStatus": noise, "walking": steps, "fitError": off.astype(float)},
        jitter_us=jitter,
    ).drop(packets(N, jitter_us=jitter).index[40:60])
    us = _us(frame)
    shows = {name: frame[name].astype(float).tolist() for name in frame}
    unworn = [False] * len(us)
    for reason, name, before, after in (
        (R.UNWORN, "fitError", 5_000_000, 0),
        (R.NOISY, "noiseStatus", 0, 1_000_000),
        (R.MOVING, "walking", 250_000, 1_000_000),
    ):
        rows = zip(us, shows[name], unworn, strict=True)
        seen = [
            at for at, flag, taken_off in rows if flag and not (name == "walking" and taken_off)
        ]
        expected = [any(s - before <= at <= s + after for s in seen) for at in us]
        assert _against(frame, "blinkStrength", reason).tolist() == expected
        spared = {R.NOISY: "roll", R.MOVING: "walking", R.UNWORN: "fitError"}[reason]
        assert not _against(frame, spared, reason).any()
        if reason is R.UNWORN:
            unworn = expected
    clean = el.mask(frame, el.flag(frame))
    pd.testing.assert_frame_equal(el.coverage(clean), el.coverage(frame))


def test_masking_leaves_the_evidence_and_judging_again_changes_nothing():
    off = (np.arange(N) >= 500).astype(float)
    frame = packets(N, {"noiseStatus": flagged_at(N, 100), "fitError": off}, jitter_us=0)
    clean = el.mask(frame, el.flag(frame))
    assert clean["blinkSpeed"].isna().sum() == 21 + 200
    evidence = ["noiseStatus", "fitError", "powerLeft", "sequenceNumber"]
    pd.testing.assert_frame_equal(clean[evidence], frame[evidence], check_dtype=False)
    again = el.mask(clean, el.flag(clean))
    pd.testing.assert_frame_equal(again, clean)
    pd.testing.assert_frame_equal(el.intervals(clean), el.intervals(frame))


def test_states_name_what_the_reasons_say():
    frame = packets(
        N,
        {
            "noiseStatus": flagged_at(N, 50),
            "walking": flagged_at(N, 200),
            "fitError": flagged_at(N, 500).astype(float),
        },
        jitter_us=0,
    )
    counts = el.states(frame).value_counts().to_dict()
    assert counts["noisy"] == 21
    assert counts["walking"] == 26
    assert counts["not worn"] == 101
    assert counts["usable"] == N - 148


def test_attrition_leaves_what_the_mask_leaves():
    frame = packets(
        N,
        {
            "noiseStatus": flagged_at(N, 50),
            "walking": flagged_at(N, 200),
            "fitError": flagged_at(N, 500).astype(float),
        },
    )
    table = el.attrition(frame, recipe="blinks")
    shared = table[table["outcome"] == ""]
    assert shared["reason"].tolist()[:4] == ["", "UNWORN", "MOVING", "NOISY"]
    said = ["recorded", "fitError 0", "walking false", "noiseStatus false"]
    assert shared["condition"].tolist()[:4] == said
    masked = el.mask(frame, el.flag(frame))
    of_outcome = table[table["outcome"] != ""].set_index("outcome")["left"]
    assert of_outcome.to_dict() == masked[of_outcome.index].notna().sum().to_dict()
    kept = el.select(frame, recipe="blinks")
    assert kept["blinkSpeed"].notna().sum() == of_outcome["blinkSpeed"]


def test_the_windows_are_limits_that_a_user_may_change():
    frame = packets(N, {"noiseStatus": flagged_at(N, 100)}, jitter_us=0)
    limits = el.Limits(noise_after="500ms")
    assert (el.flag(frame, limits=limits)["blinkSpeed"] == R.NOISY).sum() == 11
    table = limits.table()
    assert table.loc["noise_after", ["log", "value", "default"]].tolist() == [
        "current_data",
        "500ms",
        "1s",
    ]
    with pytest.raises(el.ConfigurationError, match="noise_after"):
        el.Limits(noise_after="much")


def test_uneven_stamps_do_not_change_the_time_that_rows_count():
    even, uneven = packets(N, jitter_us=0), packets(N, jitter_us=24_000)
    for frame in (even, uneven):
        counted = el.intervals(frame)
        assert counted["recorded_s"].sum() == pytest.approx(30)
        assert counted["valid_s"].sum() == pytest.approx(30)


def test_two_devices_in_one_frame_are_refused_and_uneven_stamps_are_not():
    one = packets(20 * 3600, jitter_us=24_000)
    assert (el.states(one) == "usable").all()
    other = one.set_axis(one.index + pd.Timedelta("500us"))
    with pytest.raises(el.ConfigurationError, match="rows of this frame overlap"):
        el.states(pd.concat([one, other]).sort_index())
