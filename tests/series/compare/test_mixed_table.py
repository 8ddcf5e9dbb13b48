"""Many wearers: the long table, its laws, and the mixed model on it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import EYES, MINUTES


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
@settings(max_examples=30, deadline=None)
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
