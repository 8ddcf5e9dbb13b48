"""The rhythm of the day."""

import io

import pandas as pd
import pytest

from eyelog.analysis.rhythm.cosinor import cosinor, doubt_of
from eyelog.reports.section_parts import Empty
from eyelog.reports.sections.rhythm import STEPS, _steps_per_hour, section
from support.reported import SIXTY, cells, logs


def test_it_says_when_the_active_hours_begin() -> None:
    said = section(logs()).findings[0]
    assert said.startswith("The ten most active hours of the average day began at ")
    assert said.endswith("days of wear).")
    wave = cosinor(_steps_per_hour(logs(), SIXTY), STEPS)
    assert ("the fitted cosine peaks at" in said) == (not doubt_of(wave))


def test_what_needs_the_night_is_refused_with_its_reason() -> None:
    part = section(logs())
    assert any(
        "no relative amplitude: the night was not observed" in said for said in part.findings
    )
    rows = cells(part.tables[0]())
    assert rows["Relative amplitude (RA)"][-1].startswith("the night was not observed")
    assert "night_worn" not in str(rows)


def test_the_hours_behind_a_measure_are_those_that_were_worn() -> None:
    hourly = _steps_per_hour(logs(), SIXTY)
    counted = hourly[hourly[STEPS].notna()]
    worn_h = counted["exposure_min"].sum() / 60
    assert worn_h < len(counted) - 1
    text = section(logs()).tables[0]().csv
    table = pd.read_csv(io.StringIO(text), index_col="name")
    assert table.loc["Cosinor: mesor", "exposure_h"] == pytest.approx(worn_h)


def test_stability_is_a_number_with_its_hours() -> None:
    rows = cells(section(logs()).tables[0]())
    assert 0 < float(rows["Interdaily stability (IS)"][0]) < 1


def test_fewer_than_seven_days_have_no_sentence_on_how_alike_they_are() -> None:
    few, week = section(logs(SIXTY, days=5)), section(logs())
    assert not any("stability" in said for said in few.findings)
    rows = cells(few.tables[0]())
    assert rows["Interdaily stability (IS)"][-1].startswith("fewer than 7 days")
    assert any("days without a common pattern give" in said for said in week.findings)


def test_two_days_are_not_enough() -> None:
    with pytest.raises(Empty, match="2 of the 3 days needed"):
        section(logs(SIXTY, days=2))
