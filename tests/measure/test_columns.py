"""The table of summary columns: each column of a summary has a label, a unit and its meaning."""

from importlib.resources import files

import pandas as pd
import pytest

import eyelog as el
from support.frames import MINUTES
from support.logs import LOGS

ROWS = pd.read_csv(files("eyelog.measure") / "columns.csv", dtype=str, keep_default_na=False)


def headings(table: pd.DataFrame) -> dict[str, str]:
    """Return the label of each column, with its unit, as a person reads it."""
    shown = el.readable(table, columns="all").headings
    return {each.name: f"{each.label} ({each.unit})" if each.unit else each.label for each in shown}


def test_no_column_stands_twice_and_each_has_a_label_digits_and_a_meaning() -> None:
    assert not ROWS.duplicated(["table", "name"]).any()
    assert ROWS["label"].ne("").all()
    assert set(ROWS["digits"]) <= {"", "0", "1", "2", "3", "{digits}"}
    assert ROWS["meaning"].str.match(r"([A-Z]|p of).*\.$").all()


def test_a_label_has_its_unit_and_hours_are_per_day_or_per_week() -> None:
    frame = el.sample().iloc[:8000]
    days = headings(el.daily(frame))
    assert days["worn_h"] == "Worn (h per day)"
    assert days["blink_rate_per_min"] == "Blink rate (per min)"
    assert days["blink_rate_low"] == "Blink rate, 95 % low (per min)"
    assert days["first_worn"] == "First worn"
    assert days["sc_fcs_high_share"] == "Focus, share of 60 and above (0 to 1)"
    assert headings(el.weekly(frame))["worn_h"] == "Worn (h per week)"
    # A name that means something else in one table has a label there.
    assert days["n"] == "Records"
    assert headings(el.blinks.rate(frame))["n"] == "Blinks or gaps counted"


def tables(log: str) -> list[pd.DataFrame]:
    frame = el.simulate("2026-10-24", 1, log=log)
    made = [el.daily(frame), el.coverage(frame), el.gaps(frame), el.explain(el.flag(frame))]
    made += [el.resample(frame, "1h"), el.blinks.rate(frame), el.blinks.strength(frame)]
    made += [el.blinks.duration(frame), el.gait.pace(frame)]
    made += [el.gait.bouts(frame), el.gait.peak_cadence(frame), el.posture.zones(frame)]
    made += [el.posture.head_movements(frame), el.posture.spread(frame)]
    if log == MINUTES:
        made += [el.blinks.bursts(frame), el.blinks.cleansings(frame), el.gait.speed_classes(frame)]
        made += [el.attrition(frame, recipe="steps"), el.rhythm.profile(frame, "hm_yo")]
        made += [el.weekly(frame), el.baseline.personal(el.daily(frame)["steps"])]
    return made


@pytest.mark.parametrize("log", LOGS)
def test_each_column_of_each_summary_has_a_label(log: str) -> None:
    fields = el.fields(log)["label"]
    undocumented = set(fields[fields == fields.index].index)
    for table in tables(log):
        bare = {name for name, label in headings(table).items() if label.split(" (")[0] == name}
        assert bare <= undocumented, list(table)


def test_columns_are_chosen_by_group_and_by_name_in_their_own_order() -> None:
    days = el.daily(el.sample(), columns=["gait", "worn_h"])
    assert list(days) == [
        *("worn_h", "steps", "pace_spm", "pace_exposure_min", "step_time_cv_between"),
    ]
    assert el.daily(el.sample(), columns="head").columns[0] == "head_moves_pitch_per_h"
    with pytest.raises(el.FieldError, match=r"no column or group of columns 'gate'.*gait"):
        el.daily(el.sample(), columns=["gate"])
