"""Many wearers: a line or a row for each, percentiles over them, and groups."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex

import eyelog as el
from support.collisions import collisions
from support.drawn import days_from, legend_of, one, points, xy


def cohort(wearers: int, days: int = 10, *, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    index = pd.date_range("2026-10-19", periods=days, freq="D", tz="Asia/Tokyo", name="day")
    tables = {
        f"w{number:03d}": pd.DataFrame({"steps": rng.normal(5000 + 100 * number, 500, days)}, index)
        for number in range(wearers)
    }
    return pd.concat(tables, names=["account"])


def test_each_wearer_is_a_line_and_bands_and_median_are_those_of_the_wearers_of_each_day() -> None:
    table = cohort(6)
    ax = el.plot_cohort(table, "steps")
    lines = one(ax, "each wearer").get_segments()
    assert len(lines) == 6
    assert days_from("2026-10-19", lines[2][:, 0]).tolist() == [*range(10)]
    assert lines[2][:, 1].tolist() == table.loc["w002", "steps"].tolist()
    by_day = table["steps"].groupby(level="day")
    assert xy(ax, "median of the wearers")[1] == pytest.approx(by_day.median().tolist())
    outer = one(ax, "middle 90 %").get_paths()[0].vertices
    first = outer[days_from("2026-10-19", outer[:, 0]) == 0][:, 1]
    assert first.max() == pytest.approx(by_day.quantile(0.95).iloc[0])
    assert first.min() == pytest.approx(by_day.quantile(0.05).iloc[0])


def test_days_with_fewer_than_five_wearers_have_no_bands_and_lone_ones_are_points() -> None:
    table = cohort(5)
    table.iloc[3, 0] = np.nan
    _, median = xy(el.plot_cohort(table, "steps"), "median of the wearers")
    assert np.flatnonzero(np.isnan(median)).tolist() == [3]
    few = cohort(4)
    few.iloc[[0, 1, 3], 0] = np.nan
    ax = el.plot_cohort(few, "steps")
    assert sorted(legend_of(ax)) == ["each wearer", "weekend"]
    lone = [dots.get_offsets() for dots in ax.collections if len(dots.get_offsets()) == 1]
    places = [[float(days_from("2026-10-19", x)), y] for ((x, y),) in lone]
    assert [2, few.iloc[2, 0]] in places


def test_wearers_without_a_value_are_counted_in_a_title_and_have_a_blank_row_in_an_actogram() -> (
    None
):
    table = cohort(4).assign(worn_h=10.0)
    table.loc["w002", ["steps", "worn_h"]] = np.nan
    ax = el.plot_cohort(table, "steps")
    assert len(one(ax, "each wearer").get_segments()) == 3
    assert ax.figure.get_suptitle().startswith("3 of 4 wearers (others have no value)")
    days = el.plot_actogram(table)[0]
    names = [label.get_text() for label in days.get_yticklabels()]
    assert names == ["w000", "w001", "w003", "w002"]
    assert not np.asarray(days.images[0].get_array())[3, :, 3].any()


def test_groups_have_their_means_and_beside_them_the_difference_from_the_first() -> None:
    table = cohort(12)
    late = table.index.get_level_values(0) > "w005"
    table["group"] = np.where(late, "treated", "control")
    ax = el.plot_cohort(table, "steps", kind="groups", by="group")
    groups = {name: str(name > "w005") for name in table.index.unique("account")}
    result = el.compare.group_difference(table, groups, outcome="steps")
    dots = [dots for dots in ax.collections if isinstance(dots, PathCollection)]
    means = [each for each in dots if len(each.get_offsets()) == 1]
    shown = [dots.get_offsets()[0, 0] for dots in means]
    assert shown == pytest.approx([result.mean_first, result.mean_second])
    assert len({to_hex(dots.get_facecolors()[0]) for dots in means}) == 2
    (beside,) = ax.child_axes
    assert points(beside, "difference from control")[0][0] == pytest.approx(result.difference)
    (segment,) = one(beside, "95 % interval").get_segments()
    assert segment[:, 0].tolist() == pytest.approx([result.low, result.high])
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["control  n = 6", "treated  n = 6"]


def test_groups_of_two_wearers_have_no_interval_and_one_group_has_no_difference() -> None:
    table = cohort(4).assign(group=lambda of: of.index.get_level_values(0).str[-1].astype(int) % 2)
    few = legend_of(el.plot_cohort(table, "steps", kind="groups", by="group"))
    assert "difference from 0" in few
    assert "95 % interval" not in few
    alone = el.plot_cohort(table.assign(group="all"), "steps", kind="groups", by="group")
    assert alone.child_axes == []
    assert "95 % interval" in legend_of(alone)


@pytest.mark.parametrize(
    ("table", "arguments", "says"),
    [
        (cohort(2).droplevel("account"), {}, "with account and day"),
        (cohort(2).iloc[:0], {}, "no rows"),
        (cohort(2) * np.nan, {}, "'steps' has no value"),
        (pd.concat([cohort(2), cohort(2)]), {}, "2026-10-19 occurs twice for w000"),
        (cohort(2), {"kind": "spaghetti"}, "'spaghetti'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(table, arguments, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.plot_cohort(table, "steps", **arguments)


def test_the_two_labels_of_narrow_groups_keep_apart_in_a_style_of_large_letters() -> None:
    table = cohort(8, 14)
    table["group"] = np.where(table.index.get_level_values(0) > "w003", "treated", "control")
    with plt.style.context("seaborn-v0_8-talk"):
        figure, axes = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
        el.plot_cohort(table, "steps", kind="groups", by="group", ax=axes[1, 1])
        assert axes[1, 1].get_xlabel() == "Steps\n(per day)"
        assert not collisions(figure)
