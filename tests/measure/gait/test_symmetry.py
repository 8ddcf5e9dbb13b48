"""How alike the right and the left side are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el


def test_symmetry_of_the_published_example() -> None:
    index, ratio, angle = el.gait.symmetry(5.2, 4.6)
    assert index == pytest.approx(12.2448980, abs=1e-7)
    assert ratio == pytest.approx(5.2 / 4.6)
    # Zifchock et al. 2008: (45 - atan(4.6 / 5.2)) / 90
    assert angle == pytest.approx(100 * (45 - np.degrees(np.arctan(4.6 / 5.2))) / 90)


def test_symmetry_is_unsigned_by_default() -> None:
    assert tuple(el.gait.symmetry(4.6, 5.2)) == pytest.approx(tuple(el.gait.symmetry(5.2, 4.6)))
    signed = el.gait.symmetry(4.6, 5.2, signed=True)
    assert signed.index == pytest.approx(-12.2448980)
    assert signed.ratio == pytest.approx(4.6 / 5.2)
    assert signed.angle < 0


def test_equal_sides_are_symmetric_and_missing_sides_are_missing() -> None:
    assert tuple(el.gait.symmetry(3.0, 3.0)) == (0.0, 1.0, 0.0)
    for sides in ((np.nan, 1.0), (0.0, 0.0), (-1.0, 2.0)):
        assert np.isnan(el.gait.symmetry(*sides)).all()


def test_sides_that_are_series_of_one_index_are_compared_label_by_label() -> None:
    right, left = pd.Series([5.2, np.nan], index=["a", "b"]), pd.Series([4.6, 1], index=["a", "b"])
    found = el.gait.symmetry(right, left)
    assert found.index.round(7).tolist()[0] == 12.244898
    assert np.isnan(found.index["b"])
    assert found.angle.index.tolist() == ["a", "b"]


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0.1, 10))
def test_symmetry_does_not_depend_on_the_unit(right: float, left: float, unit: float) -> None:
    np.testing.assert_allclose(
        el.gait.symmetry(right, left),
        el.gait.symmetry(right * unit, left * unit),
        rtol=1e-6,
        atol=1e-9,
    )


def test_labels_of_one_side_alone_are_left_out_and_the_right_side_gives_the_order() -> None:
    right = pd.Series([4.0, 5.2, 9.0], index=["b", "a", "x"])
    left = pd.Series([7.0, 4.6, 4.0], index=["y", "a", "b"])
    found = el.gait.symmetry(right, left)
    assert pd.Series(found.index).round(7).to_dict() == {"b": 0.0, "a": 12.244898}


def test_stamps_of_two_zones_meet_at_the_same_instant() -> None:
    index = pd.date_range("2026-10-19", periods=3, freq="h", tz="UTC")
    right, left = pd.Series(5.2, index=index), pd.Series(4.6, index=index.tz_convert("Asia/Tokyo"))
    found = pd.Series(el.gait.symmetry(right, left[::-1]).index)
    assert found.round(7).tolist() == [12.244898] * 3
    assert found.index.equals(index)


@pytest.mark.parametrize("labels", [["c", "d"], ["a", "a"]])
def test_labels_that_do_not_pair_are_refused(labels: list[str]) -> None:
    with pytest.raises(el.ConfigurationError, match="labels"):
        el.gait.symmetry(pd.Series([1.0, 2.0], index=["a", "b"]), pd.Series([1.0, 2], index=labels))
