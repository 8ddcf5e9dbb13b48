"""Many wearers: a line or a row for each, and percentiles over them."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

import eyelog as el
from support.collisions import collisions
from support.drawn import artists, legend_of, one, points, xy


def cohort(wearers: int, days: int = 10, *, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    index = pd.date_range("2026-10-19", periods=days, freq="D", tz="Asia/Tokyo", name="day")
    tables = {
        f"w{number:03d}": pd.DataFrame({"steps": rng.normal(5000 + 100 * number, 500, days)}, index)
        for number in range(wearers)
    }
    return pd.concat(tables, names=["account"])


def test_each_wearer_is_a_line_along_the_days() -> None:
    table = cohort(6)
    lines = one(el.plot_cohort(table, "steps"), "wearers").get_segments()
    assert len(lines) == 6
    assert lines[2][:, 0].tolist() == list(range(10))
    assert lines[2][:, 1].tolist() == table.loc["w002", "steps"].tolist()


def test_bands_and_median_are_those_of_the_wearers_of_each_day() -> None:
    table = cohort(6)
    ax = el.plot_cohort(table, "steps")
    by_day = table["steps"].groupby(level="day")
    assert xy(ax, "median")[1] == pytest.approx(by_day.median().tolist())
    outer = one(ax, "middle 90 %").get_paths()[0].vertices
    first = outer[outer[:, 0] == 0][:, 1]
    assert first.max() == pytest.approx(by_day.quantile(0.95).iloc[0])
    assert first.min() == pytest.approx(by_day.quantile(0.05).iloc[0])


def test_days_with_fewer_than_five_wearers_have_no_bands() -> None:
    table = cohort(5)
    table.iloc[3, 0] = np.nan
    _, median = xy(el.plot_cohort(table, "steps"), "median")
    assert np.flatnonzero(np.isnan(median)).tolist() == [3]
    few = el.plot_cohort(cohort(4), "steps")
    assert artists(few, "median") == []
    assert legend_of(few) == ["each wearer", "weekend"]


def test_a_day_between_two_without_values_is_a_point() -> None:
    table = cohort(3)
    table.iloc[[1, 3], 0] = np.nan
    table.iloc[0, 0] = np.nan
    assert [place[0] for place in points(el.plot_cohort(table, "steps"), "lone days")] == [2]


def test_groups_have_their_means_and_beside_them_the_difference_from_the_first() -> None:
    table = cohort(12).assign(group=lambda of: of.index.get_level_values(0) > "w005")
    table["group"] = np.where(table["group"], "treated", "control")
    ax = el.plot_cohort(table, "steps", kind="groups", by="group")
    groups = {name: str(name > "w005") for name in table.index.unique("account")}
    result = el.compare.group_difference(table, groups, outcome="steps")
    dots = artists(ax, "mean")
    assert [to_hex(dot.get_facecolors()[0]).upper() for dot in dots] == ["#77829A", "#17602F"]
    square, circle = (dot.get_paths()[0] for dot in dots)
    assert len(square) < len(circle)
    means = [dot.get_offsets()[0, 0] for dot in dots]
    assert means == pytest.approx([result.mean_first, result.mean_second])
    (beside,) = ax.child_axes
    assert points(beside, "difference")[0][0] == pytest.approx(result.difference)
    (segment,) = one(beside, "interval").get_segments()
    assert segment[:, 0].tolist() == pytest.approx([result.low, result.high])
    assert "difference from control with 95 % interval" in legend_of(ax)
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "control  n = 6",
        "treated  n = 6",
    ]


def test_groups_of_two_wearers_have_no_interval_and_one_group_has_no_difference() -> None:
    table = cohort(4).assign(group=lambda of: of.index.get_level_values(0).str[-1].astype(int) % 2)
    ax = el.plot_cohort(table, "steps", kind="groups", by="group")
    assert "mean of the wearers" in legend_of(ax)
    assert "difference from 0" in legend_of(ax)
    alone = el.plot_cohort(table.assign(group="all"), "steps", kind="groups", by="group")
    assert alone.child_axes == []
    assert "mean of the wearers with 95 % interval" in legend_of(alone)


@pytest.mark.parametrize(
    ("table", "arguments", "says"),
    [
        (cohort(2).droplevel("account"), {}, "indexed by account and day"),
        (cohort(2).iloc[:0], {}, "no rows"),
        (cohort(2) * np.nan, {}, "'steps' has no value"),
        (pd.concat([cohort(2), cohort(2)]), {}, "'w000' has two rows for 2026-10-19"),
        (cohort(2), {"kind": "spaghetti"}, "'spaghetti'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(table, arguments, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.plot_cohort(table, "steps", **arguments)


def test_the_two_labels_of_narrow_groups_keep_apart_in_a_style_of_large_letters() -> None:
    days = pd.date_range("2026-10-05", periods=14, name="day")
    draw = np.random.default_rng(1)
    rates = {
        f"w{i}": pd.DataFrame({"blink_rate_per_min": draw.normal(15, 2, 14)}, index=days).assign(
            group=("control", "treated")[i % 2]
        )
        for i in range(8)
    }
    table = pd.concat(rates, names=["account"])
    with plt.style.context("seaborn-v0_8-talk"):
        figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
        el.plot_cohort(table, "blink_rate_per_min", kind="groups", by="group", ax=axes[1, 1])
        assert axes[1, 1].get_xlabel() == "Blink rate\n(per min)"
        assert not collisions(figure)
