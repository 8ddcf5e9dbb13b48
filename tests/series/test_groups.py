"""Groups of wearers, held to published and independent numbers."""

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestIndPower

import eyelog as el
from support.laws import examples

FIELD = [7.2, 8.1, 6.9, 9.4, 8.8]


DESK = [5.1, 6.0, 5.5, 7.9, 4.2, 6.6]


def table_of(values, days: int = 1) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a long table of wearers d0, d1, ... (desk) and f0, f1, ... (field)."""
    rows = [(f"{k[0]}{i}", v) for k, vs in values.items() for i, v in enumerate(vs)]
    table = pd.DataFrame(rows * days, columns=["account", "y"])
    return table, {wearer: "desk" if wearer[0] == "d" else "field" for wearer, _ in rows}


def test_welchs_interval_is_that_of_pingouin() -> None:
    # pingouin 0.7: ttest(FIELD, DESK, correction=True): T 3.124276, dof 8.999573, p 0.012235,
    # CI95 [0.61, 3.79]
    found = el.compare.group_difference(*table_of({"desk": DESK, "field": FIELD}), outcome="y")
    assert found.difference == pytest.approx(np.mean(FIELD) - np.mean(DESK))
    assert (round(found.low, 2), round(found.high, 2)) == (0.61, 3.79)
    assert found.p == pytest.approx(0.012235, abs=1e-6)
    assert found.df == pytest.approx(8.999573, abs=1e-6)
    assert (found.first, found.second) == ("desk", "field")
    # scipy 1.17: permutation_test((FIELD, DESK), size of Welch's t), all 462 ways
    exact = stats.permutation_test(
        (FIELD, DESK),
        lambda a, b: abs(stats.ttest_ind(a, b, equal_var=False).statistic) + 1e-9,
        n_resamples=np.inf,
        alternative="greater",
    )
    assert found.p_permutation == pytest.approx(exact.pvalue)


def test_more_days_of_the_same_wearers_add_no_evidence() -> None:
    one = el.compare.group_difference(*table_of({"desk": DESK, "field": FIELD}), outcome="y")
    many = el.compare.group_difference(
        *table_of({"desk": DESK, "field": FIELD}, days=50), outcome="y"
    )
    assert many.low == pytest.approx(one.low)
    assert many.p_permutation == one.p_permutation
    assert (many.wearers_first, many.wearers_second, many.n) == (6, 5, 550)


@given(st.randoms(use_true_random=False), st.floats(0.1, 20), st.floats(-50, 50))
@examples(8)
def test_unit_zero_order_and_names_carry_over(random, scale, shift) -> None:
    table, groups = table_of({"desk": DESK, "field": FIELD}, days=2)
    found = el.compare.group_difference(table, groups, outcome="y")
    order = list(range(len(table)))
    random.shuffle(order)
    assert el.compare.group_difference(table.iloc[order], groups, outcome="y") == found
    moved = el.compare.group_difference(
        table.assign(y=table["y"] * scale + shift), groups, outcome="y"
    )
    assert moved.low == pytest.approx(found.low * scale, rel=1e-6)
    assert moved.p == pytest.approx(found.p, rel=1e-6)
    assert moved.p_permutation == found.p_permutation
    other = {wearer: {"desk": "z", "field": "a"}[label] for wearer, label in groups.items()}
    turned = el.compare.group_difference(table, other, outcome="y")
    assert (turned.difference, turned.high) == (
        pytest.approx(-found.difference),
        pytest.approx(-found.low),
    )


def test_many_wearers_are_dealt_at_random_with_a_seed() -> None:
    generator = np.random.default_rng(6)
    values = {"desk": generator.normal(size=25), "field": generator.normal(0.9, size=25)}
    table, groups = table_of(values)
    one, same, other = (
        el.compare.group_difference(table, groups, outcome="y", seed=s) for s in (1, 1, 2)
    )
    assert one == same
    assert one.p_permutation != other.p_permutation
    assert one.p_permutation == pytest.approx(one.p, abs=0.01)


def test_days_without_the_outcome_are_reported_and_wearers_without_days_may_be_named() -> None:
    tables = {
        f"p{i}": pd.DataFrame(
            {"worn_h": [8.0, 9.0], "y": [float(i), np.nan]},
            index=pd.date_range("2026-10-19", periods=2, tz="UTC", name="day"),
        )
        for i in range(5)
    }
    tables["gone"] = tables["p0"].iloc[:0]
    groups = {"p0": "a", "p1": "a", "p2": "b", "p3": "b", "gone": "b"}
    with pytest.warns(el.EyelogWarning, match="no rows of gone"):
        found = el.compare.group_difference(el.compare.mixed_table(tables), groups, outcome="y")
    assert (found.difference, found.n, found.coverage) == (2.0, 4, 0.5)
    assert found.exposure_h == 32.0
    assert (found.wearers_first, found.wearers_second) == (2, 2)


def test_a_group_that_rests_on_too_little_has_no_interval() -> None:
    table, groups = table_of({"desk": DESK, "field": FIELD[:1]})
    one = el.compare.group_difference(table, groups, outcome="y")
    assert "fewer than two wearers" in one.reason
    assert np.isnan([one.low, one.p, one.p_permutation]).all()
    assert one.difference == pytest.approx(7.2 - np.mean(DESK))
    flat = el.compare.group_difference(
        *table_of({"desk": [1.0, 1.0], "field": [2.0, 2.0]}), outcome="y"
    )
    assert "do not differ" in flat.reason
    assert np.isnan([flat.low, flat.p, flat.p_permutation]).all()
    none = el.compare.group_difference(table.assign(y=np.nan), groups, outcome="y")
    assert np.isnan(none.difference)
    assert none.n == 0


def test_groups_that_cannot_be_compared_are_refused() -> None:
    table, groups = table_of({"desk": DESK, "field": FIELD})
    cases = [
        (groups | {"d0": "third"}, "two groups, not 3"),
        (dict.fromkeys(groups, "one"), "two groups, not 1"),
        ({"nobody": "desk", "noone": "field"}, "no rows of nobody, noone"),
        (["desk"], "must map"),
    ]
    for wrong, says in cases:
        with pytest.raises(el.ConfigurationError, match=says):
            el.compare.group_difference(table, wrong, outcome="y")
    with pytest.raises(el.FieldError, match="x"):
        el.compare.group_difference(table, groups, outcome="x")


def test_two_wearers_in_a_group_have_a_difference_and_no_interval() -> None:
    # Welch's interval of 2 against 10 holds the difference in 90 of 100 cases.
    table, groups = table_of({"desk": DESK[:2], "field": FIELD})
    found = el.compare.group_difference(table, groups, outcome="y")
    assert np.isfinite(found.difference)
    assert found.sd_first == pytest.approx(np.std(DESK[:2], ddof=1))
    assert np.isnan([found.low, found.high, found.p, found.p_permutation]).all()
    assert "fewer than three wearers" in found.reason


def test_fewer_than_five_wearers_in_a_group_have_an_interval_and_no_p() -> None:
    for few in (3, 4):
        table, groups = table_of({"desk": DESK[:few], "field": FIELD})
        found = el.compare.group_difference(table, groups, outcome="y")
        assert found.low < found.difference < found.high
        assert np.isnan([found.p, found.p_permutation]).all()
        assert found.reason == "fewer than 5 wearers in a group: no p"


def test_days_of_wearers_are_covered_as_they_were_recorded() -> None:
    people = {
        f"p{i}": el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=i) for i in range(6)
    }
    table = el.compare.mixed_table(people, outcomes="steps")
    groups = {f"p{i}": "desk" if i < 3 else "field" for i in range(6)}
    found = el.compare.group_difference(table, groups, outcome="steps")
    assert found.coverage == pytest.approx(table["coverage"].mean())
    assert found.exposure_h == pytest.approx(table["exposure_h"].sum())


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


DATES = pd.date_range("2026-10-19", periods=28, name="day")


def study(
    rng: np.random.Generator, wearers: int, days: int, *, between: float = 1.0, phi: float = 0.0
) -> pd.DataFrame:
    """Return days of several wearers, with a variance of 1 within each."""
    noise = rng.normal(size=(wearers, days + 50)) * (1 - phi**2) ** 0.5
    values = scipy.signal.lfilter([1.0], [1.0, -phi], noise)[:, 50:]
    values += between * rng.normal(size=(wearers, 1))
    names = [f"w{number}" for number in range(wearers)]
    index = pd.MultiIndex.from_product([names, DATES[:days]], names=["account", "day"])
    return pd.DataFrame({"rate": values.ravel()}, index=index)


def wearer(values: list[float] | np.ndarray) -> pd.DataFrame:
    dates = pd.date_range("2026-10-19", periods=len(values), name="day")
    return pd.DataFrame({"rate": values}, index=dates)


def test_with_independent_days_the_icc_is_that_of_the_analysis_of_variance() -> None:
    table = study(np.random.default_rng(3), 40, 28)
    k, n = 40, 28
    grid = table["rate"].to_numpy().reshape(k, n)
    between = n * grid.mean(axis=1).var(ddof=1)
    within = grid.var(axis=1, ddof=1).mean()
    icc = (between - within) / (between + (n - 1) * within)
    found = el.compare.reliability(table, "rate", days=n)
    assert found.phi == pytest.approx(0, abs=0.06)  # the estimate differs by what it takes away
    assert found.icc == pytest.approx(icc, abs=0.01)
    assert found.icc_mean == pytest.approx(1 - within / between, abs=0.01)
    assert found.sd_within == pytest.approx(within**0.5, rel=0.02)
    assert (found.wearers, found.n, found.reason) == (k, k * n, "")


def test_the_days_needed_are_those_at_which_the_mean_is_reliable_enough() -> None:
    table = study(np.random.default_rng(4), 20, 14, phi=0.3)
    found = el.compare.reliability(table, "rate")
    for name, goal in (("days_for_70", 0.7), ("days_for_80", 0.8), ("days_for_90", 0.9)):
        days = int(getattr(found, name))
        assert el.compare.reliability(table, "rate", days=days).icc_mean >= goal
        if days > 1:
            assert el.compare.reliability(table, "rate", days=days - 1).icc_mean < goal


def test_days_that_are_alike_make_a_mean_less_certain() -> None:
    rng = np.random.default_rng(5)
    alike, apart = (
        el.compare.reliability(study(rng, 30, 28, phi=phi), "rate") for phi in (0.6, 0.0)
    )
    assert alike.phi > 0.45 > apart.phi
    assert alike.sem_mean > 1.4 * apart.sem_mean
    assert apart.mdc == pytest.approx(1.96 * 2**0.5 * apart.sd_within)
    assert apart.mdc_mean == pytest.approx(1.96 * 2**0.5 * apart.sem_mean)


def test_one_wearer_has_a_detectable_change_and_no_icc() -> None:
    found = el.compare.reliability(wearer(np.random.default_rng(6).normal(15, 2, 28)), "rate")
    assert np.isnan([found.icc, found.icc_mean, found.days_for_80, found.sd_between]).all()
    assert found.reason == "fewer than 5 wearers: no ICC"
    assert found.sd_within == pytest.approx(2, rel=0.25)
    few = el.compare.reliability(wearer([1.0, 2.0, 3.0]), "rate")
    assert np.isnan(few.mdc)
    assert few.reason == "no wearer has 5 days with a value"


def test_days_of_wearers_in_different_zones_are_those_of_their_dates() -> None:
    table = study(np.random.default_rng(7), 6, 14).reset_index()
    parts = {name: rows.set_index("day")[["rate"]] for name, rows in table.groupby("account")}
    zones = dict(zip(parts, ["Asia/Tokyo", "UTC"] * 3, strict=True))
    aware = {name: rows.tz_localize(zones[name]) for name, rows in parts.items()}
    joined = pd.concat(aware, names=["account"])
    expected = el.compare.reliability(pd.concat(parts, names=["account"]), "rate")
    assert el.compare.reliability(joined, "rate") == expected


def test_days_on_both_sides_of_the_date_line_keep_their_own_dates() -> None:
    # A day of Tonga begins at the same instant as one with the date before of Samoa.
    zones = {"w0": "Pacific/Tongatapu", "w1": "Pacific/Pago_Pago"}
    one, dated = wearer(np.random.default_rng(8).normal(15, 2, 14)), {}
    aware = {name: one.tz_localize(zone) for name, zone in zones.items()}
    for name, rows in aware.items():
        # Stamps of several zones in one column stay as they are.
        dated[name] = rows.set_axis(pd.Index(list(rows.index), dtype=object, name="day"))
    joined = pd.concat({name: rows.reset_index() for name, rows in dated.items()})
    joined = joined.rename_axis(["account", None]).reset_index(level="account")
    expected = el.compare.reliability(
        pd.concat(dict.fromkeys(zones, one), names=["account"]), "rate"
    )
    assert el.compare.reliability(joined, "rate") == expected
    same = joined.assign(account="w0")
    with pytest.raises(el.ConfigurationError, match="2026-10-19 occurs twice for w0"):
        el.compare.reliability(same, "rate")


def test_rows_without_a_day_and_days_that_occur_twice_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="one row per day"):
        el.compare.reliability(wearer([1.0] * 9).reset_index(drop=True), "rate")
    with pytest.raises(el.ConfigurationError, match="occurs twice"):
        el.compare.reliability(pd.concat([wearer([1.0] * 9)] * 2), "rate")
    with pytest.raises(el.FieldError, match="'steps'"):
        el.compare.reliability(wearer([1.0] * 9), "steps")
    undated = wearer([1.0] * 9).set_axis(pd.Index([pd.NaT] * 9, name="day"))
    with pytest.raises(el.ConfigurationError, match="the day of a row is missing"):
        el.compare.reliability(undated, "rate")
    for wrong in (range(9), ["x"] * 9):
        numbered = wearer([1.0] * 9).set_axis(pd.Index(wrong, name="day"))
        with pytest.raises(el.ConfigurationError, match="'day' must hold dates"):
            el.compare.reliability(numbered, "rate")


def test_the_power_of_two_groups_is_that_of_statsmodels() -> None:
    table = study(np.random.default_rng(7), 20, 14)
    pilot = el.compare.reliability(table, "rate", days=14)
    sd = np.hypot(pilot.sd_between, pilot.sem_mean)
    found = el.compare.power(table, "rate", change=0.8)
    for wearers, row in found.iterrows():
        expected = TTestIndPower().power(0.8 / sd, int(wearers), 0.05)
        assert row["power"] == pytest.approx(1.0 if np.isnan(expected) else expected, abs=1e-6)


def test_more_days_of_one_wearer_find_a_change_more_often() -> None:
    pilot = wearer(np.random.default_rng(8).normal(15, 2, 28))
    found = el.compare.power(pilot, "rate", change=2.0, days=[7, 28], draws=100)
    assert found.index.tolist() == [7, 28]
    assert found.loc[7, "power"] < found.loc[28, "power"]
    assert found["power"].between(found["low"], found["high"]).all()
    again = el.compare.power(pilot, "rate", change=2.0, days=[7, 28], draws=100)
    pd.testing.assert_frame_equal(found, again)


def test_without_a_change_to_find_or_a_pilot_there_is_no_power() -> None:
    pilot = wearer(np.random.default_rng(8).normal(15, 2, 9))
    with pytest.raises(el.ConfigurationError, match="a number other than 0"):
        el.compare.power(pilot, "rate", change=0)
    with pytest.raises(el.ConfigurationError, match="9 of at least 10 days"):
        el.compare.power(pilot, "rate", change=1)
    few = study(np.random.default_rng(8), 3, 9)
    with pytest.raises(el.ConfigurationError, match="fewer than 5 wearers"):
        el.compare.power(few, "rate", change=1)


def test_each_choice_of_limits_has_a_row_with_how_far_the_result_moves() -> None:
    frame = el.sample()
    choices = [el.Limits(), el.Limits(wear="blinks"), el.Limits(max_noise="1s")]
    found = el.compare.sensitivity(frame, el.blinks.rate, limits=choices)
    assert found.index.tolist() == [repr(choice) for choice in choices]
    rates = [el.blinks.rate(frame, limits=choice)["rate_per_min"].iloc[0] for choice in choices]
    assert found["rate_per_min"].tolist() == pytest.approx(rates)
    assert found["rate_per_min_moved"].tolist() == pytest.approx(np.subtract(rates, rates[0]))


def test_a_function_of_ones_own_is_asked_too() -> None:
    def slope(frame: pd.DataFrame, *, limits: el.Limits) -> el.baseline.Trend:
        return el.baseline.trend(el.daily(frame, limits=limits), "steps")

    found = el.compare.sensitivity(el.sample(), slope)
    assert len(found) == 5
    assert {"slope", "slope_moved", "tau"} <= set(found.columns)


def test_what_cannot_be_asked_under_limits_is_refused() -> None:
    frame = el.sample()
    with pytest.raises(el.ConfigurationError, match="two or more"):
        el.compare.sensitivity(frame, el.daily, limits=[el.Limits()])
    with pytest.raises(el.ConfigurationError, match="not what it returned"):
        el.compare.sensitivity(frame, el.daily(frame))
    with pytest.raises(el.ConfigurationError, match="limits="):
        el.compare.sensitivity(frame, len)


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.parametrize("phi", [0.0, 0.3, 0.5])
def test_the_interval_of_the_icc_holds_the_planted_one_about_95_times_in_100(phi: float) -> None:
    rng = np.random.default_rng(9)
    hits = []
    for _ in range(150):
        found = el.compare.reliability(study(rng, 10, 14, phi=phi), "rate")
        hits.append(found.icc_low <= 0.5 <= found.icc_high)
    assert np.mean(hits) == pytest.approx(0.95, abs=0.04)
