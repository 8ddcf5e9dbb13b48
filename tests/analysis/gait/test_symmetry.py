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


def test_sides_that_are_series_are_compared_row_by_row() -> None:
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
