"""The first look at a frame."""

import re

import pandas as pd
import pytest

import eyelog as el
from support.packets import packets

SIXTY = "standard_mode_logs"


def seen(frame: pd.DataFrame, **options: el.Limits) -> dict[str, str]:
    return el.describe(frame, **options).table["Value"].to_dict()


def test_it_says_log_zone_and_local_days() -> None:
    found = seen(el.sample(SIXTY))
    assert found["Log"] == "60-second log (standard_mode_logs)"
    assert found["Zone"] == "Asia/Tokyo"
    assert found["Range"] == "7 days: Mon 19 Oct 2026 to Sun 25 Oct 2026"
    assert found["Rows"] == "9,660 records"


def test_hours_are_those_of_coverage_and_days_those_that_count() -> None:
    frame = el.sample("computed_data")
    hours = el.coverage(frame, by="1D")
    worn, recorded = hours["worn_h"].sum(), hours["recorded_h"].sum()
    days = (hours["worn_h"] >= 4).sum()
    assert seen(frame)["Worn"] == (
        f"{worn:.1f} h ({100 * worn / recorded:.0f} % of this); 4 h or more on {days} of 7 days"
    )
    strict = seen(frame, limits=el.Limits(min_day="10h"))["Worn"]
    assert strict.endswith(f"10 h or more on {(hours['worn_h'] >= 10).sum()} of 7 days")


def test_the_longest_gap_is_said_with_its_start() -> None:
    frame = el.sample(SIXTY)
    gaps = el.gaps(frame)
    longest = gaps.loc[gaps["duration"].idxmax()]
    hours, rest = divmod(round(longest["duration"].total_seconds()), 3600)
    words = f"{hours} h {rest // 60:02} min from {longest['start']:%a %d %b %H:%M}"
    assert f"the longest lasts {words}" in seen(frame)["Gaps"]


def test_a_gap_of_seconds_is_not_said_to_last_no_hours() -> None:
    frame = packets(1200).drop(packets(1200).index[300:500])
    assert "the longest lasts 10 s from" in seen(frame)["Gaps"]


def test_fields_that_daily_would_use_are_named_with_what_to_type() -> None:
    frame = el.sample(SIXTY).drop(columns=["nis_s", "stp_s"])
    sheet = el.describe(frame)
    assert sheet.table.loc["Not in the frame", "Value"].startswith("nis_s, stp_s, which")
    assert any('fields="daily"' in note for note in sheet.notes)


def test_a_frame_without_wear_says_so_instead_of_zero() -> None:
    found = seen(el.sample("computed_data")[["stp", "bk_n"]])
    assert found["Worn"] == "\N{EN DASH} (the frame does not show it)"


@pytest.mark.filterwarnings("ignore::eyelog.errors.EyelogWarning")
@pytest.mark.parametrize("fields", [["stp", "cad"], ["bk_n"], ["isl"], ["tl_xav"]])
def test_what_it_advises_works_on_this_frame(fields: list[str]) -> None:
    frame = el.sample("computed_data")[fields]
    advised = re.findall(r"el\.(plot_\w+)\(frame\)", el.describe(frame).notes[0])
    assert advised
    for name in advised:
        getattr(el, name)(frame)


def test_counters_that_never_counted_are_named_as_they_pass_for_usable() -> None:
    frame = el.sample("standard_mode_logs")
    silent = frame.assign(ems_rl=frame["ems_rl"] * 0, eml_rl=frame["eml_rl"] * 0)
    assert el.describe(silent).table["Value"]["Never counted"].startswith("ems_rl, eml_rl: 0")
    assert "Never counted" not in el.describe(frame).table.index
    assert "Never counted" not in el.describe(silent.iloc[:30]).table.index  # half an hour
    on_the_table = silent.assign(wea_s=0.0)
    assert "Never counted" not in el.describe(on_the_table).table.index


def test_one_record_is_not_said_in_the_plural() -> None:
    frame = el.sample(SIXTY)
    assert seen(frame.iloc[:1])["Rows"] == "1 record"


def test_days_in_utc_are_pointed_out() -> None:
    assert any(
        "Days are those of UTC" in note
        for note in el.describe(el.sample(SIXTY).tz_convert("UTC")).notes
    )
    assert not any("UTC" in note for note in el.describe(el.sample(SIXTY)).notes)


@pytest.mark.parametrize("log", ["computed_data", SIXTY])
def test_it_fits_a_terminal_of_80_by_24_and_shows_as_a_table(log: str) -> None:
    fields = ["isl", "stp"] if log == "computed_data" else ["wea_s", "stp_s"]
    sheet = el.describe(el.sample(log).tz_convert("UTC")[fields])
    lines = sheet.text(80).splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80
    assert "<table" in sheet._repr_html_()
