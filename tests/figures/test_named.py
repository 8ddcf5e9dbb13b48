"""What a table made of one column is called."""

import pandas as pd
import pytest

import eyelog as el
from eyelog.figures import style
from eyelog.figures.ground import contrast
from eyelog.figures.named import (
    name_label,
    series_label,
    shades,
    span_of,
    step_label,
    step_meaning,
)


def test_a_field_is_named_by_the_catalogue_and_its_rows() -> None:
    assert name_label("stp", "computed_data", 600) == "Steps per 10 min"
    assert name_label("tl_yav", "computed_data", 600) == "Tilt fore-aft (deg)"


def test_a_column_of_a_summary_is_named_by_the_table_of_columns() -> None:
    assert name_label("worn_h", "computed_data") == "Worn (h per day)"
    assert name_label("my_own", None) == "my_own"


def test_a_series_without_a_name_is_a_value() -> None:
    assert series_label(pd.Series([1.0])) == "Value"


def test_the_unit_of_a_count_follows_its_history() -> None:
    steps = el.simulate("2026-10-19", 1, tz="Asia/Tokyo")["stp"]
    assert series_label(steps) == "Steps per 15 s"
    assert series_label(steps.iloc[::4]) == "Steps per 15 s"  # thinned: the counts are the same
    steps.attrs = {}
    assert series_label(steps) == "Steps per record"


def test_a_table_of_one_column_remembers_its_name_rows_and_days() -> None:
    bins = el.resample(el.simulate("2026-10-19", 2, tz="Asia/Tokyo"), "10min")
    table = el.rhythm.profile(bins["stp"])
    assert step_label(table) == "Steps per 10 min"
    table.attrs = {}
    assert step_label(table) == "Steps per record"  # the name stays, its unit was in the history
    table.columns.name = None
    assert step_label(table) == "Value"
    table = el.rhythm.profile(bins, "stp")
    assert [str(day.date()) for day in span_of(table)] == ["2026-10-19", "2026-10-20"]
    bare = el.rhythm.profile(pd.Series([1.0], index=bins.index[:1]))
    assert step_label(bare) == "Value"
    assert span_of(bins) is None


def test_the_columns_of_a_table_of_one_column_have_its_name() -> None:
    days = pd.date_range("2026-10-01", periods=9, freq="D", name="day")
    steps = pd.Series(range(9), index=days, name="steps", dtype=float)
    personal = el.baseline.personal(steps)
    personal.attrs = {}
    assert personal.columns.name == "steps"
    assert step_label(personal) == step_label(personal.iloc[2:]) == "Steps (per day)"
    assert el.rhythm.profile(steps.to_frame(), "steps", by="weekday").columns.name == "steps"
    assert el.baseline.personal(steps.rename(None)).columns.name is None


@pytest.mark.parametrize(
    ("field", "meaning"),
    [("stp_mid", "walking"), ("stp_s", "walking"), ("hm_yo", "head"), ("tl_yav", "head")],
)
def test_a_table_has_the_colour_of_the_column_that_it_was_made_from(field, meaning) -> None:
    bins = el.resample(el.sample("standard_mode_logs"), "1h")
    assert step_meaning(el.rhythm.profile(bins, field)) == meaning


def test_steps_of_days_have_the_colour_of_walking_and_blinks_that_of_the_eyes() -> None:
    days = el.daily(el.simulate("2026-03-02", 9, log="standard_mode_logs"))
    assert step_meaning(el.baseline.personal(days, "steps")) == "walking"
    assert step_meaning(el.baseline.personal(days, "blink_rate_per_min")) == "usable"


def test_a_line_of_walking_is_darker_than_its_area() -> None:
    line, area = (style.COLOURS[meaning] for meaning in shades("walking"))
    assert contrast(line, "white") > 4 > contrast(area, "white")
