"""What was measured, what was lost and why."""

import pandas as pd

import eyelog as el
from eyelog.reports.logs import as_logs
from eyelog.reports.sections.trust import section
from eyelog.reports.words import MISSING
from support.reported import FIFTEEN, SIXTY, cells, frame, logs, unworn


def test_each_log_says_its_hours_first() -> None:
    hours = logs().hours(SIXTY).sum()
    said = section(logs()).findings
    assert said[0].startswith(f"The 60-second log holds {hours['recorded_h']:.0f} h of records")
    share = 100 * hours["valid_h"] / hours["worn_h"]
    assert f"{hours['valid_h']:.0f} h ({share:.0f} %) are usable" in said[0]
    assert said[1].startswith("The 15-second log holds")
    assert said[2].startswith("Days with at least 4 h of wear: ")


def test_what_was_lost_is_the_share_of_values_with_each_reason() -> None:
    lost = cells(section(logs(SIXTY)).tables[1]())
    table = el.explain(el.flag(logs().frames[SIXTY]))
    share = table["UNWORN"].sum() / table["n"].sum()
    assert lost["Not worn"] == [f"{share * 100:.0f} %"]


def test_the_attrition_of_each_log_is_that_of_its_recipe() -> None:
    tables = [make() for make in section(logs()).tables]
    left = {table.file: table.rows[-1] for table in tables if table.file.startswith("attrition")}
    eye = el.attrition(logs().frames[SIXTY], recipe="eye")["left"].iloc[-1]
    assert left["attrition-eye.csv"][4] == f"{eye:,}"
    assert set(left) == {"attrition-eye.csv", "attrition-mind.csv"}


def test_conditions_that_removed_nothing_are_only_in_the_file() -> None:
    tables = {table.file: table for table in (make() for make in section(logs()).tables)}
    shown, whole = tables["attrition-mind.csv"], el.attrition(logs().frames[FIFTEEN], recipe="mind")
    assert [row[2] for row in shown.rows[1:-1]].count("0") == 0
    assert len(shown.rows) < len(whole)
    assert len(shown.csv.splitlines()) == len(whole) + 1


def test_one_figure_shows_the_attrition_of_the_leading_log() -> None:
    titles = [picture.title for picture in section(logs()).pictures]
    assert [title for title in titles if title.startswith("From all")] == [
        "From all records to those used for eye movements, 60-second log"
    ]


def test_the_longest_gaps_come_first() -> None:
    table = section(logs(FIFTEEN)).tables[-1]()
    found = el.gaps(logs().frames[FIFTEEN])
    assert table.caption == f"The longest of {len(found)} gaps between records"
    assert table.rows[0][-1] == "no records"


def test_records_without_any_value_have_hours_without_a_share() -> None:
    full = frame(FIFTEEN, 2)
    blank = full.mask(pd.DataFrame(True, full.index, full.columns)).astype(full.dtypes)
    blank.attrs = full.attrs
    hours = cells(section(as_logs(blank)).tables[0]())
    assert {cell for row in hours.values() for cell in row} <= {"0.0 h", MISSING}


def test_eyewear_that_was_never_worn_is_said() -> None:
    assert section(unworn()).findings[0].endswith("The eyewear was never worn.")
