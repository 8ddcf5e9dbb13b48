"""Shares of states in columns of time, and the colours that stand for them."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.clock import LocalClock
from eyelog.figures import ribbon


def fifteen(stamps: list[str]) -> pd.DatetimeIndex:
    return pd.DatetimeIndex(stamps, tz="UTC").as_unit("us")


def shares_of(index: pd.DatetimeIndex, codes: list[int]) -> np.ndarray:
    rows = np.zeros(len(index), dtype=np.int64)
    return ribbon.day_shares(index, np.array(codes), rows, 1, 15.0, LocalClock(index.tz))[0]


def test_a_record_fills_the_time_before_its_stamp() -> None:
    shares = shares_of(fifteen(["2025-01-06 00:00:15", "2025-01-06 00:01:10"]), [0, 1])
    assert shares[0, 0] == pytest.approx(15 / 60)
    assert shares[0, 1] == pytest.approx(5 / 60)
    assert shares[1, 1] == pytest.approx(10 / 60)
    assert shares.sum() * 60 == pytest.approx(30)


def test_the_record_that_closes_a_day_is_in_its_last_minute() -> None:
    shares = shares_of(fifteen(["2025-01-07 00:00:00"]), [2])
    assert shares[1439, 2] == pytest.approx(15 / 60)


def test_no_time_is_counted_twice_or_lost_over_days() -> None:
    frame = el.simulate("2025-01-06", 3)
    states = el.states(frame)
    index = pd.DatetimeIndex(states.index)
    rows = np.asarray((index - pd.Timedelta("1us") - pd.Timestamp("2025-01-06", tz="UTC")).days)
    codes = ribbon.state_codes(states)
    shares = ribbon.day_shares(index, codes, rows, 3, 15.0, LocalClock(index.tz))
    assert shares.sum(axis=2).max() <= 1 + 1e-9
    hours = shares.sum(axis=(0, 1)) / 60
    for code, name in enumerate(states.cat.categories):
        assert hours[code] == pytest.approx((states == name).sum() / 240, rel=0.01)


@pytest.mark.parametrize("wrong", [pd.Series([1.0]), None, pd.Series(["asleep"], dtype="category")])
def test_what_are_no_states_is_refused(wrong) -> None:
    with pytest.raises(el.ConfigurationError, match=r"pass eyelog\.states"):
        ribbon.require_states(wrong, what="plot_overview")
