"""The effective number of blinks, by block bootstrap."""

import pandas as pd
import pytest

import eyelog as el
from eyelog.errors import ConfigurationError
from support.blinks import gaps, poisson_wearer


def test_independent_gaps_have_an_effective_n_near_their_number() -> None:
    frame = poisson_wearer(15.0, 0.0, 3000, seed=2)
    row = el.blinks.effective_n(frame, block="5min", draws=2000).iloc[0]
    assert row["n_effective"] == pytest.approx(row["n"], rel=0.25)


def test_repeated_gaps_have_a_smaller_effective_n() -> None:
    frame = poisson_wearer(15.0, 0.0, 1000, seed=3)
    twice = frame.loc[frame.index.repeat(2)].iloc[: len(frame)].set_axis(frame.index)
    first, second = (el.blinks.effective_n(f).iloc[0]["n_effective"] for f in (frame, twice))
    assert second < 0.75 * first


def test_few_blocks_give_no_effective_n() -> None:
    row = el.blinks.effective_n(gaps([12.0] * 80, [6] * 80)).iloc[0]
    assert row["blocks"] < 10
    assert row[["n_effective", "low", "high"]].isna().all()


def test_the_same_seed_gives_the_same_result() -> None:
    frame = poisson_wearer(15.0, 0.0, 300, seed=4)
    same = [el.blinks.effective_n(frame, seed=7) for _ in range(2)]
    pd.testing.assert_frame_equal(*same)
    with pytest.raises(ConfigurationError, match="at least 100"):
        el.blinks.effective_n(frame, draws=10)
