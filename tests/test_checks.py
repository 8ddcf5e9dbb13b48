"""Numbers as arguments."""

import numpy as np
import pytest

import eyelog as el
from eyelog.checks import proportion


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), "0.5", None, True, np.array([0.5])])
def test_a_number_below_0_or_above_1_and_what_is_no_number_are_refused(value) -> None:
    with pytest.raises(el.ConfigurationError, match="min_coverage must be from 0 to 1, not"):
        proportion(value, "min_coverage")
