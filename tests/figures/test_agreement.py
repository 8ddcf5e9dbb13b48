"""Differences against means, with bias, limits and their intervals."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, legend_of, one


def paired(n: int, *, seed: int = 1) -> tuple[pd.DataFrame, el.compare.AgreementLimits]:
    rng = np.random.default_rng(seed)
    first, second = rng.normal(10, 3, n), rng.normal(10, 3, n)
    pairs = pd.DataFrame({"mean": (first + second) / 2, "difference": first - second})
    return pairs, el.compare.limits_of_agreement(first, second)


def span(ax, label: str) -> tuple[float, float]:
    band = one(ax, label)
    return band.get_y(), band.get_y() + band.get_height()


def test_each_pair_is_a_point_at_its_mean_and_difference() -> None:
    pairs, limits = paired(50)
    ax = el.plot_agreement(pairs, limits)
    (drawn,) = ax.collections
    assert np.allclose(drawn.get_offsets(), pairs[["mean", "difference"]])


def test_bias_and_limits_lie_in_the_bands_of_their_own_intervals() -> None:
    pairs, limits = paired(50)
    ax = el.plot_agreement(pairs, limits)
    for name in ("bias", "low", "high"):
        stated = limits._asdict()
        assert one(ax, name).get_ydata() == [stated[name]] * 2
        assert span(ax, f"{name} interval") == pytest.approx(
            (stated[f"{name}_low"], stated[f"{name}_high"])
        )
    assert len(artists(ax, "zero")) == 1


def test_many_pairs_are_counted_and_none_is_lost() -> None:
    pairs, limits = paired(5000)
    ax = el.plot_agreement(pairs, limits)
    mesh = ax.collections[0]
    assert int(mesh.get_array().sum()) == 5000
    assert mesh.norm.vmin == 1
    assert legend_of(ax)[0] == "5,000 pairs"


def test_too_few_pairs_have_no_limits_and_the_legend_says_so() -> None:
    pairs, _ = paired(2)
    ax = el.plot_agreement(pairs, el.compare.limits_of_agreement([1, 2], [1, 1]))
    assert artists(ax, "bias") == []
    assert legend_of(ax) == ["2 pairs", "too few pairs for limits of agreement"]


def test_other_limits_and_no_pairs_are_refused() -> None:
    pairs, limits = paired(5)
    with pytest.raises(el.ConfigurationError, match="limits_of_agreement"):
        el.plot_agreement(pairs, (1.0, 2.0))  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="no pairs"):
        el.plot_agreement(pairs * np.nan, limits)


def test_two_frames_need_a_quantity_that_both_have() -> None:
    fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    with pytest.raises(el.ConfigurationError, match="quantity='steps'"):
        el.plot_agreement(fifteen, sixty)
    with pytest.raises(el.ConfigurationError, match="no quantity 'step'"):
        el.plot_agreement(fifteen, sixty, quantity="step")
