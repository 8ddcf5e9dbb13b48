"""Shares of states in columns of time, and the colours that stand for them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

import eyelog as el
from eyelog.clock import LocalClock
from eyelog.figures import ribbon
from eyelog.figures.style import COLOURS
from support.states import states_of


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


def test_rows_that_follow_one_another_leave_no_sliver_between_them() -> None:
    index = fifteen(["2025-01-06 00:00:15", "2025-01-06 00:00:31", "2025-01-06 00:01:00"])
    shares = shares_of(index, [0, 0, 0])
    assert shares[0, 0] * 60 == pytest.approx(15 + 16 + 15)  # the last one follows a gap


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


def test_shares_along_time_hold_all_of_the_time_at_any_width() -> None:
    states = states_of([("usable", "2025-01-06 09:01", "2025-01-06 10:00"),
                        ("walking", "2025-01-06 10:11", "2025-01-06 10:20")])  # fmt: skip
    us = pd.DatetimeIndex(states.index).asi8
    for columns in (1, 7, 80, 5000):
        edges = np.linspace(us[0] - 60_000_000, us[-1], columns + 1).astype(np.int64)
        shares = ribbon.time_shares(us, ribbon.state_codes(states), 60.0, edges)
        spent = (shares * np.diff(edges)[:, None]).sum(axis=0) / 60e6
        assert spent[:2].tolist() == pytest.approx([60, 10])
        assert spent[2:].sum() == 0


def test_a_single_state_has_its_own_colour_and_no_record_lets_the_ground_through() -> None:
    shares = np.zeros((3, len(ribbon.NAMES)))
    shares[0, 0], shares[1, 3] = 1.0, 0.25
    found = ribbon.colours(shares)
    assert found[0].tolist() == pytest.approx([*to_rgb(COLOURS["usable"]), 1.0])
    assert found[1].tolist() == pytest.approx([*to_rgb(COLOURS["off pose"]), 0.25])
    assert found[2, 3] == 0


def test_no_mean_of_two_states_looks_like_a_third() -> None:
    """A minute half usable and half noisy must not look like off pose."""
    names = ribbon.NAMES[:5]
    pure = np.eye(len(ribbon.NAMES))
    own = ribbon.colours(pure)[:5, :3]
    for one in range(5):
        for two in range(one):
            mean = ribbon.colours((pure[one] + pure[two]) / 2)[:3]
            others = [i for i in range(5) if i not in (one, two)]
            nearest = min(np.linalg.norm(mean - own[i]) for i in others)
            assert nearest > 0.15, (names[one], names[two])


def test_not_known_is_in_the_legend_only_where_it_occurs() -> None:
    assert "not known" not in [label for label, _ in ribbon.entries(np.array([0, 1]))]
    assert "not known" in [label for label, _ in ribbon.entries(np.array([0, 5]))]


@pytest.mark.parametrize("wrong", [pd.Series([1.0]), None, pd.Series(["asleep"], dtype="category")])
def test_what_are_no_states_is_refused(wrong) -> None:
    with pytest.raises(el.ConfigurationError, match=r"pass eyelog\.states"):
        ribbon.require_states(wrong, what="plot_overview")
