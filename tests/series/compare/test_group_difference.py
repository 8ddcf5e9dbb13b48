"""Groups of wearers and ratios of rates, held to published and independent numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import eyelog as el

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
@settings(max_examples=20, deadline=None)
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


def test_accounts_in_the_index_or_in_a_column_give_the_same_difference() -> None:
    table, groups = table_of({"desk": DESK, "field": FIELD}, days=2)
    indexed = table.assign(day=1).set_index(["account", "day"])
    found = el.compare.group_difference(indexed, groups, outcome="y")
    assert found == el.compare.group_difference(table, groups, outcome="y")


def rates(n, minutes) -> pd.DataFrame:
    return pd.DataFrame({"n": [n], "exposure_min": [float(minutes)]})


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


@pytest.mark.slow("a level is a frequency: it needs many seeds")
def test_groups_that_spread_differently_are_not_called_different_for_that() -> None:
    generator = np.random.default_rng(11)
    found = []
    for _ in range(200):
        sides = {"desk": generator.normal(size=16), "field": generator.normal(0, 3, 8)}
        table, groups = table_of(sides)
        found.append(
            el.compare.group_difference(table, groups, outcome="y", draws=500).p_permutation < 0.05
        )
    assert np.mean(found) < 0.12  # a permutation of the plain means: .27


def test_days_of_wearers_are_covered_as_they_were_recorded() -> None:
    people = {
        f"p{i}": el.simulate("2026-10-19", 2, log="standard_mode_logs", seed=i) for i in range(6)
    }
    table = el.compare.mixed_table(people, outcomes="steps")
    groups = {f"p{i}": "desk" if i < 3 else "field" for i in range(6)}
    found = el.compare.group_difference(table, groups, outcome="steps")
    assert found.coverage == pytest.approx(table["coverage"].mean())
    assert found.exposure_h == pytest.approx(table["exposure_h"].sum())
