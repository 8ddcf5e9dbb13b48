"""The table of summary columns: each column of a summary has a label, a unit and its digits."""

import csv
from importlib.resources import files

import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import catalogue
from eyelog.frame import history
from eyelog.judge.reasons import WORDS
from eyelog.measure.columns import choose, column, groups, table_of
from support.logs import LOGS

ROWS = list(
    csv.DictReader(files("eyelog.measure").joinpath("columns.csv").read_text("utf-8").splitlines())
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("worn_h", "Worn (h per day)"),
        ("blink_rate_per_min", "Blink rate (per min)"),
        ("blink_rate_low", "Blink rate, 95 % low (per min)"),
        ("first_worn", "First worn"),
        ("tl_yav", "Tilt fore-aft (deg)"),
        ("stp", "Steps"),
        ("isl", "Not worn (still)"),
        ("tl_yav_low", "Tilt fore-aft, 95 % low (deg)"),
        ("sc_fcs_mean", "Focus, mean (score)"),
        ("sc_fcs_high_share", "Focus, share of 60 and above (0 to 1)"),
        ("sc_fcs_n", "Focus, number of values"),
        ("no_such_thing", "no_such_thing"),
    ],
)
def test_a_label_has_its_unit(name: str, text: str) -> None:
    assert column(name).text == text


def test_hours_are_per_day_or_per_week_or_plain_hours() -> None:
    assert column("worn_h", period="week").text == "Worn (h per week)"
    assert column("worn_h", period="").text == "Worn (h)"
    assert column("steps", period="10 min").text == "Steps (per 10 min)"
    assert column("steps", period="").text == "Steps"


def test_a_name_that_means_something_else_in_one_table_has_a_label_there() -> None:
    assert column("n").text == "Records"
    assert column("n", table="blinks.rate").text == "Blinks or gaps counted"
    assert column("coverage", table="blinks.rate").text == column("coverage").text


def test_no_column_stands_twice_and_digits_are_small_numbers() -> None:
    keys = [(row["table"], row["name"]) for row in ROWS]
    assert len(set(keys)) == len(keys)
    assert {row["digits"] for row in ROWS} <= {"", "0", "1", "2", "3", "{digits}"}
    assert all(row["label"] for row in ROWS)


def test_each_column_has_a_meaning_in_a_sentence() -> None:
    for row in ROWS:
        assert row["meaning"].endswith("."), row["name"]
        assert row["meaning"][0].isupper() or row["meaning"].startswith("p of"), row["name"]


def test_a_table_is_known_by_its_columns_and_index_alone() -> None:
    frame = el.simulate("2026-10-24", 1, log="standard_mode_logs")
    made = [el.weekly(frame), el.explain(el.flag(frame)), el.attrition(frame, recipe="steps")]
    made += [el.blinks.rate(frame), el.blinks.cleansings(frame), el.blinks.rate(frame, of="wearer")]
    made += [el.blinks.strength(frame), el.blinks.duration(frame), el.blinks.bursts(frame)]
    made += [el.gait.pace(frame), el.gait.bouts(frame), el.gait.peak_cadence(frame)]
    made += [el.gait.speed_classes(frame)]
    for table in made:
        assert table_of(table.columns, table.index.names) == history(table)[-1]["step"]
    for table in (el.daily(frame), el.coverage(frame), el.resample(frame, "1h"), frame):
        assert table_of(table.columns, table.index.names) == ""


def tables(log: str) -> list[pd.DataFrame]:
    frame = el.simulate("2026-10-24", 1, log=log)
    made = [el.daily(frame), el.coverage(frame), el.gaps(frame), el.explain(el.flag(frame))]
    made += [el.resample(frame, "1h"), el.blinks.rate(frame), el.blinks.strength(frame)]
    made += [el.blinks.duration(frame), el.gait.pace(frame)]
    made += [el.gait.bouts(frame), el.gait.peak_cadence(frame), el.posture.zones(frame)]
    made += [el.posture.head_movements(frame), el.posture.spread(frame)]
    if log == "standard_mode_logs":
        made += [el.blinks.bursts(frame), el.blinks.cleansings(frame), el.gait.speed_classes(frame)]
        made += [el.attrition(frame, recipe="steps")]
    return made


@pytest.mark.parametrize("log", LOGS)
def test_each_column_of_each_summary_has_a_label(log: str) -> None:
    undocumented = {
        f.name for which in LOGS for f in catalogue(which).values() if f.label == f.name
    }
    for table in tables(log):
        step = history(table)[-1]["step"]
        names = [*table.columns, *(name for name in table.index.names if name)]
        bare = {name for name in names if column(name, table=step).text == name}
        assert bare <= undocumented, step
        assert all(column(name, table=step).meaning for name in names), step


def test_each_column_of_a_comparison_and_a_cohort_has_a_meaning() -> None:
    fifteen, sixty = (el.simulate("2026-10-24", 2, log=log) for log in LOGS)
    walks = el.gait.bouts(sixty)["start"]
    around = {"before": "5min", "after": "5min", "fields": "hm_yo"}
    people = {f"p{i}": el.simulate("2026-10-24", 2, log=LOGS[1], seed=i) for i in range(3)}
    mixed = el.compare.mixed_table(people)
    made = [
        el.compare.events(sixty, walks, **around),
        el.compare.event_courses(sixty, walks, **around),
        el.compare.agreement(fifteen, sixty),
        el.compare.minute_pairs(fifteen, sixty, quantity="steps"),
        mixed,
        el.compare.fit_mixed(mixed, "steps").rename_axis("term"),
        el.rhythm.profile(sixty, "hm_yo"),
        el.baseline.personal(el.daily(sixty)["steps"]),
        el.weekly(sixty),
    ]
    for table in made:
        which = table_of(table.columns, table.index.names)
        for name in (*table.columns, *(name for name in table.index.names if name)):
            assert column(name, table=which).meaning, name


def test_columns_are_chosen_by_group_and_by_name_in_their_own_order() -> None:
    names = list(el.daily(el.sample()).columns)
    assert groups(names) == ["wear", "gait", "eyes", "head", "scores"]
    assert choose(names, ["gait", "worn_h"]) == [
        *("worn_h", "steps", "pace_spm", "pace_exposure_min", "step_time_cv_between"),
    ]
    assert choose(names, "head")[0] == "head_moves_pitch_per_h"
    parts = [choose(names, group) for group in groups(names)]
    assert [name for part in parts for name in part] == names


def test_an_unknown_column_or_group_is_one_clear_line() -> None:
    with pytest.raises(el.FieldError, match=r"no column or group of columns 'gate'.*gait"):
        choose(list(el.daily(el.sample()).columns), ["gate"])


def test_some_ten_columns_of_a_daily_table_are_shown_first() -> None:
    few = [name for name in el.daily(el.sample()).columns if column(name).few]
    assert len(few) == 10


def test_a_reason_has_one_word_in_tables_figures_and_text() -> None:
    labels = {row["name"]: row["label"] for row in ROWS if row["table"] == "explain"}
    for reason, word in WORDS.items():
        assert labels[str(reason.name)].casefold() == word
