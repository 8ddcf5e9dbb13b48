"""Differences against means, with bias, limits and their intervals."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.figures.style import sequential
from support.drawn import artists, legend_of, one, title_of


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


def test_cells_of_counts_are_no_chessboard() -> None:
    rng = np.random.default_rng(1)
    first, second = rng.poisson(20, 4000), rng.poisson(20, 4000)
    pairs = pd.DataFrame({"mean": (first + second) / 2, "difference": 1.0 * (first - second)})
    ax = el.plot_agreement(pairs, el.compare.limits_of_agreement(first, second))
    counts = ax.collections[0].get_array()
    middle = counts[counts.shape[0] // 2 - 3 : counts.shape[0] // 2 + 3]
    middle = middle[:, counts.shape[1] // 2 - 3 : counts.shape[1] // 2 + 3]
    assert not np.ma.getmaskarray(middle).any()


def test_a_row_of_the_report_is_drawn_like_the_limits_of_its_pairs() -> None:
    fifteen = el.simulate("2026-10-19", 1, tz="Asia/Tokyo", seed=3)
    sixty = el.simulate("2026-10-19", 1, log="standard_mode_logs", tz="Asia/Tokyo", seed=3)
    pairs = el.compare.minute_pairs(fifteen, sixty, quantity="tilt_fore_aft")
    row = el.compare.agreement(fifteen, sixty).loc["tilt_fore_aft"]
    ax = el.plot_agreement(pairs, row)
    assert one(ax, "bias").get_ydata() == [row["bias"]] * 2
    assert ax.get_xlabel() == "Tilt fore-aft, mean of both (deg)"
    assert ax.get_ylabel().split() == ["15-second", "minus", "60-second", "log", "(deg)"]
    assert title_of(ax) == "Mon 19 Oct 2026 · Asia/Tokyo"


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


def test_two_frames_and_a_quantity_are_drawn_like_their_pairs() -> None:
    fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    pairs = el.compare.minute_pairs(fifteen, sixty, quantity="tilt_fore_aft")
    limits = el.compare.agreement(fifteen, sixty).loc["tilt_fore_aft"]
    of_frames = el.plot_agreement(fifteen, sixty, quantity="tilt_fore_aft")
    pairs.attrs = {}
    of_pairs = el.plot_agreement(pairs, limits)
    for ax in (of_frames, of_pairs):
        assert ax.get_xlabel() == "Tilt fore-aft, mean of both (deg)"
        assert one(ax, "bias").get_ydata() == [limits["bias"]] * 2
        assert legend_of(ax) == legend_of(of_frames)
    named = el.plot_agreement(
        pairs,
        el.compare.limits_of_agreement(pairs["fifteen"], pairs["sixty"]),
        quantity="tilt_fore_aft",
    )
    assert named.get_xlabel() == "Tilt fore-aft, mean of both (deg)"


def test_two_frames_need_a_quantity_that_both_have() -> None:
    fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    with pytest.raises(el.ConfigurationError, match="quantity='steps'"):
        el.plot_agreement(fifteen, sixty)
    with pytest.raises(el.ConfigurationError, match="no quantity 'step'"):
        el.plot_agreement(fifteen, sixty, quantity="step")


def test_bias_and_limits_have_the_unit_and_no_more_digits_than_the_limits_need() -> None:
    fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    row = el.compare.agreement(fifteen, sixty).loc["tilt_fore_aft"]
    ax = el.plot_agreement(fifteen, sixty, quantity="tilt_fore_aft")
    texts = [f"{row[name]:.3f}".replace("-", "\N{MINUS SIGN}") for name in ("bias", "low", "high")]
    assert f"bias {texts[0]} deg" in legend_of(ax)
    assert f"95 % limits {texts[1]} to {texts[2]} deg" in legend_of(ax)


def test_a_bias_that_rounds_to_0_has_no_sign() -> None:
    pairs, limits = paired(50)
    ax = el.plot_agreement(pairs, limits._replace(bias=-1e-9))
    assert legend_of(ax)[1] == "bias 0.00"


def test_pairs_state_the_quantity_so_that_the_axes_have_its_name_and_unit() -> None:
    fifteen, sixty = el.sample(), el.sample("standard_mode_logs")
    pairs = el.compare.minute_pairs(fifteen, sixty, quantity="steps")
    limits = el.compare.limits_of_agreement(pairs["fifteen"], pairs["sixty"])
    ax = el.plot_agreement(pairs, limits)
    assert ax.get_xlabel() == "Steps, mean of both (per min)"
    assert "per min" in legend_of(ax)[1]


@pytest.mark.parametrize(("quantity", "meaning"), [("steps", "walking"), ("tilt_fore_aft", "head")])
def test_pairs_are_in_the_colour_of_their_quantity(quantity: str, meaning: str) -> None:
    ax = el.plot_agreement(el.sample(), el.sample("standard_mode_logs"), quantity=quantity)
    (mesh,) = ax.collections[:1]
    assert mesh.get_cmap()(0.5) == sequential(meaning)(0.5)
