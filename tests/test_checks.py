"""Numbers as arguments."""

import numpy as np
import pytest

from eyelog.checks import proportion, whole_number
from eyelog.errors import ConfigurationError


@pytest.mark.parametrize("value", [1, 64, np.int64(7), np.uint8(7)])
def test_a_whole_number_of_python_or_numpy_is_taken_as_an_int(value) -> None:
    found = whole_number(value, "workers", 1, 64)
    assert found == value
    assert type(found) is int


@pytest.mark.parametrize("value", [0, -3, 1.0, 65, "7", None, True, np.bool_(True), np.float64(2)])
def test_anything_else_is_refused_with_the_range_to_give(value) -> None:
    with pytest.raises(ConfigurationError, match=r"workers must be a whole .* from 1 to 64"):
        whole_number(value, "workers", 1, 64)


def test_a_number_without_a_largest_one_has_only_a_least_one() -> None:
    assert whole_number(10**30, "seed", 0) == 10**30
    with pytest.raises(ConfigurationError, match=r"seed must be .* of at least 0, not -1"):
        whole_number(-1, "seed", 0)


@pytest.mark.parametrize("value", [0, 1, 0.25, np.float32(0.5), np.int64(1)])
def test_a_number_from_0_to_1_is_taken_as_a_float(value) -> None:
    taken = proportion(value, "min_coverage")
    assert taken == value
    assert type(taken) is float


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), "0.5", None, True, np.array([0.5])])
def test_a_number_below_0_or_above_1_and_what_is_no_number_are_refused(value) -> None:
    with pytest.raises(ConfigurationError, match="min_coverage must be from 0 to 1, not"):
        proportion(value, "min_coverage")
