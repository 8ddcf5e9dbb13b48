"""What was measured, what was lost and why."""

import io

import pandas as pd

import eyelog as el
from eyelog.analysis.readable import duration_text
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


def test_the_attrition_of_each_log_is_a_file_by_its_recipe() -> None:
    files = {table.file: table.csv for table in (make() for make in section(logs()).files)}
    assert set(files) == {"attrition-eye.csv", "attrition-mind.csv"}
    for log, recipe in ((SIXTY, "eye"), (FIFTEEN, "mind")):
        left = pd.read_csv(io.StringIO(files[f"attrition-{recipe}.csv"]))["left"]
        assert list(left) == list(el.attrition(logs().frames[log], recipe=recipe)["left"])


def test_one_figure_shows_the_attrition_of_the_leading_log() -> None:
    titles = [picture.title for picture in section(logs()).pictures]
    assert [title for title in titles if title.startswith("From all")] == [
        "From all records to those used for eye movements, 60-second log"
    ]


def test_the_longest_gaps_come_first() -> None:
    table = section(logs(FIFTEEN)).tables[-1]()
    found = el.gaps(logs().frames[FIFTEEN])
    assert table.caption == f"The longest of {len(found)} stretches without usable records"
    assert table.rows[0][1] == duration_text(found["duration"].max())


def test_records_without_any_value_have_hours_without_a_share() -> None:
    full = frame(FIFTEEN, 2)
    blank = full.mask(pd.DataFrame(True, full.index, full.columns)).astype(full.dtypes)
    blank.attrs = full.attrs
    hours = cells(section(as_logs(blank)).tables[0]())
    assert {cell for row in hours.values() for cell in row} <= {"0.0 h", MISSING}


def test_eyewear_that_was_never_worn_is_said() -> None:
    assert section(unworn()).findings[0].endswith("The eyewear was never worn.")
