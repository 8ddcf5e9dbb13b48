"""Tables of the library as a person reads them: columns, widths, headings, numbers, HTML."""

import re
from importlib.resources import files
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import MINUTES
from support.logs import LOGS

DASH = "\N{EN DASH}"


@pytest.fixture(scope="module", params=LOGS)
def days(request) -> pd.DataFrame:
    return el.daily(el.simulate("2026-10-19", 8, log=request.param, seed=1, tz="Asia/Tokyo"))


def test_a_week_of_days_fits_a_terminal_of_80_characters(days) -> None:
    lines = el.readable(days).text(80).splitlines()
    assert lines[0].split() == (
        [
            "Day",
            "Coverage",
            "Worn",
            "Usable",
            "First",
            "Last",
            "Steps",
            "Pace",
            "Blinks",
            "Eyes",
            "Turns",
        ]
    )
    assert len(lines) == 2 + len(days) + 2
    assert max(map(len, lines)) <= 80
    assert lines[2].startswith("Mon 19 Oct")
    assert lines[-2:] == [
        "Time zone: Asia/Tokyo.",
        f'{_more(days)} more columns: columns="all" shows them.',
    ]


def _more(days: pd.DataFrame) -> int:
    return days.notna().any().sum() - 10 - _idle(days)


def _idle(days: pd.DataFrame) -> int:
    """Return how many counts belong to scores that no day has."""
    means = [name for name in days if name.endswith("_mean") and days[name].isna().all()]
    return len(means)


def test_labels_have_units_and_the_year_stands_once(days) -> None:
    table = el.readable(days).table
    assert table.index.name == "Day (2026)"
    assert list(table.columns)[:3] == [
        "Coverage (0 to 1)",
        "Worn (h per day)",
        "Usable (h per day)",
    ]


def test_days_of_two_years_have_their_year() -> None:
    days = el.daily(el.simulate("2026-12-31", 2, log="standard_mode_logs"))
    assert el.readable(days).table.index.tolist() == ["Thu 31 Dec 2026", "Fri 1 Jan 2027"]


def test_groups_and_names_choose_the_columns(days) -> None:
    chosen = el.readable(days, columns=["gait", "worn_h"])
    assert [heading.name for heading in chosen.headings[1:]] == [
        *("worn_h", "steps", "pace_spm", "pace_exposure_min", "step_time_cv_between"),
    ]
    assert chosen.left_out == 0


def test_all_columns_are_all_that_have_a_value_and_the_others_are_counted() -> None:
    days = pd.DataFrame(
        {"worn_h": [1.0], "sc_fcs_mean": [np.nan], "sc_fcs_n": [0]},
        index=pd.DatetimeIndex(["2026-10-19"], tz="UTC", name="day"),
    )
    sheet = el.readable(days, columns="all")
    assert [heading.name for heading in sheet.headings[1:]] == ["worn_h"]
    assert sheet.notes[-1] == "2 more columns have nothing to show."
    named = el.readable(days, columns=["sc_fcs_mean"])
    assert named.rows == [["Mon 19 Oct", DASH]]


def test_the_midnight_that_closes_a_day_is_24_and_not_0() -> None:
    index = pd.DatetimeIndex(["2026-10-19"], tz="Asia/Tokyo", name="day")
    first = pd.Timestamp("2026-10-19 00:00", tz="Asia/Tokyo")
    days = pd.DataFrame({"first_worn": [first], "last_worn": [first + pd.Timedelta("1D")]}, index)
    assert el.readable(days).rows == [["Mon 19 Oct", "00:00", "24:00"]]


def test_own_columns_are_shown_under_their_names(days) -> None:
    assert "season" in el.readable(days.assign(season="autumn")).table.columns


def test_fields_have_their_label_and_reasons_that_occur_are_shown() -> None:
    frame = el.sample("standard_mode_logs")
    sheet = el.readable(el.explain(el.flag(frame)))
    shown = [heading.label for heading in sheet.headings]
    assert shown[:3] == ["Field", "Label", "Values"]
    assert "Not worn" in shown
    assert "Not valid" not in shown  # this log has no such field
    assert ["hm_yo", "Head turns (yaw)"] in [list(row[:2]) for row in sheet.rows]


