"""Masked frames and states: what was masked stays masked, and gives the same hours anywhere."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal, assert_series_equal

import eyelog as el
from support.frames import EYES, MINUTES, frame_of, frames
from support.logs import LOGS, history
from support.reasons import KEPT, R, judged, seconds

UNJUDGED = pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")


def known(column: pd.Series) -> list[float | None]:
    return [None if np.isnan(value) else value for value in column]


def test_masking_removes_flagged_values_and_keeps_the_rest() -> None:
    frame = frame_of(EYES, {"sc_fcs": [-1, 50], "isl": [False, True], "gw": ["", "x"]})
    clean = el.mask(frame, el.flag(frame))
    assert clean["sc_fcs"].isna().all()
    assert clean["isl"].tolist() == [False, True]
    assert clean["gw"].tolist() == ["", "x"]
    assert list(clean) == [*frame, *KEPT]
    assert_frame_equal(clean[list(frame)].dtypes.to_frame(), frame.dtypes.to_frame())
    assert clean.attrs["eyelog"]["log"] == EYES
    assert history(clean)[-1]["allow"] == ["SATURATED"]
    allowing = frame_of(EYES, {"sc_fcs": [50, -1], "stp": [3, 3], "vld": [True, True]})
    walked = judged(allowing, allow=R.MOVING | R.SATURATED)["sc_fcs"]
    assert known(walked) == [50, None]


def test_a_masked_boolean_is_missing_and_its_column_stays_boolean() -> None:
    frame = frame_of(EYES, {"vld": [True, False]})
    reasons = el.flag(frame)
    reasons["vld"] = np.array([R.RANGE, 0], dtype=np.uint16)
    masked = el.mask(frame, reasons)["vld"]
    assert str(masked.dtype) == "boolean"
    assert masked.isna().tolist() == [True, False]


@pytest.mark.parametrize("allow", [-1, True, 1 << 11, "SATURATED", 1.0])
def test_what_is_no_reason_cannot_be_allowed(allow: Any) -> None:
    frame = frame_of(EYES, {"sc_fcs": [50, -1]})
    with pytest.raises(el.ConfigurationError, match=r"allow takes eyelog\.Reason"):
        el.mask(frame, el.flag(frame), allow=allow)


def test_reasons_that_lost_their_history_say_their_limits_or_are_refused() -> None:
    frame = el.sample(MINUTES).iloc[:3000]
    for limits in (None, el.Limits(max_noise="1s")):
        reasons = el.flag(frame, limits=limits)
        expected, reasons.attrs = el.mask(frame, reasons), {}
        assert_frame_equal(el.mask(frame, reasons, limits=limits or el.Limits()), expected)
    with pytest.raises(el.ConfigurationError, match="pass limits=, the limits of flag"):
        el.mask(frame, reasons)


def test_reasons_of_another_shape_and_names_of_the_columns_of_masking_are_refused() -> None:
    frame = frame_of(EYES, {"sc_fcs": [50, 60]})
    reasons = el.flag(frame)
    for other, message in (
        (reasons.iloc[:1], "1 rows"),
        (reasons.drop(columns="isl"), "columns"),
        (reasons.astype(float), "integers"),
    ):
        with pytest.raises(el.ConfigurationError, match=message):
            el.mask(frame, other)
    own = frame.assign(state="asleep")
    with pytest.raises(el.ConfigurationError, match="my_state"):
        judged(own)
    assert judged(own.rename(columns={"state": "my_state"}))["my_state"].tolist() == ["asleep"] * 2


@UNJUDGED
@given(frames(), st.sampled_from([None, R.STALE, R.UNWORN | R.MOVING, R.RANGE, ~R.MISSING]))
def test_judging_a_judged_frame_changes_nothing(frame: pd.DataFrame, allow: R | None) -> None:
    before = frame.copy()
    once = judged(frame, allow=allow)
    assert_frame_equal(judged(once, allow=allow), once)
    assert_frame_equal(frame, before)
    every = judged(frame, allow=~R(0))
    assert_frame_equal(every.drop(columns=KEPT, errors="ignore"), frame)
    nouns = ["worn_s", "valid_s", "walking_s"]
    assert_frame_equal(seconds(judged(frame))[nouns], seconds(frame)[nouns])


def test_stored_says_which_records_were_off_pose_and_which_rows_hold_no_record() -> None:
    tilt, wear = [0.0, -72.0, None, None], [60.0, 60.0, 60.0, None]
    frame = frame_of(MINUTES, {"tl_xav": tilt, "wea_s": wear}, calm=False)
    with pytest.warns(el.EyelogWarning, match="not judged"):
        masked = el.mask(frame, el.flag(frame))
    assert list(masked) == [*frame, "stored", "state", "worn_s", "limits"]
    assert masked["stored"].dtype == "boolean"
    assert masked["stored"].fillna(True).tolist() == [False, True, False, True]
    assert masked["stored"].isna().tolist() == [False, False, False, True]


def test_a_masked_frame_knows_when_the_eyewear_was_stored_in_any_part_and_order_of_it() -> None:
    tilt = [0.0, -72.0, -72.0, 0.0, -72.0]
    frame = frame_of(MINUTES, {"tl_xav": tilt, "wea_s": [60, 60, 19, 19, 60], "hm_po": [1] * 5})
    masked = judged(frame)
    assert seconds(masked)["worn_s"].tolist() == [60, 0, 0, 19, 0]
    assert seconds(masked.iloc[2:])["worn_s"].tolist() == [0, 19, 0]
    shuffled = judged(frame.iloc[[3, 1, 0, 4, 2]]).sort_index()
    assert seconds(shuffled)["worn_s"].tolist() == [60, 0, 0, 19, 0]
    few = masked[["wea_s", "stored", "state", "worn_s", "limits"]]
    assert seconds(few)["worn_s"].tolist() == [60, 0, 0, 19, 0]
    # No evidence beside what masking has kept is needed.
    sample = judged(el.sample().iloc[:3000])
    changed = sample.assign(nis_time="lost", vld="lost")
    assert_series_equal(el.states(changed), el.states(sample))


@pytest.mark.parametrize(
    "ask", [el.daily, el.coverage, el.states, lambda frame: el.resample(frame, "1h")]
)
def test_a_masked_frame_without_its_hours_is_refused_and_the_advice_works(
    ask: Callable[[pd.DataFrame], Any],
) -> None:
    masked = judged(el.sample(MINUTES).iloc[:600])
    kept = ["wea_s", "val_s", "stp_s", "stp_fst", "tl_xav", "tl_yav"]
    with pytest.raises(el.ConfigurationError, match="has lost 'stored', 'state', 'worn_s'"):
        ask(masked[kept])
    with pytest.raises(el.ConfigurationError, match="has lost 'valid_s', which say what"):
        ask(masked.drop(columns="valid_s"))
    ask(masked[[*kept, *KEPT]])


def test_a_frame_of_which_only_some_rows_are_masked_is_refused_and_the_advice_works() -> None:
    frame = frame_of(MINUTES, {"hm_po": [1] * 4})
    masked, raw = judged(frame.iloc[:2]), frame.iloc[2:]
    with pytest.raises(el.ConfigurationError, match="2 rows of the frame are not masked"):
        el.daily(pd.concat([masked, raw]))
    followed = pd.concat([masked, el.mask(raw, el.flag(raw))])
    assert_frame_equal(el.daily(followed), el.daily(frame))


# The seconds of records, beside those that `tests/reference` holds on drawn frames


def test_time_walked_is_that_above_a_limit_of_ones_own() -> None:
    frame = frame_of(EYES, {"stp": [0, 4, 5], "cad": [0, 60, 60]})
    assert seconds(frame, limits=el.Limits(walking_above=4))["walking_s"].tolist() == [0, 0, 5]


def test_minutes_half_a_minute_apart_are_two_sources_and_not_two_hours_in_one() -> None:
    index = pd.date_range("2026-10-20 10:00:30", periods=120, freq="30s", tz="UTC", unit="us")
    frame = frame_of(MINUTES, {"hm_po": [1] * 120}).set_axis(index.rename("date"))
    for count in (el.daily, el.coverage, el.states):
        with pytest.raises(el.ConfigurationError, match=r"one wearer and device, .* by 60 min"):
            count(frame)


# The state of each row


@pytest.mark.parametrize(
    ("evidence", "state"),
    [
        ({}, "usable"),
        ({"stp": [3]}, "walking"),
        ({"nis_time": [3]}, "usable"),
        ({"nis_time": [4]}, "noisy"),
        ({"vld": [False]}, "noisy"),
        ({"tl_xav": [46]}, "off pose"),
        ({"isl": [True]}, "not worn"),
        ({"stp": [3], "nis_time": [9], "vld": [False]}, "walking"),
        ({"stp": [3], "tl_xav": [60]}, "off pose"),
        ({"isl": [True], "tl_xav": [60], "stp": [3], "nis_time": [9]}, "not worn"),
        *(({name: [None]}, None) for name in ("isl", "vld", "stp", "nis_time")),
        *(({name: [None], "tl_xav": [60]}, "off pose") for name in ("isl", "vld", "stp")),
    ],
)
def test_a_row_has_the_first_state_that_holds(evidence: dict[str, Any], state: str | None) -> None:
    found = el.states(frame_of(EYES, {"bk_n": [1], **evidence}))
    assert list(found.cat.categories) == ["usable", "walking", "noisy", "off pose", "not worn"]
    assert [None if pd.isna(each) else each for each in found] == [state]


@pytest.mark.parametrize("log", LOGS)
def test_usable_rows_are_those_that_coverage_counts_as_valid_masked_or_not(log: str) -> None:
    frame = el.simulate("2025-01-06", 3, log=log, tz="Asia/Tokyo")
    found = el.states(frame)
    assert_series_equal(el.states(judged(frame)), found)
    assert ((found == "usable") == (seconds(frame)["valid_s"] > 0)).all()
    assert set(found.dropna()) == set(found.cat.categories)


def test_a_frame_without_wear_is_refused_and_other_evidence_is_asked_for() -> None:
    frame = frame_of(EYES, {"bk_n": [2, 0], "isl": [True, True]})
    with pytest.raises(el.FieldError, match="states needs 'isl'"):
        el.states(frame.drop(columns="isl"))
    with pytest.warns(el.EyelogWarning, match="NOISY \\(nis_time\\)"):
        el.states(frame.drop(columns="nis_time"))
    assert el.states(frame, limits=el.Limits(wear="blinks")).tolist() == ["usable", "not worn"]


# Wherever a masked frame has been


def but_for_noise(table: pd.DataFrame) -> pd.DataFrame:
    """Return Intervals without what masked records have lost: the gaps under noise."""
    return table[[n for n in table if not str(n).startswith(("noisy_", "onset_"))]]


SUMMARIES: dict[str, Callable[..., Any]] = {
    "daily": el.daily,
    "coverage": el.coverage,
    "states": lambda frame, **options: el.states(frame, **options).to_frame(),
    "intervals": lambda frame, **options: but_for_noise(el.intervals(frame, **options)),
    "hours": lambda frame, **options: el.summary(frame, by="hour", **options),
}
LIMITS = st.builds(
    el.Limits,
    min_worn=st.sampled_from(["5s", "20s", "41s"]),
    max_noise=st.sampled_from([None, "0s", "2s", "14s"]),
    walking_above=st.sampled_from([0, 3]),
    tilt_fore_aft_deg=st.sampled_from([(-45, 90), (-1, 11)]),
    wear=st.sampled_from(["device", "blinks"]),
)


def by_csv(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    frame.to_csv(folder / "masked.csv")
    table = pd.read_csv(folder / "masked.csv", index_col="date", parse_dates=["date"])
    return table.set_axis(pd.to_datetime(table.index, utc=True).tz_convert(frame.index.tz))


def by_parquet(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    frame.to_parquet(folder / "masked.parquet")
    return pd.read_parquet(folder / "masked.parquet")


def by_polars(frame: pd.DataFrame, folder: Path) -> pl.DataFrame:
    pl.from_pandas(frame.reset_index()).write_parquet(folder / "masked.parquet")
    return pl.read_parquet(folder / "masked.parquet")


def in_two(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    half = len(frame) // 2
    return pd.concat([frame.iloc[half:], frame.iloc[:half]]).sort_index()


WAYS = {"csv": by_csv, "parquet": by_parquet, "polars": by_polars, "two": in_two}


@pytest.mark.parametrize(("log", "way"), [*zip([*LOGS] * 2, WAYS, strict=True)])
def test_a_masked_frame_has_the_answers_of_its_records_wherever_it_was(
    log: str, way: str, tmp_path: Path
) -> None:
    frame = el.simulate("2026-10-19", 1, log=log, seed=3, tz="Asia/Tokyo")
    limits = el.Limits(max_noise="1s", min_worn="41s", walking_above=2)
    arrived = WAYS[way](judged(frame, limits=limits), tmp_path)
    if isinstance(arrived, pd.DataFrame):
        arrived.attrs = {}
    for name, ask in SUMMARIES.items():
        found, expected = (ask(f, log=log, limits=limits) for f in (arrived, frame))
        assert_frame_equal(found, expected, check_freq=False, rtol=1e-9)
        assert name == "states" or not np.allclose(expected.filter(like="valid_").iloc[:, 0], 0)


@UNJUDGED
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(frames(), LIMITS, st.sampled_from(sorted(WAYS)))
def test_any_masked_frame_has_the_hours_of_its_records_wherever_it_was(
    tmp_path: Path, frame: pd.DataFrame, limits: el.Limits, way: str
) -> None:
    log = frame.attrs["eyelog"]["log"]
    masked = judged(frame, limits=limits)
    masked.attrs = {}
    arrived = WAYS[way](masked, tmp_path)
    hours = ["n", "recorded_h", "worn_h", "valid_h", "walking_h"]
    found, expected = (el.coverage(f, log=log, limits=limits) for f in (arrived, frame))
    assert_frame_equal(found[hours], expected[hours], check_freq=False)


@pytest.mark.parametrize("log", LOGS)
def test_days_masked_with_other_limits_are_not_summarised_together(log: str) -> None:
    frame = el.simulate("2026-10-19", 2, log=log, seed=3, tz="Asia/Tokyo")
    frame = frame[frame.index > frame.index[0]]
    days = [frame.loc["2026-10-19"], frame.loc["2026-10-20"]]
    chosen = [el.Limits(max_noise="1s"), el.Limits(max_noise="14s", min_worn="41s")]
    parts = [judged(day, limits=limits) for day, limits in zip(days, chosen, strict=True)]
    both = pd.concat(parts)
    both.attrs = {}
    of_intervals = [
        el.intervals(day, "1h", limits=limits) for day, limits in zip(days, chosen, strict=True)
    ]
    usual = el.intervals(days[1], "1h")
    for table in (both, pd.concat(of_intervals), pd.concat([of_intervals[0], usual])):
        for limits in (None, *chosen):
            with pytest.raises(el.ConfigurationError, match="judged by several limits, eyelog"):
                el.daily(table, limits=limits)
    for part, day, limits in zip(parts, days, chosen, strict=True):
        part.attrs = {}
        with pytest.raises(el.ConfigurationError, match="masked with other limits: pass limits="):
            el.daily(part, log=log)
        of_part, of_day = (el.daily(table, log=log, limits=limits) for table in (part, day))
        assert_frame_equal(of_part, of_day)
