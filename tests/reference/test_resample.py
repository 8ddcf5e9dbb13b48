"""Every column of longer intervals, held against the written-out definition."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from reference.bins import resampled
from reference.held import agree, quietly
from reference.rows import EYES, MINUTES, rules
from reference.strategies import both_logs, damaged, examples, in_five_zones

any_frame = both_logs.flatmap(
    lambda log: st.tuples(st.just(log), in_five_zones(log, fields="weighted"))
)
widths = st.sampled_from(["1min", "10min", "1h", "2h", "1D"])
least = st.sampled_from([0.0, 0.0, 0.25, 0.5, 1.0])
Drawn = tuple[str, pd.DataFrame]


def hold(columns: list[str], drawn: Drawn, every: str, share: float) -> None:
    log, frame = drawn
    bins = quietly(el.resample, frame, every, min_coverage=share, log=log)
    expected = resampled(frame, log, every, min_coverage=share)
    agree(expected, bins, columns)
    rest = bins.drop(index=list(expected))
    assert (rest["n"] == 0).all()
    assert (rest["coverage"] == 0).all()
    for opens, closes in zip(bins.index[:-1], bins.index[1:], strict=True):
        assert closes > opens


def by_rule(frame: pd.DataFrame, log: str) -> list[str]:
    kept = [name for name in frame.columns if rules(log)[name].agg != "none"]
    return [*kept, "n", "coverage"]


@examples(25)
@given(any_frame, widths, least)
def test_every_field_is_reduced_by_its_rule(drawn: Drawn, every: str, share: float) -> None:
    hold(by_rule(drawn[1], drawn[0]), drawn, every, share)


@examples(10)
@given(damaged(MINUTES), widths, least)
def test_steps_ask_for_thirty_seconds_of_wear_and_gaps_combine_as_root_mean_squares(
    frame: pd.DataFrame, every: str, share: float
) -> None:
    hold(by_rule(frame, MINUTES), (MINUTES, frame), every, share)


@pytest.mark.slow("many drawn frames")
@examples(75)
@given(any_frame, widths, least)
def test_every_field_is_reduced_by_its_rule_on_many_frames(
    drawn: Drawn, every: str, share: float
) -> None:
    hold(by_rule(drawn[1], drawn[0]), drawn, every, share)


def test_the_reference_reduces_by_hand() -> None:
    from reference.bins import direction, reduced

    rows = [{"lc_bki_n": 1, "lc_bki_av": 2.0}, {"lc_bki_n": 3, "lc_bki_av": 6.0}]
    assert reduced(rows, "lc_bki_av", MINUTES) == ((4 + 108) / 4) ** 0.5
    assert reduced([{"stp": 1.0}, {"stp": None}], "stp", EYES) == 1.0
    assert direction([0.0, 180.0]) is None
