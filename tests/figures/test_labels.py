"""Words on figures."""

import pandas as pd
import pytest

import eyelog as el
from eyelog.figures.labels import duration_words, label_of, range_words, short_names, title_of
from eyelog.provenance import record


@pytest.mark.parametrize(
    ("name", "seconds", "label"),
    [
        ("tl_yav", None, "Tilt fore-aft (deg)"),
        ("stp", None, "Steps per record"),
        ("stp", 600.0, "Steps per 10 min"),
        ("nis_time", 3600.0, "Noise time (s per h)"),
        ("tl_yav", 600.0, "Tilt fore-aft (deg)"),
        ("in_co2", None, "in_co2"),
        ("mine", 60.0, "mine"),
    ],
)
def test_a_label_names_the_field_with_its_unit(name, seconds, label) -> None:
    assert label_of("computed_data", name, seconds=seconds) == label


def test_without_a_log_the_name_alone_finds_the_field() -> None:
    assert label_of(None, "stp") == "Steps per record"
    assert label_of(None, "wea_s", seconds=60) == "Worn time (s per min)"
    assert label_of(None, "my_own") == "my_own"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(15, "15 s"), (60, "min"), (600, "10 min"), (3600, "h"), (86_400, "day"), (172_800, "2 days")],
)
def test_a_duration_is_in_its_largest_unit(seconds, words) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2025-01-06", "2025-01-06", "Mon 6 Jan 2025"),
        ("2025-01-06", "2025-01-19", "6 to 19 Jan 2025"),
        ("2025-01-30", "2025-02-02", "30 Jan to 2 Feb 2025"),
        ("2025-12-30", "2026-01-02", "30 Dec 2025 to 2 Jan 2026"),
    ],
)
def test_a_range_names_the_year_once(first, last, words) -> None:
    assert range_words(pd.Timestamp(first), pd.Timestamp(last)) == words


def test_a_title_names_wearer_log_range_and_zone() -> None:
    frame = record(el.simulate("2025-01-06", 2, tz="Asia/Tokyo"), "archive", account="anna")
    assert title_of(frame) == "anna · 15-second log · 6 to 7 Jan 2025 · Asia/Tokyo"
    assert title_of(frame, zone=False) == "anna · 15-second log · 6 to 7 Jan 2025"


def test_a_title_leaves_out_what_is_not_known() -> None:
    assert title_of(pd.DataFrame({"v": [1.0]})) == ""


def test_long_names_keep_what_makes_them_different() -> None:
    names = [f"participant-{number:05}-of-the-study-with-a-long-name" for number in range(3)]
    short = short_names(names)
    assert len(set(short)) == 3
    assert all(len(name) <= 24 for name in short)
    assert short_names(["anna", "ben"]) == ["anna", "ben"]


def test_east_asian_letters_take_the_room_of_two() -> None:
    japanese, latin = "新しい眼鏡をかけて仕事をした日", "in the office with others"
    short = short_names([japanese, latin], 14)
    assert [len(name) for name in short] == [7, 14]
    assert short_names(["田中", "office"], 6) == ["田中", "office"]
