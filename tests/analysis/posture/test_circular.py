"""Statistics of angles on the circle, and pooled SDs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import eyelog as el
from eyelog.errors import ConfigurationError

EXAMPLE = [350, 10, 20, 5, 355, 2, 30]


angles = st.lists(st.floats(-180, 180).map(lambda x: round(x, 2)), min_size=1, max_size=20)


def test_circular_mean_and_sd_of_the_published_example() -> None:
    # scipy.stats.circmean / circstd(EXAMPLE, high=360) give the same
    assert el.posture.circular_mean(EXAMPLE) == pytest.approx(7.38355499, abs=1e-8)
    assert el.posture.circular_sd(EXAMPLE) == pytest.approx(12.9414923, abs=1e-7)


def test_missing_angles_are_left_out_and_without_angles_there_is_no_mean() -> None:
    assert el.posture.circular_mean([np.nan, 350, 10]) == pytest.approx(0, abs=1e-9)
    for none in ([], [np.nan], pd.Series([], dtype="Float64"), pd.Series([pd.NA], dtype="Float64")):
        assert np.isnan(el.posture.circular_mean(none))
        assert np.isnan(el.posture.circular_sd(none))
        assert np.isnan(el.posture.circular_median(none))


def test_angles_that_cancel_out_have_no_mean() -> None:
    assert np.isnan(el.posture.circular_mean([0, 180]))
    assert el.posture.circular_sd([0, 90, 180, 270]) == np.inf


def test_one_angle_has_no_spread() -> None:
    assert el.posture.circular_sd([123.4]) == 0.0


def test_words_are_refused_as_angles() -> None:
    for ask in (el.posture.circular_mean, el.posture.circular_sd, el.posture.circular_median):
        with pytest.raises(ConfigurationError, match="numbers, in degrees"):
            ask(["north"])


@given(angles, st.floats(-720, 720).map(round))
def test_turning_all_angles_turns_the_mean_and_leaves_the_spread(
    degrees: list[float], turn: float
) -> None:
    before = el.posture.circular_mean(degrees)
    after = el.posture.circular_mean([x + turn for x in degrees])
    length = np.hypot(*(f(np.deg2rad(degrees)).mean() for f in (np.cos, np.sin)))
    if length > 1e-6:
        assert abs((after - before - turn + 180) % 360 - 180) < 1e-4
        assert el.posture.circular_sd([x + turn for x in degrees]) == pytest.approx(
            el.posture.circular_sd(degrees), abs=1e-3
        )


@given(angles)
def test_mean_and_sd_are_those_of_scipy(degrees: list[float]) -> None:
    length = np.hypot(*(f(np.deg2rad(degrees)).mean() for f in (np.cos, np.sin)))
    if length > 1e-3:
        mean = stats.circmean(degrees, high=180, low=-180)
        assert abs((el.posture.circular_mean(degrees) - mean + 180) % 360 - 180) < 1e-6
        sd = np.rad2deg(stats.circstd(np.deg2rad(degrees)))
        assert el.posture.circular_sd(degrees) == pytest.approx(sd, abs=1e-4)


@given(st.lists(st.lists(st.integers(-50, 50), min_size=1, max_size=5), min_size=1, max_size=5))
def test_the_pooled_sd_of_parts_is_the_sd_of_the_whole(parts: list[list[int]]) -> None:
    found = el.posture.pooled_sd(
        [np.std(part) for part in parts],
        mean=[np.mean(part) for part in parts],
        n=[len(part) for part in parts],
    )
    assert found.total == pytest.approx(np.std(np.concatenate(parts)), abs=1e-6)
    assert np.hypot(found.within, found.between) == pytest.approx(found.total)


def test_without_means_only_the_sd_within_can_be_computed() -> None:
    within, between, total = el.posture.pooled_sd([3.0, 4.0])
    assert within == pytest.approx(np.sqrt(12.5))
    assert np.isnan([between, total]).all()
    with pytest.raises(ConfigurationError, match="same length"):
        el.posture.pooled_sd([1.0], n=[1, 2])
