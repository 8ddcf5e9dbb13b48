"""Recorded, worn, valid and walked hours, held against the written-out definition."""

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from reference.days import hours
from reference.held import agree, quietly
from reference.strategies import both_logs, damaged, examples, in_five_zones

any_frame = both_logs.flatmap(lambda log: st.tuples(st.just(log), in_five_zones(log)))
widths = st.sampled_from(["1D", "1D", "1h", "10min"])
WORN = ["worn_h", "valid_h", "walking_h"]
HOURS = ["n", "recorded_h", "expected_h", "coverage", *WORN]


def hold(columns: list[str], log: str, frame: pd.DataFrame, every: str, **wear: Any) -> None:
    found = quietly(el.coverage, frame, by=every, log=log, limits=el.Limits(**wear))
    expected = hours(frame, log, every=every, **wear)
    agree(expected, found, columns)
    rest = found.drop(index=list(expected))
    assert (rest[["n", "coverage"]] == 0).all(axis=None)


@examples(30)
@given(any_frame, widths)
def test_hours_are_the_defined_ones(drawn: tuple[str, pd.DataFrame], every: str) -> None:
    hold(HOURS, *drawn, every)


@pytest.mark.slow("many drawn frames")
@examples(100)
@given(any_frame, widths)
def test_hours_are_the_defined_ones_on_many_frames(
    drawn: tuple[str, pd.DataFrame], every: str
) -> None:
    hold(HOURS, *drawn, every)


@examples(10)
@given(any_frame)
def test_a_masked_frame_has_the_hours_of_the_frame_it_was_made_from(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    log, frame = drawn
    found = el.coverage(el.mask(frame, quietly(el.flag, frame)))
    agree(hours(frame, log), found, WORN)


@examples(10)
@given(any_frame, st.sampled_from(["1min", "10min", "1h"]), st.sampled_from(["1D", "2h"]))
def test_intervals_have_the_hours_of_the_records(
    drawn: tuple[str, pd.DataFrame], width: str, every: str
) -> None:
    log, frame = drawn
    found = el.coverage(quietly(el.intervals, frame, width), by=every)
    agree(hours(frame, log, every=every), found, HOURS)


@examples(10)
@given(any_frame)
def test_with_wear_by_blinks_intervals_with_blinks_in_pose_are_worn(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    hold(WORN, *drawn, "1D", wear="blinks")


@examples(10)
@given(both_logs.flatmap(lambda log: st.tuples(st.just(log), damaged(log, fields="some"))))
def test_hours_of_some_fields_take_what_evidence_there_is(drawn: tuple[str, pd.DataFrame]) -> None:
    log, frame = drawn
    hold(HOURS[:5], log, frame, "1D")
