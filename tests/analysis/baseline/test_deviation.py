"""A person against themselves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el

numbers = st.floats(-1e4, 1e4, allow_nan=False).map(lambda v: round(v, 2))


def by_day(values) -> pd.Series:
    index = pd.date_range("2026-10-01", periods=len(values), freq="D", tz="Asia/Tokyo")
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


@given(st.lists(numbers, min_size=3, max_size=40, unique=True), st.floats(0.1, 100), numbers)
def test_a_robust_z_does_not_depend_on_unit_or_zero(values, scale, shift) -> None:
    first = el.baseline.robust_z(by_day(values))
    other = el.baseline.robust_z(by_day(values) * scale + shift)
    np.testing.assert_allclose(other, first, rtol=1e-5, atol=1e-5)


def test_a_robust_z_is_the_published_number() -> None:
    # median 3, MAD 1: (10 - 3) / 1.4826
    assert el.baseline.robust_z(by_day([1, 2, 3, 4, 10])).iloc[-1] == pytest.approx(7 / 1.4826)


def test_a_robust_z_without_spread_is_missing_and_says_why() -> None:
    found = el.baseline.robust_z(by_day([1, 1, 1, 5]))
    assert found.isna().all()
    assert "equal" in found.attrs["reason"]


def test_a_missing_day_stays_missing_and_counts_for_nothing() -> None:
    holed = by_day([1, 2, np.nan, 3, 4, 10])
    found = el.baseline.robust_z(holed)
    assert np.isnan(found.iloc[2])
    assert found.iloc[-1] == pytest.approx(7 / 1.4826)


def test_a_personal_baseline_knows_nothing_of_today_or_later() -> None:
    steps = by_day([5, 6, 7, 5, 6, 7, 6, 6, 6, 6])
    changed = steps.copy()
    changed.iloc[8:] = 1000.0
    first, other = (el.baseline.personal(s, min_n=3) for s in (steps, changed))
    pd.testing.assert_frame_equal(
        first[["baseline", "spread", "n"]].iloc[:9], other[["baseline", "spread", "n"]].iloc[:9]
    )


def test_a_personal_baseline_waits_for_enough_days() -> None:
    table = el.baseline.personal(by_day(range(10)), window="5D", min_n=4)
    assert table["baseline"].isna().tolist() == [True] * 4 + [False] * 6
    assert table["n"].tolist() == [0, 1, 2, 3, 4, 5, 5, 5, 5, 5]
    assert table["baseline"].iloc[-1] == 6.0
    assert table["coverage"].iloc[-1] == 1.0


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda s: el.baseline.change_points(s, penalty=0), "positive"),
        (lambda s: el.baseline.typical_value(s, method="mode"), "one of"),
        (lambda s: el.baseline.personal(s, window="long"), "duration"),
        (lambda s: el.baseline.robust_z(s.tz_localize(None)), "aware"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(call, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        call(by_day(range(10)))
