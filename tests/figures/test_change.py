"""Before and after, or two conditions or groups: what is paired, and the difference beside."""

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

import eyelog as el
from support.drawn import artists, legend_of, note_of, one, points, title_of

RATE = "blink_rate_per_min"
AT = "2026-10-12"
THIN = "thin: under 4 h worn, not counted"


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


def value_of(made: np.ndarray) -> float:
    (name,) = (one for one in made[1].get_legend_handles_labels()[1] if "interval" not in one)
    return points(made[1], name)[0][1]


def ends_of(made: np.ndarray) -> list[float]:
    (segment,) = one(made[1], "its 95 % interval").get_segments()
    return segment[:, 1].tolist()


def pairs_of(ax: Axes) -> list[list[float]]:
    lines = [line for pairs in artists(ax, "same") for line in pairs.get_segments()]
    return [line[:, 1].tolist() for line in lines]


def test_the_difference_and_its_interval_are_those_of_two_periods_of_days_that_count() -> None:
    table = days()
    counted = table[table["worn_h"] >= 4][RATE]
    result = el.compare.two_periods(counted[:AT].iloc[:-1], counted[AT:])
    made = el.plot_change(table, RATE, at=AT)
    assert value_of(made) == pytest.approx(result.difference)
    assert ends_of(made) == pytest.approx([result.low, result.high])
    said = note_of(made[0])
    assert said.startswith(f"Difference \N{MINUS SIGN}{-result.difference:.1f} per min (95 % inter")
    assert "of this wearer)" in said
    # 0 of the difference is at the mean before, on an axis of the same scale.
    mean = counted[:AT].iloc[:-1].mean()
    ends = np.array(made[0].get_ylim()) - np.array(made[1].get_ylim())
    assert ends == pytest.approx([mean, mean])


def test_the_same_weekdays_are_pairs_and_a_thin_side_is_hollow_and_makes_a_dotted_pair() -> None:
    table = days()
    ax = el.plot_change(table, RATE, at=AT)[0]
    assert pairs_of(ax) == [table[RATE].iloc[[i, i + 14]].tolist() for i in range(14)]
    dashed = [bool(dashes[1]) for dashes in one(ax, "same weekday").get_linestyle()]
    assert [place for place, of in enumerate(dashed) if of] == [1, 12]
    assert [place[1] for place in points(ax, THIN)] == [table[RATE].iloc[1]]
    assert one(ax, THIN).get_facecolors()[0].tolist() == [1, 1, 1, 1]
    assert "12 of 14 pairs count" in note_of(ax)


@pytest.mark.parametrize(("before", "after", "pairs"), [(10, 14, 10), (14, 10, 10), (3, 20, 3)])
def test_each_day_of_the_shorter_period_has_its_weekday_in_the_longer(
    before: int, after: int, pairs: int
) -> None:
    table = days(60).iloc[30 - before : 30 + after]
    assert len(pairs_of(el.plot_change(table, RATE, at=AT)[0])) == pairs


def test_a_result_at_hand_is_drawn_and_decides_which_days_counted() -> None:
    table = days()
    every = el.compare.two_periods(table[RATE].iloc[:14], table[RATE].iloc[14:])
    made = el.plot_change(table, RATE, at=AT, result=every)
    assert value_of(made) == every.difference
    assert THIN not in legend_of(made[0])


def test_a_result_of_another_table_split_or_column_is_refused() -> None:
    table = days().assign(worn_h=12.0, steps=1.0)
    fewer = el.compare.two_periods(table[RATE].iloc[:10], table[RATE].iloc[14:])
    split = el.compare.two_periods(table[RATE].iloc[:10], table[RATE].iloc[10:])
    column = el.compare.two_periods(table["steps"].iloc[:14], table["steps"].iloc[14:])
    for other in (fewer, split, column):
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
    for column, term in (("other", "late"), (RATE, "odd")):
        fit = el.compare.fit_mixed(table, column, predictors=term)
        with pytest.raises(el.ConfigurationError, match="of other values than these"):
            el.plot_change(table, RATE, at=AT, result=fit)
    own = el.compare.fit_mixed(table, RATE, predictors="late")
    made = el.plot_change(table, RATE, at=AT, result=own)
    assert value_of(made) == pytest.approx(own.loc["late", "estimate"])


