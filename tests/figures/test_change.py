"""Before and after, or two conditions: pairs, and the difference with its interval beside."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import eyelog as el
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.drawn import artists, legend_of, one, points, set_width, title_of

RATE = "blink_rate_per_min"
AT = "2026-10-12"


def days(n: int = 28, *, drop: float = 3.0, seed: int = 3) -> pd.DataFrame:
    """Return days of a wearer whose blink rate is lower in the second half; two days are thin."""
    noise = np.random.default_rng(seed).normal(0, 1, (2, n))
    first = pd.Timestamp(AT) - pd.Timedelta(days=n // 2)
    table = pd.DataFrame(
        {"worn_h": 12 + 0.2 * noise[0], RATE: 15.6 + noise[1]},
        index=pd.date_range(first, periods=n, name="day"),
    )
    table.iloc[n // 2 :, 1] -= drop
    table.iloc[1, 0] = table.iloc[-2, 0] = 2.0
    return table


def cohort(wearers: int = 12) -> pd.DataFrame:
    draw = np.random.default_rng(1)
    return pd.concat(
        {
            f"w{i:03}": days(seed=i).assign(
                **{RATE: lambda of: of[RATE] + draw.normal(0, 2) + draw.normal(0, 1, len(of))},
                group="desk" if i % 2 else "field",
            )
            for i in range(wearers)
        },
        names=["account"],
    )


def note_of(ax: Axes) -> list[str]:
    """Return what is written above the legend: the difference, and what it is based on."""
    result, _, facts = ax.figure.legends[0].get_title().get_text().partition("\n")
    return [result, facts.replace("\n", " ")]


def value_of(made: np.ndarray) -> float:
    return points(made[1], "difference")[0][1]


def ends_of(made: np.ndarray) -> list[float]:
    (segment,) = one(made[1], "interval").get_segments()
    return segment[:, 1].tolist()


def test_the_difference_and_its_interval_are_those_of_two_periods_of_days_that_count() -> None:
    table = days()
    counted = table[table["worn_h"] >= 4][RATE]
    result = el.compare.two_periods(counted[:AT].iloc[:-1], counted[AT:])
    made = el.plot_change(table, RATE, at=AT)
    assert value_of(made) == pytest.approx(result.difference)
    assert ends_of(made) == pytest.approx([result.low, result.high])
    said = note_of(made[0])[0]
    assert said.startswith(f"Difference \N{MINUS SIGN}{-result.difference:.1f} per min (95 % inter")
    assert said.endswith("of this wearer)")


def test_zero_of_the_difference_stands_at_the_mean_before_on_an_axis_of_the_same_scale() -> None:
    table = days()
    values, difference = el.plot_change(table, RATE, at=AT)
    before = table[: pd.Timestamp(AT) - pd.Timedelta(days=1)]
    mean = before[RATE][before["worn_h"] >= 4].mean()
    ends = np.array(values.get_ylim()) - np.array(difference.get_ylim())
    assert ends == pytest.approx([mean, mean])


def test_the_same_weekdays_are_pairs_and_a_thin_side_makes_a_dotted_pair() -> None:
    table = days()
    ax = el.plot_change(table, RATE, at=AT)[0]
    pairs = artists(ax, "pairs")
    assert [line.get_ydata().tolist() for line in pairs] == [
        table[RATE].iloc[[i, i + 14]].tolist() for i in range(14)
    ]
    assert [line.get_linestyle() for line in pairs] == [
        ":" if i in (1, 12) else "-" for i in range(14)
    ]


@pytest.mark.parametrize(("before", "after", "pairs"), [(10, 14, 10), (14, 10, 10), (3, 20, 3)])
def test_each_day_of_the_shorter_period_has_its_weekday_in_the_longer(
    before: int, after: int, pairs: int
) -> None:
    table = days(60)
    ax = el.plot_change(table.iloc[30 - before : 30 + after], RATE, at=AT)[0]
    assert len(artists(ax, "pairs")) == pairs


def test_thin_days_are_hollow_and_said_not_to_count() -> None:
    table = days()
    ax = el.plot_change(table, RATE, at=AT)[0]
    assert [place[1] for place in points(ax, "thin before")] == [table[RATE].iloc[1]]
    assert [place[1] for place in points(ax, "thin after")] == [table[RATE].iloc[-2]]
    assert one(ax, "thin after").get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert "thin: under 4 h worn, not counted" in legend_of(ax)
    assert "12 of 14 pairs count" in note_of(ax)[1]


def test_a_result_at_hand_is_drawn_and_decides_which_days_counted() -> None:
    table = days()
    every = el.compare.two_periods(table[RATE].iloc[:14], table[RATE].iloc[14:])
    made = el.plot_change(table, RATE, at=AT, result=every)
    assert value_of(made) == every.difference
    assert not artists(made[0], "thin before")


def test_a_result_of_another_table_is_refused_with_both_numbers() -> None:
    table = days()
    other = el.compare.two_periods(table[RATE].iloc[:10], table[RATE].iloc[14:])
    with pytest.raises(el.ConfigurationError, match=r"10 and 14 days.* have 1\d and 1\d days"):
        el.plot_change(table, RATE, at=AT, result=other)


def test_a_result_of_another_split_or_column_with_as_many_days_is_refused() -> None:
    table = days().assign(worn_h=12.0, steps=1.0)
    split = el.compare.two_periods(table[RATE].iloc[:10], table[RATE].iloc[10:])
    column = el.compare.two_periods(table["steps"].iloc[:14], table["steps"].iloc[14:])
    for other in (split, column):
        with pytest.raises(el.ConfigurationError, match="of other values than these"):
            el.plot_change(table, RATE, at=AT, result=other)


def test_a_model_of_another_column_or_split_with_as_many_days_is_refused() -> None:
    draw = np.random.default_rng(3)
    table = pd.concat(
        {f"w{i}": days(seed=i).assign(worn_h=12.0, other=draw.normal(5, 1, 28)) for i in range(8)},
        names=["account", "day"],
    )
    late = table.index.get_level_values("day") >= pd.Timestamp(AT)
    table["late"], table["odd"] = late * 1.0, np.arange(len(table)) % 2 * 1.0
    fits = [
        el.compare.fit_mixed(table, column, predictors=term)
        for column, term in (("other", "late"), (RATE, "odd"))
    ]
    for fit in fits:
        with pytest.raises(el.ConfigurationError, match="of other values than these"):
            el.plot_change(table, RATE, at=AT, result=fit)
    own = el.compare.fit_mixed(table, RATE, predictors="late")
    made = el.plot_change(table, RATE, at=AT, result=own)
    assert value_of(made) == pytest.approx(own.loc["late", "estimate"])


def test_a_difference_that_is_not_that_of_the_means_says_what_it_is() -> None:
    table = days().assign(worn_h=12.0)
    table.iloc[-1, table.columns.get_loc(RATE)] += 14.0  # one day that moves the mean alone
    result = el.compare.two_periods(table[RATE][: len(table) // 2], table[RATE][len(table) // 2 :])
    made = el.plot_change(table, RATE, at=AT)
    means = [float(text.get_text()) for text in made[0].texts]
    apart = table[RATE][len(table) // 2 :].mean() - table[RATE][: len(table) // 2].mean()
    assert means[1] - means[0] == pytest.approx(apart, abs=0.11)
    facts = note_of(made[0])[1].replace("\N{MINUS SIGN}", "-")
    assert facts.startswith("It is the median of the differences of every two days, one of each")
    assert f"the means differ by {apart:.1f}" in facts
    assert one(made[1], "difference").get_offsets()[0, 1] == pytest.approx(result.difference)
    assert "Hodges-Lehmann difference with 95 % interval" in legend_of(made[0])


def test_few_days_have_a_difference_without_an_interval_and_the_reason() -> None:
    made = el.plot_change(days().iloc[11:17].assign(worn_h=12.0), RATE, at=AT)
    assert not artists(made[1], "interval")
    result, facts = note_of(made[0])
    assert result.endswith("without an interval")
    assert "cannot reach the level" in facts


def test_alike_days_are_said_to_be_worth_fewer() -> None:
    table = days()
    table[RATE] = table[RATE].rolling(4, min_periods=1).mean()
    assert (
        "as neighbouring days are alike (phi 0."
        in note_of(el.plot_change(table, RATE, at=AT)[0])[1]
    )


def test_two_conditions_of_a_wearer_have_the_difference_of_their_days_and_no_pairs() -> None:
    table = days().assign(worn_h=12.0, place=["office", "home"] * 14)
    made = el.plot_change(table, RATE, by="place")
    home, office = (table[RATE][table["place"] == place] for place in ("home", "office"))
    assert value_of(made) == pytest.approx(el.compare.two_periods(home, office).difference)
    assert artists(made[0], "pairs") == []
    assert [tick.get_text() for tick in made[0].get_xticklabels()] == [
        "home\n14 days",
        "office\n14 days",
    ]


def test_many_wearers_before_and_after_have_the_interval_of_a_mixed_model() -> None:
    table = cohort()
    full = table[table["worn_h"] >= 4].reset_index()
    fit = el.compare.fit_mixed(
        full.assign(after=(full["day"] >= AT) * 1.0), RATE, predictors="after"
    ).loc["after"]
    made = el.plot_change(table, RATE, at=AT)
    assert value_of(made) == pytest.approx(fit["estimate"])
    assert ends_of(made) == pytest.approx([fit["low"], fit["high"]])
    means = full[full["day"] < AT].groupby("account")[RATE].mean()
    assert [place[1] for place in points(made[0], "before")] == pytest.approx(means.tolist())
    assert len(artists(made[0], "pairs")) == 12
    assert note_of(made[0])[0].endswith("between wearers)")


def test_groups_of_wearers_have_the_interval_of_their_means() -> None:
    table = cohort()
    full = table[table["worn_h"] >= 4]
    groups = full["group"].groupby(level="account").first().to_dict()
    result = el.compare.group_difference(full, groups, outcome=RATE)
    made = el.plot_change(table, RATE, by="group")
    assert ends_of(made) == pytest.approx([result.low, result.high])
    assert artists(made[0], "pairs") == []
    again = el.plot_change(table, RATE, by="group", result=result)
    assert value_of(again) == value_of(made)


def test_one_wearer_of_many_is_drawn_by_days() -> None:
    table = cohort()
    made = el.plot_change(table, RATE, at=AT, account="w003")
    alone = el.plot_change(table.loc["w003"], RATE, at=AT)
    assert value_of(made) == value_of(alone)
    assert title_of(made[0]) == "w003 · Blink rate · before and after 12 Oct 2026"


def test_equal_values_stand_side_by_side() -> None:
    table = days().assign(**{RATE: 15.0, "worn_h": 12.0})
    table.iloc[20:, 1] = 12.0
    across = [place[0] for place in points(el.plot_change(table, RATE, at=AT)[0], "before")]
    assert len(set(across)) == 14
    assert max(map(abs, across)) < 0.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "either at=.*or by="),
        ({"at": AT, "by": "worn_h"}, "either at=.*or by="),
        ({"at": "soon"}, "must be a date such as 2026-10-12, not 'soon'"),
        ({"at": "2027-01-01"}, "no value from that day on"),
        ({"by": "worn_h"}, "compares two conditions, and 'worn_h' has 27"),
        ({"at": AT, "account": "w1"}, "this table has no 'account'"),
        ({"at": AT, "result": 3.1}, "must be of eyelog.compare.two_periods"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments: dict, words: str) -> None:
    with pytest.raises(el.ConfigurationError, match=words):
        el.plot_change(days(), RATE, **arguments)


def test_a_period_of_thin_days_alone_is_refused() -> None:
    table = days()
    table.iloc[:14, 0] = 1.0
    with pytest.raises(el.ConfigurationError, match="no day before that day was worn for 4 hours"):
        el.plot_change(table, RATE, at=AT)


@pytest.mark.slow("a figure is drawn at each width")
@pytest.mark.filterwarnings("ignore:no installed font")
@pytest.mark.parametrize("width_mm", [89, 183])
@pytest.mark.parametrize("drop", [3.0, 0.02])
@pytest.mark.parametrize("kind", ["days", "years", "wearers", "names"])
def test_no_texts_touch(kind: str, drop: float, width_mm: float, tmp_path: Path) -> None:
    if kind == "wearers":
        made = el.plot_change(cohort(100), RATE, by="group")
    elif kind == "names":
        names = ["新しい眼鏡をかけて仕事をした日", "the days without any new lenses"]
        made = el.plot_change(days(drop=drop).assign(lenses=names * 14), RATE, by="lenses")
    else:
        n = 28 if kind == "days" else 400
        made = el.plot_change(days(n, drop=drop), RATE, at=AT)
    figure = made[0].figure
    set_width(figure, width_mm)
    figure.savefig(tmp_path / "change.png")
    for ax in made:
        labels = [tick.get_window_extent() for tick in ax.get_xticklabels()]
        assert all(a.x1 < b.x0 for a, b in pairwise(labels))
    numbers = [text.get_window_extent() for text in made[0].texts]
    dots = np.concatenate(
        [
            artist.get_offsets()
            for artist in made[0].collections
            if "_pairs" not in artist.get_label() and len(artist.get_offsets())
        ]
    )
    places = made[0].transData.transform(dots)
    assert not any(box.count_contains(places) for box in numbers)
    (legend,) = figure.legends
    note = legend.get_window_extent()
    assert note.x1 <= figure.bbox.x1
    assert note.y1 <= min(label.get_window_extent().y0 for label in made[0].get_xticklabels())


def test_it_looks_as_stored(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    draw = np.random.default_rng(1)
    days = pd.DataFrame(
        {"worn_h": 10.0, "steps": draw.gamma(9, 800, 28)},
        index=pd.date_range("2026-09-21", periods=28, name="day"),
    )
    assert_looks_as_stored(el.plot_change(days, "steps", at="2026-10-05")[0], "change", tmp_path)
