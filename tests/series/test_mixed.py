"""Many wearers: the long table, its laws, and the mixed model on it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal
from scipy import stats

import eyelog as el
from support.cohort_days import cohort_days
from support.frames import EYES, MINUTES
from support.laws import examples


def days(values, *, start: str = "2026-10-19", tz: str = "UTC", hours=None) -> pd.DataFrame:
    index = pd.date_range(start, periods=len(values), freq="D", tz=tz, name="day")
    hours = np.full(len(values), 10.0) if hours is None else hours
    return pd.DataFrame({"worn_h": hours, "score": np.asarray(values, dtype=float)}, index=index)


def test_the_table_has_mean_deviation_and_offset_for_each_person_and_day() -> None:
    people = {"bob": days([1, 2, 6]), "ann": days([4, np.nan], hours=[np.e, 0.0], tz="Asia/Tokyo")}
    table = el.compare.mixed_table(people)
    assert list(table.columns) == [
        "account",
        "day",
        "exposure_h",
        "log_exposure_h",
        "score",
        "score_wearer_mean",
        "score_within",
    ]
    assert table["account"].tolist() == ["ann", "ann", "bob", "bob", "bob"]
    assert table["day"].dt.strftime("%d").tolist() == ["19", "20", "19", "20", "21"]
    assert table["score_wearer_mean"].tolist() == [4, 4, 3, 3, 3]
    assert table["score_within"].iloc[2:].tolist() == [-2, -1, 3]
    assert table["log_exposure_h"].iloc[0] == 1.0
    assert table[["log_exposure_h", "score", "score_within"]].iloc[1].isna().all()


def test_frames_and_daily_tables_of_them_give_the_same_table() -> None:
    frames = {f"p{i}": el.simulate("2026-10-19", 2, log=MINUTES, seed=i) for i in range(3)}
    table = el.compare.mixed_table(frames)
    pd.testing.assert_frame_equal(
        el.compare.mixed_table({p: el.daily(f) for p, f in frames.items()}), table
    )
    backwards = dict(reversed(frames.items()))
    pd.testing.assert_frame_equal(el.compare.mixed_table(backwards), table)
    assert "steps" in table
    assert "blink_n" not in table
    assert "blink_rate_low" not in table
    assert (
        table["exposure_h"].tolist() == pd.concat(map(el.daily, frames.values()))["worn_h"].tolist()
    )


def test_the_exposure_can_be_one_in_minutes() -> None:
    people = {"a": el.simulate("2026-10-19", 2, seed=1)}
    table = el.compare.mixed_table(
        people, outcomes="blink_rate_per_min", exposure="blink_exposure_min"
    )
    assert table["exposure_h"].tolist() == pytest.approx(
        (el.daily(people["a"])["blink_exposure_min"] / 60).tolist()
    )
    assert [c for c in table if c.startswith("blink")] == [
        "blink_rate_per_min",
        "blink_rate_per_min_wearer_mean",
        "blink_rate_per_min_within",
    ]


def test_the_logs_never_meet_in_one_table() -> None:
    eyes, minutes = el.sample().iloc[:900], el.sample(MINUTES).iloc[:900]
    with pytest.raises(el.MixedLogsError):
        el.compare.mixed_table({"a": eyes, "b": minutes})
    with pytest.raises(el.MixedLogsError, match="'a'"):
        el.compare.mixed_table({"a": pd.concat([eyes, minutes])})


def test_wearers_without_days_have_no_row_and_bad_input_is_refused() -> None:
    table = el.compare.mixed_table({"a": days([1, 2]), "b": days([])})
    assert set(table["account"]) == {"a"}
    cases = [
        (lambda: el.compare.mixed_table({}), el.ConfigurationError, "mapping"),
        (lambda: el.compare.mixed_table([days([1])]), el.ConfigurationError, "mapping"),
        (lambda: el.compare.mixed_table({"a": 3}), el.ConfigurationError, "'a'"),
        (
            lambda: el.compare.mixed_table({1: days([1]), "1": days([2])}),
            el.ConfigurationError,
            "same name",
        ),
        (lambda: el.compare.mixed_table({"a": days([1])}, outcomes="none"), el.FieldError, "none"),
        (
            lambda: el.compare.mixed_table({"a": days([1])}, outcomes=[]),
            el.FieldError,
            "an outcome",
        ),
        (lambda: el.compare.mixed_table({"a": days([1])}, exposure="x"), el.FieldError, "'x'"),
    ]
    for call, error, says in cases:
        with pytest.raises(error, match=says):
            call()


values = st.lists(st.floats(-100, 100).map(lambda v: round(v, 2)), min_size=1, max_size=8)


@given(st.dictionaries(st.sampled_from("abcdef"), values, min_size=1))
@examples(30)
def test_deviations_add_up_to_nothing_within_each_wearer(people) -> None:
    table = el.compare.mixed_table({wearer: days(each) for wearer, each in people.items()})
    assert table.groupby("account")["score_within"].sum().abs().max() < 1e-9
    np.testing.assert_allclose(table["score_wearer_mean"] + table["score_within"], table["score"])


def test_a_15_second_frame_works_as_well() -> None:
    table = el.compare.mixed_table(
        {"a": el.simulate("2026-10-19", 1, log=EYES, seed=2)}, outcomes="steps"
    )
    assert len(table) == 1
    assert table["steps_within"].tolist() == [0.0]


def test_the_table_of_a_cohort_is_taken_as_it_is() -> None:
    people = {
        f"p{i}": el.simulate("2026-10-19", 3, log="standard_mode_logs", seed=i) for i in range(3)
    }
    single = el.compare.mixed_table(people)
    days = {wearer: el.daily(frame) for wearer, frame in people.items()}
    cohort = pd.concat(days, names=["account"])
    cohort["group"] = ["a"] * 6 + ["b"] * 3
    cohort["age"] = np.repeat([30.0, 40.0, 50.0], 3)
    table = el.compare.mixed_table(cohort, covariates=["group", "age"])
    assert_frame_equal(table[single.columns], single)
    assert list(table.columns[-2:]) == ["group", "age"]
    assert table["group"].tolist() == ["a"] * 6 + ["b"] * 3
    fit = el.compare.fit_mixed(table, "steps", predictors="group")
    assert fit.loc["group[b]", "wearers"] == 3
    for other in (cohort.reset_index(), cohort.reset_index("account")):
        assert_frame_equal(el.compare.mixed_table(other, covariates=["group", "age"]), table)
    asked = el.compare.mixed_table(cohort, outcomes="steps", covariates="age")
    assert list(asked.columns[-4:]) == ["steps", "steps_wearer_mean", "steps_within", "age"]
    with pytest.raises(el.FieldError, match="shoe as a covariate"):
        el.compare.mixed_table(cohort, covariates="shoe")
    usual = el.compare.mixed_table(cohort.assign(site=np.arange(9), mood=np.arange(9.0)))
    assert list(usual.columns[-2:]) == ["group", "site"]
    assert {"mood_within", "age_within"} <= set(usual.columns)


# Distance (mm) at 8, 10, 12 and 14 years of 16 boys and 11 girls (Potthoff & Roy 1964).
ORTHODONT = """26 25 29 31; 21.5 22.5 23 26.5; 23 22.5 24 27.5; 25.5 27.5 26.5 27; 20 23.5 22.5 26;
24.5 25.5 27 28.5; 22 22 24.5 26.5; 24 21.5 24.5 25.5; 23 20.5 31 26; 27.5 28 31 31.5;
23 23 23.5 25; 21.5 23.5 24 28; 17 24.5 26 29.5; 22.5 25.5 25.5 26; 23 24.5 26 30;
22 21.5 23.5 25; 21 20 21.5 23; 21 21.5 24 25.5; 20.5 24 24.5 26; 23.5 24.5 25 26.5;
21.5 23 22.5 23.5; 20 21 21 22.5; 21.5 22.5 23 25; 23 23 23.5 24; 20 21 22 21.5;
16.5 19 19 19.5; 24.5 25 28 28"""


@pytest.fixture
def orthodont() -> pd.DataFrame:
    rows = [
        (f"c{child:02}", "boy" if child < 16 else "girl", age, float(distance))
        for child, line in enumerate(ORTHODONT.split(";"))
        for age, distance in zip((8, 10, 12, 14), line.split(), strict=True)
    ]
    return pd.DataFrame(rows, columns=["account", "sex", "age", "distance"])


def test_the_growth_of_27_children_is_fitted_as_published(orthodont) -> None:
    # Pinheiro & Bates 2000, section 1.4.1; R 4: lme(distance ~ age, random = ~ 1 | Subject):
    # 16.76111, 0.66019, SDs 2.114724 and 1.431592
    fit = el.compare.fit_mixed(orthodont, "distance", predictors="age")
    assert fit["estimate"].tolist() == pytest.approx([16.76111, 0.66019, 2.114724, 1.431592], 1e-5)
    # Children of the same ages: the error of the slope is that of the mean of their own slopes.
    ages = orthodont["age"].unique()
    own = [np.polyfit(ages, child["distance"], 1)[0] for _, child in orthodont.groupby("account")]
    assert fit.loc["age", "se"] == pytest.approx(np.std(own, ddof=1) / np.sqrt(27))
    reach = (fit.loc["age", "high"] - fit.loc["age", "low"]) / 2
    assert reach == pytest.approx(fit.loc["age", "se"] * stats.t.ppf(0.975, 26))
    assert (fit["n"].iloc[0], fit["wearers"].iloc[0], fit["reason"].iloc[0]) == (108, 27, "")


def test_labels_become_differences_from_the_first_one(orthodont) -> None:
    fit = el.compare.fit_mixed(orthodont, "distance", predictors=["age", "sex"])
    assert list(fit.index) == ["intercept", "age", "sex[girl]", "sd_wearers", "sd_residual"]
    means = orthodont.groupby("sex")["distance"].mean()  # balanced: the difference of the means
    assert fit.loc["sex[girl]", "estimate"] == pytest.approx(means["girl"] - means["boy"])


def test_balanced_days_give_the_variances_of_the_analysis_of_variance() -> None:
    generator = np.random.default_rng(8)
    y = generator.normal(size=(12, 1)) * 3 + generator.normal(size=(12, 6))
    table = el.compare.mixed_table({f"p{i:02}": days(row) for i, row in enumerate(y)})
    fit = el.compare.fit_mixed(table, "score")
    within = y.var(axis=1, ddof=1).mean()
    between = (6 * y.mean(axis=1).var(ddof=1) - within) / 6
    assert fit.loc["sd_residual", "estimate"] == pytest.approx(np.sqrt(within), rel=1e-4)
    assert fit.loc["sd_wearers", "estimate"] == pytest.approx(np.sqrt(between), rel=1e-4)
    assert fit.loc["intercept", "estimate"] == pytest.approx(y.mean())


def test_unit_zero_and_order_carry_over_to_the_fit(orthodont) -> None:
    fit = el.compare.fit_mixed(orthodont, "distance", predictors="age")
    shuffled = el.compare.fit_mixed(
        orthodont.sample(frac=1, random_state=4), "distance", predictors="age"
    )
    pd.testing.assert_frame_equal(shuffled, fit, check_exact=True)
    other = orthodont.assign(distance=orthodont["distance"] * 1e4 + 5e4, age=orthodont["age"] / 100)
    scaled = el.compare.fit_mixed(other, "distance", predictors="age")
    assert scaled.loc["age", "estimate"] == pytest.approx(fit.loc["age", "estimate"] * 1e6, 1e-6)
    expected = fit.loc["intercept", "estimate"] * 1e4 + 5e4
    assert scaled.loc["intercept", "estimate"] == pytest.approx(expected, 1e-6)
    assert scaled.loc["sd_wearers", "estimate"] == pytest.approx(2.114724e4, 1e-4)


def test_rows_with_something_missing_are_left_out_and_counted(orthodont) -> None:
    holed = orthodont.copy()
    holed.loc[[3, 50], "distance"] = np.nan
    holed.loc[7, "age"] = np.nan
    fit = el.compare.fit_mixed(holed, "distance", predictors="age")
    assert fit["n"].iloc[0] == 105
    assert fit.attrs["eyelog"]["history"][-1]["rows_left_out"] == 3
    dropped = el.compare.fit_mixed(orthodont.drop([3, 7, 50]), "distance", predictors="age")
    pd.testing.assert_frame_equal(dropped, fit)


def test_no_model_is_fitted_where_it_would_rest_on_nothing(orthodont) -> None:
    same = orthodont.assign(twice=orthodont["age"] * 2, flat=1.0)
    cases = [
        (orthodont[orthodont["account"] == "c03"], "age", "wearers"),
        (orthodont.drop_duplicates("account"), "age", "several days"),
        (same, ["age", "twice"], "are collinear"),
        (same, "flat", "do not vary"),
        (same.assign(distance=2.0), "age", "outcome does not vary"),
        (orthodont.iloc[:0], "age", "wearers"),
    ]
    for table, predictors, says in cases:
        fit = el.compare.fit_mixed(table, "distance", predictors=predictors)
        assert fit["estimate"].isna().all()
        assert fit["reason"].str.contains(says).all()


def test_wearers_who_do_not_differ_are_a_remark_and_no_warning() -> None:
    y = np.tile([1.0, 2, 3, 5], (6, 1)) + np.arange(6)[:, None] * 1e-9  # wearers are all alike
    fit = el.compare.fit_mixed(
        el.compare.mixed_table({f"p{i}": days(row) for i, row in enumerate(y)}), "score"
    )
    assert "boundary" in fit["reason"].iloc[0]
    assert fit.loc["intercept", "estimate"] == pytest.approx(2.75)


def test_columns_that_cannot_be_used_are_named(orthodont) -> None:
    stamped = orthodont.assign(day=pd.Timestamp("2026-10-19"))
    cases = [
        ({"outcome": "nothing"}, el.FieldError, "'nothing'"),
        ({"outcome": "sex"}, el.ConfigurationError, "needs numbers"),
        ({"outcome": "age", "predictors": "age"}, el.ConfigurationError, "also be a predictor"),
        ({"outcome": "age", "predictors": "day"}, el.ConfigurationError, "stamps"),
    ]
    for call, error, says in cases:
        with pytest.raises(error, match=says):
            el.compare.fit_mixed(stamped, **call)


def test_groups_of_equal_days_have_the_error_of_welch(orthodont) -> None:
    fit = el.compare.fit_mixed(orthodont, "distance", predictors=["age", "sex"])
    means = orthodont.groupby(["sex", "account"])["distance"].mean()
    girls, boys = means["girl"], means["boy"]
    assert fit.loc["sex[girl]", "se"] == pytest.approx(
        np.sqrt(girls.var() / len(girls) + boys.var() / len(boys))
    )
    shares = np.array([1 / len(girls), 1 / len(boys)])  # Satterthwaite, of equal variances
    freedom = shares.sum() ** 2 / (shares**2 / (1 / shares - 1)).sum()
    reach = (fit["high"] - fit["low"]) / 2 / fit["se"]
    assert reach["sex[girl]"] == pytest.approx(stats.t.ppf(0.975, freedom))
    odds = 2 * stats.t.sf(
        abs(fit.loc["sex[girl]", "estimate"] / fit.loc["sex[girl]", "se"]), freedom
    )
    assert fit.loc["sex[girl]", "p"] == pytest.approx(odds)


def test_fewer_than_five_wearers_have_estimates_and_no_errors(orthodont) -> None:
    four = orthodont[orthodont["account"] < "c04"]
    fit = el.compare.fit_mixed(four, "distance", predictors="age")
    assert fit["estimate"].notna().all()
    assert fit[["se", "low", "high", "p"]].isna().all(axis=None)
    assert fit["reason"].iloc[0].startswith("fewer than 5 wearers: no interval and no p")
    five = orthodont[orthodont["account"] < "c05"]
    assert np.isfinite(el.compare.fit_mixed(five, "distance", predictors="age").loc["age", "p"])


def test_a_group_of_four_wearers_has_no_interval_and_the_reason_says_so(orthodont) -> None:
    four = [f"c{child}" for child in (16, 17, 18, 19)]
    table = orthodont[(orthodont["sex"] == "boy") | orthodont["account"].isin(four)]
    fit = el.compare.fit_mixed(table, "distance", predictors=["age", "sex"])
    missing = fit["low"].isna() & fit["p"].isna()
    assert missing[missing].index.tolist() == ["sex[girl]", "sd_wearers", "sd_residual"]
    assert fit["reason"].str.startswith("fewer than 5 wearers in a group").all()


def test_the_only_wearer_of_a_group_has_no_interval(orthodont) -> None:
    alone = orthodont.assign(site=np.where(orthodont["account"] == "c03", "b", "a"))
    fit = el.compare.fit_mixed(alone, "distance", predictors=["age", "site"])
    assert fit.loc["site[b]", ["se", "low", "high", "p"]].isna().all()
    assert fit.loc[["intercept", "age"], ["low", "high", "p"]].notna().all(axis=None)
    assert "one wearer alone determines" in fit["reason"].iloc[0]


def test_an_outcome_that_only_differs_between_wearers_has_no_model() -> None:
    table = el.compare.mixed_table({f"p{i}": days([0.1 * i] * 4) for i in range(6)})
    fit = el.compare.fit_mixed(table, "score")
    assert fit["estimate"].isna().all()
    assert fit["reason"].iloc[0].startswith("the outcome does not vary within wearers")


def test_the_days_of_a_cohort_are_taken_as_they_are() -> None:
    table = cohort_days(8, 6, effect=2.0)
    fit = el.compare.fit_mixed(table, "blink_rate_per_min", predictors=["group", "age"])
    of_table = el.compare.fit_mixed(
        el.compare.mixed_table(table, outcomes="blink_rate_per_min"),
        "blink_rate_per_min",
        predictors=["group", "age"],
    )
    assert fit["wearers"].iloc[0] == 8
    pd.testing.assert_frame_equal(fit, of_table)
    with pytest.raises(el.FieldError, match="no column 'sex'"):
        el.compare.fit_mixed(table, "steps", predictors="sex")


def test_errors_of_uneven_days_are_those_of_the_clustered_matrix_algebra() -> None:
    generator = np.random.default_rng(1)
    rows = []
    for i in range(12):
        n = int(generator.integers(3, 15))
        x = generator.normal(size=n) + i % 2
        y = 0.5 * x + generator.normal() + generator.normal(size=n)
        rows.append(pd.DataFrame({"account": f"p{i:02}", "x": x, "y": y}))
    table = pd.concat(rows, ignore_index=True)
    fit = el.compare.fit_mixed(table, "y", predictors=["x"])
    between, within = (fit.loc[name, "estimate"] ** 2 for name in ("sd_wearers", "sd_residual"))
    # CR2 of the generalised least squares (Pustejovsky & Tipton 2018), by dense matrices.
    wearers = [rows.index for _, rows in table.groupby("account")]
    x, y = np.column_stack([np.ones(len(table)), table["x"]]), table["y"].to_numpy()
    root = np.zeros((len(table), len(table)))
    for mine in wearers:
        values, vectors = np.linalg.eigh(np.eye(len(mine)) + between / within)
        root[np.ix_(mine, mine)] = vectors @ np.diag(values**-0.5) @ vectors.T
    design, outcome = root @ x, root @ y
    bread = np.linalg.inv(design.T @ design)
    found = bread @ design.T @ outcome
    assert fit["estimate"].to_numpy()[:2] == pytest.approx(found, rel=1e-6)
    residuals, meat = outcome - design @ found, np.zeros((2, 2))
    for mine in wearers:
        own = design[mine]
        values, vectors = np.linalg.eigh(np.eye(len(mine)) - own @ bread @ own.T)
        adjusted = vectors @ np.diag(np.maximum(values, 1e-12) ** -0.5) @ vectors.T
        score = own.T @ adjusted @ residuals[mine]
        meat += np.outer(score, score)
    errors = np.sqrt(np.diag(bread @ meat @ bread))
    assert fit["se"].to_numpy()[:2] == pytest.approx(errors, rel=1e-6)


def test_uneven_days_are_fitted_as_by_statsmodels() -> None:
    models = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    generator = np.random.default_rng(1)
    wearers = np.repeat(np.arange(12), generator.integers(2, 9, 12))
    x = generator.normal(size=len(wearers)) + 50
    own, noise = generator.normal(size=12)[wearers], generator.normal(size=len(wearers))
    table = pd.DataFrame({"account": wearers.astype(str), "x": x, "y": 3 + 0.5 * x + own + noise})
    found = el.compare.fit_mixed(table, "y", predictors="x")
    design = np.column_stack([np.ones(len(x)), x])
    theirs = models.MixedLM(table["y"].to_numpy(), design, groups=wearers).fit(reml=True)
    estimates = found.loc[["intercept", "x"], "estimate"]
    np.testing.assert_allclose(estimates, theirs.fe_params, rtol=1e-4)