def test_a_difference_that_is_not_that_of_the_means_says_what_it_is() -> None:
    table = days().assign(worn_h=12.0)
    table.iloc[-1, table.columns.get_loc(RATE)] += 14.0  # one day that moves the mean alone
    made = el.plot_change(table, RATE, at=AT)
    means = [float(text.get_text()) for text in made[0].texts]
    apart = table[RATE][len(table) // 2 :].mean() - table[RATE][: len(table) // 2].mean()
    assert means[1] - means[0] == pytest.approx(apart, abs=0.11)
    facts = note_of(made[0]).replace("\N{MINUS SIGN}", "-")
    assert "It is the median of the differences of every two days, one of each" in facts
    assert f"the means differ by {apart:.1f}" in facts
    assert "Hodges-Lehmann difference" in legend_of(made[0])


def test_few_days_have_no_interval_and_the_reason_and_alike_ones_are_worth_fewer() -> None:
    made = el.plot_change(days().iloc[11:17].assign(worn_h=12.0), RATE, at=AT)
    assert "its 95 % interval" not in legend_of(made[0])
    assert "without an interval" in note_of(made[0])
    assert "cannot reach the level" in note_of(made[0])
    table = days()
    table[RATE] = table[RATE].rolling(4, min_periods=1).mean()
    alike = note_of(el.plot_change(table, RATE, at=AT)[0])
    assert "as neighbouring days are alike (phi 0." in alike


def test_two_conditions_of_a_wearer_have_the_difference_of_their_days_and_no_pairs() -> None:
    table = days().assign(worn_h=12.0, place=["office", "home"] * 14)
    made = el.plot_change(table, RATE, by="place")
    home, office = (table[RATE][table["place"] == place] for place in ("home", "office"))
    assert value_of(made) == pytest.approx(el.compare.two_periods(home, office).difference)
    assert pairs_of(made[0]) == []
    names = [tick.get_text() for tick in made[0].get_xticklabels()]
    assert names == ["home\n14 days", "office\n14 days"]


def test_many_wearers_before_and_after_have_the_interval_of_a_mixed_model() -> None:
    table = cohort()
    full = table[table["worn_h"] >= 4].reset_index()
    after = full.assign(after=(full["day"] >= AT) * 1.0)
    fit = el.compare.fit_mixed(after, RATE, predictors="after").loc["after"]
    made = el.plot_change(table, RATE, at=AT)
    assert value_of(made) == pytest.approx(fit["estimate"])
    assert ends_of(made) == pytest.approx([fit["low"], fit["high"]])
    means = full[full["day"] < AT].groupby("account")[RATE].mean()
    assert [place[1] for place in points(made[0], "before")] == pytest.approx(means.tolist())
    assert len(pairs_of(made[0])) == 12
    assert "between wearers)" in note_of(made[0])
    one_of_them = el.plot_change(table, RATE, at=AT, account="w003")
    assert value_of(one_of_them) == value_of(el.plot_change(table.loc["w003"], RATE, at=AT))
    assert title_of(one_of_them[0]) == "w003 · Blink rate · before and after 12 Oct 2026"


def test_groups_of_wearers_have_the_interval_of_their_means() -> None:
    table = cohort()
    full = table[table["worn_h"] >= 4]
    groups = full["group"].groupby(level="account").first().to_dict()
    result = el.compare.group_difference(full, groups, outcome=RATE)
    made = el.plot_change(table, RATE, by="group")
    assert ends_of(made) == pytest.approx([result.low, result.high])
    assert pairs_of(made[0]) == []
    again = el.plot_change(table, RATE, by="group", result=result)
    assert value_of(again) == value_of(made)


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
        ({"at": ""}, "must be a date such as 2026-10-12, not ''"),
        ({"at": pd.NaT}, "must be a date such as 2026-10-12, not NaT"),
        ({"at": "2027-01-01"}, "no value from that day on"),
        ({"by": "worn_h"}, "compares two conditions, and 'worn_h' has 27"),
        ({"at": AT, "account": "w1"}, "this table has no 'account'"),
        ({"at": AT, "result": 3.1}, "must be of eyelog.compare.two_periods"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments: dict, words: str) -> None:
    with pytest.raises(el.ConfigurationError, match=words):
        el.plot_change(days(), RATE, **arguments)


def test_the_rows_of_one_wearer_say_their_day() -> None:
    rows = days().reset_index(drop=True).assign(account="w1")
    with pytest.raises(el.ConfigurationError, match="needs the day of each row"):
        el.plot_change(rows, RATE, by="weekend", account="w1")


def test_a_period_of_thin_days_alone_is_refused() -> None:
    table = days()
    table.iloc[:14, 0] = 1.0
    with pytest.raises(el.ConfigurationError, match="no day before that day was worn for 4 hours"):
        el.plot_change(table, RATE, at=AT)