def test_an_inventory_reads_without_row_numbers(tmp_path) -> None:
    archive = el.Archive(tmp_path / "archive")
    archive.write("computed_data", el.simulate("2026-10-19", 1), account="ada")
    lines = el.readable(archive.inventory()).text(80).splitlines()
    assert lines[0].split()[:2] == ["Account", "Log"]
    assert lines[2].split()[:5] == ["ada", "computed_data", "19", "Oct", "06:56"]
    assert lines[3:] == ["Time zone: UTC."]


def test_a_remark_on_all_rows_stands_below_them() -> None:
    rate = el.blinks.rate(el.sample().head(5))
    assert any(
        note.startswith("Remark: too little usable time") for note in el.readable(rate).notes
    )


@pytest.mark.parametrize("by", ["weekday", "weekend", "week", "hour", "1D", None])
def test_rows_of_groups_have_names_that_people_use(by) -> None:
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", tz="Asia/Tokyo")
    first = el.readable(el.gait.pace(frame, by=by)).rows[0][0]
    names = {"weekday": "Mon", "weekend": "weekday", "week": "2026-W43", "hour": "00:00"}
    assert first == (names | {"1D": "Mon 19 Oct", None: "all"})[by]


@pytest.mark.parametrize("log", LOGS)
def test_a_table_without_rows_says_so(log) -> None:
    empty = el.daily(el.sample(log).iloc[:0])
    assert "There are no rows." in el.readable(empty).text(80)
    assert el.readable(pd.DataFrame()).text(80).strip() == "There are no rows."


def test_records_by_the_thousand_are_not_for_reading() -> None:
    with pytest.raises(el.ConfigurationError, match=r"10,000 rows, not 10,001: .*eyelog\.daily"):
        el.readable(pd.DataFrame({"stp": np.zeros(10_001)}))


