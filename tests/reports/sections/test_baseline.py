"""The wearer against the own earlier days."""

import numpy as np
import pytest
import scipy.signal

import eyelog as el
from eyelog.reports.answer import answer
from eyelog.reports.evidence import baseline as section
from eyelog.reports.findings import COLUMNS, findings
from eyelog.reports.logs import Logs
from support.reported import SIXTY, cells, logs


def rising(slope: float) -> Logs:
    """Return logs whose days have a steady rise of the head turns planted."""
    made = logs(SIXTY, days=33)
    planted = Logs(made.frames, name="planted")
    days = made.days(SIXTY).copy()
    noise = np.random.default_rng(1).normal(0, 1, len(days))
    days["head_moves_yaw_per_h"] = 100 + slope * np.arange(len(days)) + noise
    planted._made["days", SIXTY] = days
    return planted


def test_trends_are_those_of_the_library() -> None:
    made = logs(SIXTY, days=33)
    line = el.baseline.trend(made.counted(SIXTY)["worn_h"])
    rows = cells(section(made).tables[0]())
    assert rows["Worn (h per day)"][0] == f"{line.slope * 7:.2f}"


def test_the_day_that_stands_out_is_named() -> None:
    made = rising(0.0)
    made.days(SIXTY).iloc[21, made.days(SIXTY).columns.get_loc("head_moves_yaw_per_h")] = 500.0
    assert (
        answer(made).sentences[0].lead.startswith("On Mon 9 Nov planted turned the head more often")
    )
    apart = el.baseline.personal(made.counted(SIXTY), "head_moves_yaw_per_h")
    row = cells(section(made).tables[0]())["Head turns (yaw) (per h worn)"]
    assert row[-2:] == [str(apart["outside"].sum()), "Mon 9 Nov 2026"]


def test_the_figure_shows_what_stands_out() -> None:
    (drawn,) = section(rising(2.0)).pictures
    assert drawn.title == "Head turns (yaw) against the own usual range, 60-second log"


def quiet(seed: int) -> Logs:
    """Return logs of 28 days in which nothing but noise of days that are alike happens."""
    made = logs(SIXTY, days=33)
    planted = Logs(made.frames, name="planted")
    days = made.days(SIXTY).iloc[:28].copy()
    generator = np.random.default_rng(seed)
    for name in COLUMNS:
        noise = scipy.signal.lfilter([1.0], [1.0, -0.3], generator.normal(size=78))[50:]
        days[name] = 10.0 + (noise * 0.3 if name == "worn_h" else noise)
    planted._made["days", SIXTY] = days
    return planted


@pytest.mark.slow("a level is a frequency: it needs many seeds")
def test_of_28_days_without_any_change_few_reports_name_anything() -> None:
    named = []
    for seed in range(40):
        made = quiet(seed)
        found = findings(made.counted(SIXTY))
        levels = sum(len(table) for table in found.levels.values())
        named.append(
            bool(found.moved or levels or any(d["stands"].any() for d in found.days.values()))
        )
    assert np.mean(named) < 0.15  # 7 in 100 in the long run


def test_a_planted_level_is_in_the_table_with_its_day() -> None:
    made = rising(0.0)
    days = made.days(SIXTY)
    days.iloc[16:, days.columns.get_loc("head_moves_yaw_per_h")] += 8.0
    row = cells(section(made).tables[0]())["Head turns (yaw) (per h worn)"]
    assert row[4] == f"{days.index[16]:%a} {days.index[16].day} {days.index[16]:%b %Y}"
