"""Angles on the circle: one wrap, one difference, one mean."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog
from eyelog.analysis.series.angles import (
    difference,
    mean_direction,
    near,
    unit_vectors,
    wrap,
)

degrees = st.floats(-720, 720).map(lambda x: round(x, 3))
angles = st.lists(degrees, min_size=1, max_size=20).map(np.array)


@given(angles)
def test_wrapping_keeps_the_direction_and_lands_on_one_branch(some) -> None:
    wrapped = wrap(some)
    assert ((wrapped >= -180) & (wrapped < 180)).all()
    turns = (some - wrapped) / 360
    assert np.allclose(turns, np.round(turns), atol=1e-9)


@given(angles, degrees)
def test_a_difference_is_the_shorter_turn_from_one_angle_to_the_other(some, centre) -> None:
    turns = (near(some, centre) - some) / 360
    assert np.allclose(turns, np.round(turns), atol=1e-9)
    assert (np.abs(difference(some, centre)) <= 180).all()
    np.testing.assert_allclose(near(some, centre), centre + difference(some, centre))


@given(angles)
def test_unit_vectors_are_cosine_and_sine(some) -> None:
    east, north = unit_vectors(some)
    np.testing.assert_allclose(east, np.cos(np.deg2rad(some)), atol=1e-12)
    np.testing.assert_allclose(north, np.sin(np.deg2rad(some)), atol=1e-12)


@given(angles)
def test_the_mean_direction_is_that_of_scipy_where_angles_do_not_cancel_out(some) -> None:
    if np.hypot(*(part.mean() for part in unit_vectors(some))) > 1e-3:
        theirs = stats.circmean(some, high=360, low=0)
        assert abs(wrap(np.array(mean_direction(some) - theirs))) < 1e-6


def test_the_published_example() -> None:
    assert mean_direction(np.array([350.0, 10, 20, 5, 355, 2, 30])) == pytest.approx(
        7.38355499, abs=1e-8
    )


def test_the_formula_of_wrapping_stands_in_one_file() -> None:
    source = Path(eyelog.__file__).parent
    files = [p.name for p in source.rglob("*.py") if re.search(r"% 360", p.read_text())]
    assert files == ["angles.py"]
