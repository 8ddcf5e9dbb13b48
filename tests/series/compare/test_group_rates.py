"""Rates of groups of wearers, with wearers as the units."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eyelog as el

GROUPS = {f"w{i}": "desk" if i < 6 else "field" for i in range(12)}


def days(level: float = 1.5, seed: int = 1) -> pd.DataFrame:
    """Return ten days of twelve wearers; those in the field blink more often."""
    generator = np.random.default_rng(seed)
    rows = []
    for name, group in GROUPS.items():
        rate = 15 * np.exp(generator.normal(0, 0.2)) * (level if group == "field" else 1.0)
        minutes = generator.uniform(200, 700, 10)
        rows.append(
            pd.DataFrame({"account": name, "n": generator.poisson(rate * minutes), "min": minutes})
        )
    return pd.concat(rows, ignore_index=True)


def test_rates_are_sums_over_sums_with_wearers_as_the_units() -> None:
    table = days()
    found = el.compare.group_rates(table, "n", "min", GROUPS)
    sums = table.groupby("account")[["n", "min"]].sum()
    for group in ("desk", "field"):
        mine = sums[sums.index.map(GROUPS) == group]
        rate = mine["n"].sum() / mine["min"].sum()
        e = (mine["n"] - rate * mine["min"]) / (1 - mine["min"] / mine["min"].sum())
        se = np.sqrt(5 / 6 * (e**2).sum()) / mine["min"].sum() / rate
        reach = np.exp(stats.t.ppf(0.975, 5) * se)
        row = found.loc[group]
        assert row["rate"] == pytest.approx(rate)
        assert (row["low"], row["high"]) == pytest.approx((rate / reach, rate * reach))
        assert (row["wearers"], row["days"], row["counted"]) == (6, 60, mine["n"].sum())
    assert found.loc["field", "ratio"] == pytest.approx(
        found.loc["field", "rate"] / found.loc["desk", "rate"]
    )
    assert found.loc["field", "p"] < 0.05
    assert found.loc["desk", ["ratio", "ratio_low", "ratio_high", "p"]].isna().all()


def test_the_order_of_rows_and_days_split_in_two_change_nothing() -> None:
    table = days()
    half = table.assign(n=table["n"] // 2, min=table["min"] / 2)
    rest = table.assign(n=table["n"] - half["n"], min=table["min"] - half["min"])
    split = pd.concat([half, rest]).sample(frac=1, random_state=1)
    found, again = (el.compare.group_rates(t, "n", "min", GROUPS) for t in (table, split))
    columns = ["rate", "low", "high", "ratio", "ratio_low", "ratio_high", "p", "wearers"]
    pd.testing.assert_frame_equal(found[columns], again[columns])
    by_index = el.compare.group_rates(table.set_index("account"), "n", "min", GROUPS)
    pd.testing.assert_frame_equal(found, by_index)


def test_few_wearers_have_less_to_say_and_say_why() -> None:
    table = days()
    four = {name: group for name, group in GROUPS.items() if int(name[1:]) not in (4, 5)}
    found = el.compare.group_rates(table, "n", "min", four)
    assert np.isnan(found.loc["field", "p"])
    assert found.loc["field", "ratio_low"] > 0
    assert "fewer than 5 wearers" in found.loc["field", "reason"]
    two = {"w0": "desk", "w1": "desk", **{f"w{i}": "field" for i in range(6, 12)}}
    found = el.compare.group_rates(table, "n", "min", two)
    assert "fewer than 3 wearers" in found.loc["desk", "reason"]
    assert np.isnan(found.loc["field", "ratio"])
    assert found.loc["field", "low"] > 0


def test_a_group_without_a_count_or_exposure_has_no_interval() -> None:
    table = days()
    none = table.assign(n=np.where(table["account"] < "w6", table["n"], table["n"]))
    none.loc[none["account"].map(GROUPS) == "field", "n"] = 0
    found = el.compare.group_rates(none, "n", "min", GROUPS)
    assert found.loc["field", "rate"] == 0
    assert "count is 0" in found.loc["field", "reason"]
    unworn = table.assign(min=0.0, n=0)
    assert (
        el.compare.group_rates(unworn, "n", "min", GROUPS)["reason"] == "no exposure: no rate"
    ).all()


@pytest.mark.parametrize(
    ("change", "groups", "says"),
    [
        ({}, {"w0": "desk", "w1": "desk"}, "at least two"),
        ({}, {**GROUPS, "w99": "desk"}, "no rows of w99"),
        ({}, [("w0", "desk")], "must map wearers"),
        ({"n": -1}, GROUPS, "must be 0 or more"),
        ({"min": 0.0}, GROUPS, "without any min"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(change, groups, says) -> None:
    with pytest.raises(el.ConfigurationError, match=says):
        el.compare.group_rates(days().assign(**change), "n", "min", groups)
    with pytest.raises(el.FieldError, match="steps"):
        el.compare.group_rates(days(), "steps", "min", GROUPS)
