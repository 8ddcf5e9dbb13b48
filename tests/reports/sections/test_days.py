"""The days, and the weeks where there are too many days to read."""

import pandas as pd

import eyelog as el
from eyelog.reports.logs import as_logs
from eyelog.reports.sections import days as section
from support.reported import SIXTY, cells, frame, logs

EDGES = ("First", "Last")


def test_many_days_are_shown_as_weeks_and_kept_as_days() -> None:
    many = logs(SIXTY, days=33)
    table = section(many).tables[0]()
    assert table.caption.startswith("The weeks")
    assert len(table.rows) == 5
    assert len(table.csv.splitlines()) == 1 + 33


def test_a_wearer_who_travels_reads_the_times_of_the_own_clock() -> None:
    zones = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])
    stamps = pd.DatetimeIndex([], tz="UTC")
    for day, tz in (("2026-10-20", "Asia/Tokyo"), ("2026-10-23", "America/New_York")):
        opens = pd.Timestamp(f"{day} 08:01", tz=tz)
        stamps = stamps.append(pd.date_range(opens, periods=840, freq="1min").tz_convert("UTC"))
    stamps = stamps.tz_convert(zones.home).rename("date")
    frame = pd.DataFrame({"wea_s": 60.0, "tl_xav": 0.0, "tl_yav": 0.0}, index=stamps)
    frame["utc_offset_min"] = zones.offset_min(stamps)
    table = section(as_logs(frame)).tables[0]()
    assert "own clock" in table.caption
    places = [[label for label, _ in table.headers].index(f"{edge} worn") for edge in EDGES]
    assert [[row[i] for i in places] for row in table.rows] == [["08:00", "22:00"]] * 2
    assert "2026-10-23T21:00:00+09:00" in table.csv


def test_the_medians_are_of_the_days_that_count() -> None:
    both = logs()
    rows = cells(section(both).tables[1]())
    usual = both.usual(SIXTY, "pace_spm")
    pace = f"{usual.value:.0f} ({usual.low:.0f} to {usual.high:.0f})"
    assert rows["Pace (steps per min)"][0] == pace
    busiest = el.gait.peak_cadence(frame(SIXTY, 9), minutes=30)["peak_spm"]
    assert rows["Busiest 30 min (steps per min)"][0].startswith(f"{busiest.median():.3g} (")
