"""Numbers and days as a sentence says them."""

import pandas as pd
import pytest

from eyelog.reports import words

MISSING = float("nan")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (14.632, "14.6"),
        (5934.0, "5,934"),
        (0.0123, "0.0123"),
        (2.345, "2.35"),
        (-3.0, "-3"),
        (MISSING, words.MISSING),
        (0.0, "0"),
    ],
)
def test_a_number_has_the_digits_that_say_something(value: float, said: str) -> None:
    assert words.number(value) == said


def test_a_rounded_zero_has_no_sign() -> None:
    assert words.number(-0.001, 2) == "0.00"


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.0, "0 %"), (0.001, "under 1 %"), (0.5, "50 %"), (0.999, "over 99 %"), (1.0, "100 %")],
)
def test_a_share_is_0_or_100_percent_only_where_it_is(share: float, said: str) -> None:
    assert words.percent(share) == said


def test_an_interval_that_is_missing_is_not_said() -> None:
    assert words.interval(1.0, 2.5, 1) == "95 % interval 1.0 to 2.5"
    assert words.interval(MISSING, 2.5) == ""


def test_one_thing_and_several_are_counted_as_english_does() -> None:
    assert words.count(1, "day") == "1 day"
    assert words.count(1200, "walking bout") == "1,200 walking bouts"


def test_a_list_has_one_and() -> None:
    assert words.joined(["a"]) == "a"
    assert words.joined(["a", "b", "c"]) == "a, b and c"


def test_a_range_without_an_interval_is_a_dash() -> None:
    assert words.range_of(1.0, 2.0, 1) == "1.0 to 2.0"
    assert words.range_of(MISSING, 2.0) == words.MISSING


def test_a_moment_names_day_and_clock() -> None:
    assert words.moment(pd.Timestamp("2026-10-19 07:05")) == "Mon 19 Oct 2026 07:05"


def test_hours_after_midnight_are_shown_as_a_clock_does() -> None:
    assert words.time_of_day(7.5) == "07:30"
    assert words.time_of_day(23.9999) == "00:00"


@pytest.mark.parametrize(
    ("value", "said"), [(0, "0 min"), (1 / 60, "1 min"), (1.5, "90 min"), (162.3, "162 h")]
)
def test_a_short_time_is_said_in_minutes(value: float, said: str) -> None:
    assert words.hours(value) == said
