"""Rates of blinks, steps and head movements by day, held against the written-out definitions."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from reference import blinks, gait
from reference.days import per_hour
from reference.flags import judged
from reference.held import agree, quietly
from reference.rows import EYES, MINUTES, Row, measured, rows_of, share_the_time
from reference.strategies import both_logs, examples, in_five_zones
from reference.times import date_of, midnight, opening, worn_s

eyes = in_five_zones(EYES)
minutes = in_five_zones(MINUTES)
any_frame = both_logs.flatmap(lambda log: st.tuples(st.just(log), in_five_zones(log)))
RATE = ["rate_per_min", "low", "high", "n", "exposure_min"]
Pairs = list[tuple[Row, Row]]


def by_day(
    frame: pd.DataFrame, log: str, measure: Callable[[Pairs], dict[str, Any]]
) -> dict[pd.Timestamp, dict[str, Any]]:
    """Return a measure of the raw and the judged rows that open on each local day."""
    raw = share_the_time(rows_of(frame), log)
    days: dict[pd.Timestamp, Pairs] = {}
    for pair in zip(raw, judged(raw, log), strict=True):
        days.setdefault(midnight(opening(pair[0], log)), []).append(pair)
    return {
        date_of(day): measure(pairs)
        for day, pairs in days.items()
        if any(measured(raw) and raw["at"] < midnight(day, days=1) for raw, _ in pairs)
    }


def rates(frame: pd.DataFrame, log: str, **reading: str) -> dict[pd.Timestamp, dict[str, Any]]:
    def measure(pairs: Pairs) -> dict[str, Any]:
        found = blinks.rate_of([clean for _, clean in pairs], log, **reading)
        return dict(zip(RATE, found[:5], strict=True)) | {"reason": found.reason}

    return by_day(frame, log, measure)


@examples(25)
@given(eyes)
def test_the_blink_rate_of_the_fifteen_second_log_is_the_defined_one(frame: pd.DataFrame) -> None:
    agree(rates(frame, EYES), quietly(el.blinks.rate, frame, by="1D"), RATE)


@pytest.mark.slow("many drawn frames")
@pytest.mark.parametrize("method", ["counts", "exponential", "rms", "mean"])
@pytest.mark.parametrize("cleansing", ["weak", "strong"])
@examples(5)
@given(minutes)
def test_every_reading_of_the_minute_log_is_the_defined_one(
    method: str, cleansing: str, frame: pd.DataFrame
) -> None:
    found = el.blinks.rate(frame, by="1D", method=method, cleansing=cleansing)
    expected = rates(frame, MINUTES, method=method, cleansing=cleansing)
    agree(expected, found, RATE)
    for day, cells in expected.items():
        assert found.loc[day, "reason"].startswith(cells["reason"])
        assert bool(found.loc[day, "reason"]) == bool(cells["reason"])


@examples(10)
@given(minutes)
def test_the_minute_log_is_read_by_counts_and_weak_cleansing_where_nothing_is_said(
    frame: pd.DataFrame,
) -> None:
    expected = rates(frame, MINUTES, method="counts", cleansing="weak")
    agree(expected, el.blinks.rate(frame, by="1D"), RATE)


@examples(10)
@given(any_frame)
def test_the_pace_of_a_day_is_the_defined_one(drawn: tuple[str, pd.DataFrame]) -> None:
    log, frame = drawn

    def measure(pairs: Pairs) -> dict[str, Any]:
        pace, walked_min = gait.pace([clean for _, clean in pairs], log)
        n = sum(gait.pace_interval(clean, log) is not None for _, clean in pairs)
        return {"pace_spm": pace, "exposure_min": walked_min, "n": n}

    found = quietly(el.gait.pace, frame, by="1D")
    agree(by_day(frame, log, measure), found, ["pace_spm", "exposure_min", "n"])


@examples(10)
@given(any_frame)
def test_head_movements_are_per_worn_hour_of_the_intervals_that_count_both(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    log, frame = drawn

    def measure(pairs: Pairs) -> dict[str, Any]:
        pairs = [p for p in pairs if None not in (p[1]["hm_po"], p[1]["hm_yo"])]
        return {
            "pitch_per_h": per_hour(pairs, ("hm_po",), log),
            "yaw_per_h": per_hour(pairs, ("hm_yo",), log),
        }

    found = quietly(el.posture.head_movements, frame, by="1D")
    agree(by_day(frame, log, measure), found, ["pitch_per_h", "yaw_per_h"])


@examples(10)
@given(any_frame)
def test_the_variance_of_strength_is_that_within_and_that_between(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    found = quietly(el.blinks.strength, drawn[1], by="1D").dropna()
    parts = found["strength_sd_uv"] ** 2 + found["strength_sd_between_uv"] ** 2
    pd.testing.assert_series_equal(
        parts, found["strength_sd_total_uv"] ** 2, check_names=False, rtol=1e-9
    )


@pytest.mark.slow("many drawn frames")
@examples(75)
@given(any_frame)
def test_worn_time_is_never_more_than_the_time_recorded(drawn: tuple[str, pd.DataFrame]) -> None:
    log, frame = drawn
    for row in rows_of(frame):
        assert (worn_s(row, log) or 0) <= (15 if log == EYES else 60)
    table = quietly(el.coverage, frame)
    hours = table[["worn_h", "valid_h", "walking_h"]].fillna(0)
    assert (hours["worn_h"] <= table["recorded_h"] + 1e-9).all()
    assert (hours["valid_h"] <= hours["worn_h"] + 1e-9).all()
    assert (hours["walking_h"] <= table["recorded_h"] + 1e-9).all()
