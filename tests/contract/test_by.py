"""`by=` is one thing: each kind of grouping works in each function, or gets one clear line."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.kindsoftables import held

MINUTES, DAYS, COHORT = held("records of 60 s"), held("days"), held("days of a cohort")

OF_RECORDS: dict[str, Callable[[Any], Any]] = {
    "summary": lambda by: el.summary(MINUTES, by=by),
    "coverage": lambda by: el.coverage(MINUTES, by=by),
    "rate": lambda by: el.blinks.rate(MINUTES, by=by),
    "pace": lambda by: el.gait.pace(MINUTES, by=by),
    "spread": lambda by: el.posture.spread(MINUTES, by=by),
    "profile": lambda by: el.rhythm.profile(MINUTES, "stp_s", by=by),
    "plot_distribution": lambda by: el.plot_distribution(MINUTES, "stp_s", by=by),
}
OF_DAYS: dict[str, Callable[[Any], Any]] = {
    "profile": lambda by: el.rhythm.profile(DAYS, "steps", by=by),
    "plot_distribution": lambda by: el.plot_distribution(DAYS, "steps", by=by),
    "cohort.summary": lambda by: el.cohort.summary(COHORT, by=by),
}
OF_GROUPS: dict[str, Callable[[Any], Any]] = {
    "cohort.differences": lambda by: el.cohort.differences(COHORT, by=by, outcomes="steps"),
    "plot_cohort": lambda by: el.plot_cohort(COHORT, "steps", kind="groups", by=by),
    "plot_change": lambda by: el.plot_change(COHORT, "steps", by=by),
    "report_cohort": lambda by: _page(by),
}


def _page(by: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        few = COHORT[["group", "n", "coverage", "worn_h", "steps"]]
        return el.report_cohort(few, Path(folder) / "study.html", by=by)


HALVES = pd.Series(np.where(MINUTES.index.hour < 12, "am", "pm"), MINUTES.index, name="half")


KINDS: list[Any] = [None, "day", "week", "weekday", "weekend", "7D"]
WRONG = {"days": "did you mean 'day'", "nonsense": "neither 'day'"}


@pytest.mark.parametrize("by", [*KINDS, "hour", "1h", HALVES, ["weekend", HALVES]], ids=str)
@pytest.mark.parametrize("name", OF_RECORDS)
def test_records_are_grouped_by_each_kind(name: str, by: Any) -> None:
    made = OF_RECORDS[name](by)
    if isinstance(made, pd.DataFrame):
        assert len(made) >= 1


@pytest.mark.parametrize("by", KINDS, ids=str)
@pytest.mark.parametrize("name", OF_DAYS)
def test_days_are_grouped_by_each_kind_of_calendar(name: str, by: Any) -> None:
    OF_DAYS[name](by)


@pytest.mark.parametrize("name", [*OF_DAYS])
def test_days_have_no_hours(name: str) -> None:
    for by in ("hour", "1h"):
        with pytest.raises(el.ConfigurationError, match=r"rows are days|do not fit into"):
            OF_DAYS[name](by)


@pytest.mark.parametrize("name", OF_GROUPS)
def test_groups_of_wearers_are_a_column_or_labels_of_wearers_or_rows(name: str) -> None:
    arms = pd.Series({f"w{each}": "xy"[each % 2] for each in range(8)}, name="arm")
    rows = pd.Series(COHORT["group"].to_numpy(), index=COHORT.index, name="group of rows")
    groupings = ["group", arms, rows, [arms, "group"]]
    if name == "report_cohort":  # takes seconds, and asks what `differences` asks
        groupings = groupings[-1:]
    for by in groupings:
        OF_GROUPS[name](by)


def test_a_difference_by_labels_of_wearers_is_that_by_a_column_of_them() -> None:
    arms = pd.Series({f"w{each}": "ab"[each % 2] for each in range(8)})
    one, other = (el.cohort.differences(COHORT, by=by, outcomes="steps") for by in ("group", arms))
    pd.testing.assert_frame_equal(one, other)
    groups = el.cohort.summary(COHORT, by=arms).groups
    assert groups.index.names == ["group", "outcome"]
    assert groups.loc[("a", "steps"), "wearers"] == 4


def test_a_change_is_drawn_between_weekdays_and_weekends_and_by_labels_of_days() -> None:
    kinds = pd.Series(np.where(DAYS.index.day_of_week < 5, "work", "rest"), DAYS.index)
    for by in ("weekend", kinds):
        values, _ = el.plot_change(DAYS, "steps", by=by)
        assert len(values.get_xticklabels()) == 2


@pytest.mark.parametrize("calls", [OF_RECORDS, OF_DAYS, OF_GROUPS], ids=["rows", "days", "groups"])
def test_what_is_no_grouping_gets_one_line_with_the_nearest(calls: dict[str, Any]) -> None:
    for name, call in calls.items():
        for by, says in WRONG.items():
            if name == "report_cohort":  # no part of the calendar is a group of wearers
                says = f"no column '{by}'"
            with pytest.raises(el.EyelogError, match=says):
                call(by)
        for wrong in (-1, np.array([1, 2]), pd.Series(["a"], index=["elsewhere"])):
            with pytest.raises(el.ConfigurationError) as caught:
                call(wrong)
            assert "\n" not in str(caught.value), name
