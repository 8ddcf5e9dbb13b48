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
STAMPS = st.sampled_from(["end", "end", "start"])
RECORDED = ["n", "recorded_h", "expected_h", "coverage"]


def hold(
    columns: list[str], log: str, frame: pd.DataFrame, every: str, stamp: str, **wear: Any
) -> None:
    limits = el.Limits(**wear)
    found = quietly(el.coverage, frame, by=every, stamp=stamp, log=log, limits=limits)
    agree(hours(frame, log, every=every, stamp=stamp, **wear), found, columns)


@examples(25)
@given(any_frame, widths, STAMPS)
def test_recorded_hours_are_the_defined_ones(
    drawn: tuple[str, pd.DataFrame], every: str, stamp: str
) -> None:
    hold(RECORDED, *drawn, every, stamp)


@pytest.mark.parametrize("column", ["worn_h", "valid_h", "walking_h"])
@examples(10)
@given(any_frame, widths, STAMPS)
def test_hours_are_the_defined_ones(
    column: str, drawn: tuple[str, pd.DataFrame], every: str, stamp: str
) -> None:
    hold([column], *drawn, every, stamp)


@examples(10)
@given(any_frame)
def test_a_masked_frame_has_the_hours_of_the_frame_it_was_made_from(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    log, frame = drawn
    found = el.coverage(el.mask(frame, quietly(el.flag, frame)))
    agree(hours(frame, log), found, ["worn_h", "valid_h", "walking_h"])


@examples(10)
@given(any_frame, st.sampled_from(["1min", "10min", "1h"]), st.sampled_from([0.0, 0.5, 1.0]))
def test_bins_have_the_hours_of_the_records(
    drawn: tuple[str, pd.DataFrame], every: str, least: float
) -> None:
    log, frame = drawn
    bins = quietly(el.resample, frame, every, min_coverage=least)
    agree(hours(frame, log), el.coverage(bins), ["n", "worn_h", "valid_h", "walking_h"])


@examples(10)
@given(any_frame)
def test_with_wear_by_blinks_intervals_with_blinks_in_pose_are_worn(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    hold(["worn_h", "valid_h", "walking_h"], *drawn, "1D", "end", wear="blinks")


@examples(10)
@given(both_logs.flatmap(lambda log: st.tuples(st.just(log), damaged(log, fields="some"))))
def test_hours_of_some_fields_take_what_evidence_there_is(drawn: tuple[str, pd.DataFrame]) -> None:
    log, frame = drawn
    hold([*RECORDED, "worn_h"], log, frame, "1D", "end")


@pytest.mark.slow
@examples(400)
@given(any_frame, widths, STAMPS)
def test_all_hours_on_many_frames(drawn: tuple[str, pd.DataFrame], every: str, stamp: str) -> None:
    hold([*RECORDED, "worn_h", "valid_h", "walking_h"], *drawn, every, stamp)