def test_columns_that_share_a_name_are_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="different names"):
        el.readable(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_an_unknown_column_is_one_line_with_the_near_name(days) -> None:
    with pytest.raises(el.FieldError, match=r"did you mean 'gait'\?.*'all'"):
        el.readable(days, columns="gate")


@pytest.mark.parametrize(
    "make",
    [
        el.daily,
        el.weekly,
        el.blinks.rate,
        el.gait.bouts,
        lambda frame: el.coverage(frame, by="W"),
        lambda frame: el.explain(el.flag(frame)),
        lambda frame: el.attrition(frame, recipe="steps"),
    ],
)
def test_a_table_is_recognised_by_its_columns_whatever_its_history(make) -> None:
    table = make(el.sample("standard_mode_logs"))
    bare = table.copy()
    bare.attrs = {}
    assert el.readable(bare).text(120) == el.readable(table).text(120)
    assert el.readable(bare, columns="all").html() == el.readable(table, columns="all").html()


def test_hours_of_a_week_and_of_an_account_are_named_as_such() -> None:
    frame = el.sample("standard_mode_logs")
    weeks = el.readable(el.coverage(frame, by="W"))
    assert weeks.html().count("h per week")
    days = pd.concat({"ann": el.daily(frame)}, names=["account"])
    assert "h per day" in el.readable(days).html()


def test_days_and_stamps_have_no_leading_zero_as_in_text_and_figures() -> None:
    days = pd.date_range("2026-11-01", periods=2, freq="D", tz="Asia/Tokyo", name="day")
    stamps = days + pd.Timedelta("9h5min")
    shown = el.readable(pd.DataFrame({"start": stamps}, index=days)).table
    assert shown.index.tolist() == ["Sun 1 Nov", "Mon 2 Nov"]
    alone = el.readable(pd.DataFrame({"start": stamps}, index=pd.Index([1, 2], name="n"))).table
    assert alone.iloc[:, 0].tolist() == ["Sun 1 Nov 09:05", "Mon 2 Nov 09:05"]


# A table for reading: widths, headings, numbers, HTML


DATES = pd.DatetimeIndex(["2026-10-19", "2026-10-20"], name="day")
WEEK = pd.DataFrame(
    {
        "worn_h": [12.62, 2.8],
        "blink_rate_per_min": [13.4, np.nan],
        "remark": ["<b>fine & dry</b>", ""],
    },
    index=DATES,
)


def test_numbers_are_set_to_the_right_and_words_to_the_left() -> None:
    lines = el.readable(WEEK, columns="all").text(80).splitlines()
    assert lines[2].split() == ["Mon", "19", "Oct", "12.6", "13.4", "<b>fine", "&", "dry</b>"]
    assert lines[3].split()[-1] == DASH
    ends = [re.search(word, line).end() for word, line in (("12.6", lines[2]), (" 2.8", lines[3]))]  # type: ignore[union-attr]
    assert ends[0] == ends[1]
    assert lines[0].index("remark") == lines[2].index("<b>")


@given(width=st.integers(1, 120), rows=st.integers(0, 5), columns=st.integers(1, 9))
def test_no_line_is_wider_than_asked_unless_one_column_alone_is(
    width: int, rows: int, columns: int
) -> None:
    days = pd.date_range("2026-10-19", periods=rows, name="day")
    table = pd.DataFrame({f"c{i} of it": [1234.0] * rows for i in range(columns)}, index=days)
    lines = el.readable(table, columns="all").text(width).splitlines()
    widest = len("Mon 19 Oct") + 1 + len("1,234")
    if rows:
        assert max(map(len, lines)) <= max(width, widest)
        assert all(f"c{i}" in "\n".join(lines) for i in range(columns))


def test_columns_that_do_not_fit_follow_below() -> None:
    table = pd.DataFrame({"a-one": [1], "a-two": [2], "b-one": [3]}, index=DATES[:1])
    blocks = el.readable(table, columns="all").text(22).split("\n\n")
    assert len(blocks) == 2
    assert all(block.splitlines()[-1].startswith("Mon 19 Oct") for block in blocks)


def test_the_html_is_a_real_table_with_headings_and_without_foreign_markup() -> None:
    page = el.readable(WEEK, columns="all").html()
    table = ET.fromstring(re.search("<table.*</table>", page, re.DOTALL)[0])  # type: ignore[index]
    assert [cell.get("scope") for cell in table.iter("th")] == ["col"] * 4 + ["row"] * 2
    assert [cell.get("title") for cell in table.iter("th")][1] == "worn_h"
    assert "".join(table.find("tbody/tr/td[3]").itertext()) == "<b>fine & dry</b>"  # type: ignore[union-attr]
    assert "<b>" not in page
    assert "http" not in page


def test_a_long_table_shows_its_ends_where_it_is_displayed_and_all_where_it_is_printed() -> None:
    sheet = el.readable(pd.DataFrame({"x": range(100)}))
    with pd.option_context("display.max_rows", 10):
        assert "…" in repr(sheet)
        assert sheet._repr_html_().count("<tr>") == 1 + 11
    assert len(str(sheet).splitlines()) == 101


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("steps", 6412.0, "6,412"),
        ("worn_h", 0.04, "<0.1"),
        ("worn_h", 0.0, "0.0"),
        ("worn_h", np.nan, DASH),
        ("tilt_fore_aft_deg", -0.04, "0.0"),
        ("tilt_fore_aft_deg", -1.25, "-1.2"),
        ("own", np.inf, "∞"),
        ("p", 0.0, "<0.001"),
        ("p", 0.04, "0.040"),
        # Without known digits numbers have three that count.
        ("own", 123.4, "123"),
        ("own", 12.34, "12.3"),
        ("own", 0.0123, "0.0123"),
    ],
)
def test_a_number_is_rounded_and_what_is_above_0_never_reads_as_0(
    name: str, value: float, text: str
) -> None:
    table = pd.DataFrame({name: [value], "n": [1]}, index=DATES[:1])
    assert el.readable(table, columns=[name]).rows[0][1] == text


# The table of summary columns: each column of a summary has a label, a unit and its meaning


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
