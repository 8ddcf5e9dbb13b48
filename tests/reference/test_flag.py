"""Every reason against every value, held against the written-out definition."""

from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from reference.flags import reasons_of
from reference.held import quietly
from reference.rows import EYES, MINUTES, STEPS, rows_of
from reference.strategies import both_logs, damaged, examples, in_five_zones

any_frame = both_logs.flatmap(
    lambda log: st.tuples(st.just(log), st.one_of(damaged(log), in_five_zones(log, fields="some")))
)


def hold(log: str, frame: pd.DataFrame, **wear: Any) -> None:
    found = quietly(el.flag, frame, log=log, limits=el.Limits(**wear))
    rows = rows_of(frame)
    expected = reasons_of(rows, log, **wear)
    lines = [
        f"{row['at']} {name} = {row[name]}: {against[name]} is {bits[name]}"
        for row, against, bits in zip(rows, expected, found.to_dict("records"), strict=True)
        for name in frame.columns
        if against[name] != bits[name]
    ]
    assert not lines, "\n".join(lines[:12])


@examples(30)
@given(any_frame)
def test_every_reason_is_the_defined_one(drawn: tuple[str, pd.DataFrame]) -> None:
    hold(*drawn)


@examples(10)
@given(any_frame)
def test_with_wear_by_blinks_an_interval_with_blinks_in_pose_is_worn(
    drawn: tuple[str, pd.DataFrame],
) -> None:
    hold(*drawn, wear="blinks")


@pytest.mark.slow("many drawn frames")
@examples(150)
@given(any_frame)
def test_every_reason_is_the_defined_one_on_many_frames(drawn: tuple[str, pd.DataFrame]) -> None:
    hold(*drawn)


def test_the_reference_knows_every_reason_by_its_published_bit() -> None:
    from reference import flags

    assert {reason.name: int(reason) for reason in el.Reason} == {
        reason.name: getattr(flags, reason.name) for reason in el.Reason
    }
    assert {EYES, MINUTES} == set(STEPS)
