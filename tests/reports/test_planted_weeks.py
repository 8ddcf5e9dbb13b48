"""What a reader of page one believes after planted weeks, and whether it is true."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.reported import SIXTY, TZ, Page, page_of

SINCE, PERSON = "2026-10-26", "Person 7"
STEPS = ["stp_fst", "stp_mid", "stp_slw", "stp_vsl", "stp_s"]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-08-31", 63, log=SIXTY, seed=7, tz=TZ)


def page(frame: pd.DataFrame, *sections: str, since: str | None = SINCE) -> Page:
    return page_of(frame, *sections, since=since, name=PERSON)


def times(
    frame: pd.DataFrame, fields: list[str], factor: Callable[[np.ndarray], np.ndarray]
) -> pd.DataFrame:
    """Return records with counts so many times as high, by the number of the day."""
    out, generator = frame.copy(), np.random.default_rng(1)
    day = (frame.index - pd.Timedelta("1s")).normalize()
    by = factor((day - day[0]).days.to_numpy())
    for name in fields:
        many = np.floor(frame[name].astype(float) * by + generator.random(len(frame)))
        out[name] = many.astype(frame[name].dtype)
    return out


def more_blinks(frame: pd.DataFrame, factor: float) -> pd.DataFrame:
    return times(frame, ["lc_bk_n"], lambda day: np.where(day >= 56, factor, 1.0))


@pytest.mark.parametrize("factor", [1.25, 1.6])
def test_a_week_that_differs_as_a_whole_is_one_sentence(frame: pd.DataFrame, factor: float) -> None:
    found = page(more_blinks(frame, factor), "eyes", "baseline")
    (first,) = found.answers
    assert first.startswith("In these 7 days Person 7 blinked more often than in the days before:")
    assert "of this wearer), compared with 56 days before that were worn for 4 h or more." in first
    assert first not in found.said()  # no section says it again
    assert found.said("left-out") == []


def test_a_new_level_and_a_trend_are_said_with_their_intervals(frame: pd.DataFrame) -> None:
    month = frame[frame.index > pd.Timestamp("2026-09-28", tz=TZ)]
    moved = times(month, STEPS, lambda day: np.where(day >= 16, 0.4, 1.0))
    moved = times(moved, ["hm_yo"], lambda day: 1.0 + 0.04 * day)
    found = page(moved, "baseline", since=None)
    (level,) = [one for one in found.answers if "steps" in one]
    assert level.startswith("From Wed 14 Oct on Person 7 took fewer steps than before: ")
    assert "of this wearer" in level
    (line,) = [one for one in found.answers if "turned" in one]
    assert line.startswith("From week to week Person 7 turned the head more often: ")
    days = el.daily(moved)
    slope = el.baseline.trend(days["head_moves_yaw_per_h"]).slope
    assert f"{slope * 7:,.1f} per h worn each week" in line
    rows = found.cells("Change per week, and new levels")
    assert rows["Steps (per day)"][4] == "Wed 14 Oct 2026"
    worn = el.baseline.trend(days["worn_h"]).slope
    assert rows["Worn (h per day)"][0] == f"{worn * 7:.2f}"


def test_single_days_are_named_the_strongest_first_and_at_most_three(frame: pd.DataFrame) -> None:
    odd = times(frame, ["lc_bk_n"], lambda day: np.where((day == 58) | (day == 60), 3.0, 1.0))
    odd = times(odd, ["hm_yo"], lambda day: np.where((day == 59) | (day == 61), 4.0, 1.0))
    found = page(odd, "baseline")
    named = "On (?:Wed 28|Thu 29|Fri 30|Sat 31) Oct Person 7 (?:blinked|turned the head) more often"
    assert len(found.answers) == 3
    assert all(re.match(named, one) for one in found.answers)
    (left,) = [one for one in found.said() if re.match(named, one)]  # page one has no room for it
    assert left not in found.answers
    assert found.said("looked")[0].endswith("(Holm); 1 more result stands out.")
    rows = found.cells("Change from the days before, and new levels")
    assert rows["Blink rate (per min)"][-1] in ("Wed 28 Oct 2026", "Fri 30 Oct 2026")


def test_a_thin_day_is_never_a_sentence_and_is_named_where_trust_is(frame: pd.DataFrame) -> None:
    odd = times(frame, ["lc_bk_n"], lambda day: np.where(day == 58, 3.0, 1.0))
    day = odd.index.normalize() == pd.Timestamp("2026-10-28", tz=TZ)
    odd.loc[day & (odd.index.hour >= 12), "wea_s"] = 0
    found = page_of(odd, since=SINCE, glance=True)  # no name is given
    assert found.answers[0].startswith("Nothing stood out among ")
    assert re.search(
        r"^How far to trust it. Wed 28 Oct \(\d h worn\) is thin. Of ", found.said("trust")[0]
    )
    named = page_of(more_blinks(frame, 1.6), since=SINCE, glance=True)
    assert " the wearer blinked more often" in named.answers[0]


def test_one_number_is_called_usual(frame: pd.DataFrame) -> None:
    sentences = page(more_blinks(frame, 1.25), "days", "eyes", "walking", "head", "trust").said()
    assert not [one for one in sentences if "usual day" in one]
    with_intervals = [one for one in sentences if "95 % interval" in one]
    assert with_intervals
    for one in with_intervals:
        assert one.count("95 % interval") == one.count(", of this wearer)"), one


def test_nothing_stood_out_says_what_could_have_been_seen(frame: pd.DataFrame) -> None:
    whole = "A change from the days before of "
    one_day = "A day's distance from the usual value of "
    for since, change in ((SINCE, whole), ("2026-11-01", one_day)):
        (first,) = page(frame, "trust", since=since).answers
        assert first.startswith("Nothing stood out among ")
        assert change in first
        assert first.endswith("in 80 of 100 such pages; a smaller one may be there.")


def test_a_hardly_worn_week_says_so_first_and_leaves_out_what_has_nothing(
    frame: pd.DataFrame,
) -> None:
    thin, later = frame.copy(), frame.index > pd.Timestamp(SINCE, tz=TZ)
    worn = np.flatnonzero(later & (frame["wea_s"] >= 50).to_numpy())
    off = np.setdiff1d(np.flatnonzero(later), worn[100:190])
    thin.iloc[off, thin.columns.get_loc("wea_s")] = 0
    found = page(thin)
    (first,) = found.answers
    assert first.startswith("The eyewear was hardly worn: 90 min in 7 days.")
    left_out = "Days; Walking; Head and posture (days worn for 4 h or more: 0 of 7"
    assert left_out in found.said("left-out")[0]
    assert "days" not in found.sections
    assert found.said("problem") == []


def test_one_day_is_not_called_a_median_and_has_no_interval_of_the_wearer(
    frame: pd.DataFrame,
) -> None:
    found = page(frame[frame.index > pd.Timestamp("2026-11-01", tz=TZ)], since=None)
    assert "On this day the eyewear was worn for " in found.said()[0]
    before_method = found.html.split('<h2 id="method">')[0]
    for words in ("median of", "Median of", "median day", "of this wearer", "0 to 0"):
        assert words not in re.sub(r"<svg.*?</svg>", "", before_method, flags=re.DOTALL), words


def test_rates_that_nobody_has_are_called_implausible_first(frame: pd.DataFrame) -> None:
    found = page(more_blinks(frame, 6.0), "trust")
    assert found.answers[0].startswith("The blink rate is not plausible on 7 of 7 days: up to ")


def test_the_numbers_of_page_one_are_a_table(frame: pd.DataFrame) -> None:
    headers, *rows = page(frame, "trust").table("The same in numbers")
    days = el.daily(frame).iloc[-7:]
    assert headers[1] == "Worn (h per day)"
    assert [row[0] for row in rows] == [f"{day:%a} {day.day} {day:%b}" for day in days.index]
    assert [row[1].split()[0] for row in rows] == [f"{worn:.1f}" for worn in days["worn_h"]]
    assert re.fullmatch(r"[\d.]+ \([\d.]+ to [\d.]+\)", rows[0][1])
