"""How often something is found in nothing, by the simulations of the benchmark of levels."""

import numpy as np
import pytest

from support.paths import ROOT

PAIRS = "10 wearers of 60 pairs, SD between them 1 of that within"
# The function and its data, and the least and the largest share, in per cent of 300 runs.
LEVELS = (
    ("interval of a wearer", "mean of 7 days, phi 0.3", 91, 100),
    ("usual day of a report", "median of 14 days, phi 0.5", 89, 100),
    ("compare.two_periods", "14 and 14 days, phi 0", 0, 7),
    ("compare.two_periods", "14 and 14 days, phi 0.5", 0, 14),
    ("baseline.trend", "28 days, phi 0", 0, 7),
    ("baseline.trend", "28 days, phi 0.5", 0, 12),
    ("baseline.new_levels", "28 days, phi 0.3", 0, 10),
    ("compare.rate_ratio", "a week and the next, phi 0", 0, 7),
    ("rhythm.cosinor", "14 days worn whole, phi 0.7 within days", 0, 13),
    ("compare.group_difference p_permutation", "16 and 8 wearers, spread 1 : 3", 0, 12),
    ("compare.limits_of_agreement bias", PAIRS, 90, 100),
    ("compare.limits_of_agreement limit", PAIRS, 90, 100),
    ("compare.fit_mixed p", "10 wearers, x noise, slope SD 0.5, phi 0", 0, 9.5),
    ("compare.fit_mixed p", "10 wearers, x noise, slope SD 0, phi 0.4", 0, 9.5),
    ("compare.events changed", "20 events, 30 offsets, phi .5, normal", 0, 10),
)


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.parametrize(("function", "data", "least", "most"), LEVELS)
def test_what_is_not_there_is_seldom_found_and_what_is_there_lies_in_the_interval(
    function: str, data: str, least: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import levels

    (case,) = (each for each in levels.CASES if (each.function, each.data) == (function, data))
    assert least <= 100 * np.mean(levels.drawn_by(case, 300, 12)) <= most
