"""What a reader of page one believes after planted weeks, and whether it is true."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.cohort_days import cohort_days
from support.reported import SIXTY, said

SINCE, TZ = "2026-10-26", "Asia/Tokyo"


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-08-31", 63, log=SIXTY, seed=7, tz=TZ)


def page(tmp_path: Path, frame: pd.DataFrame, *sections: str, since: str | None = SINCE) -> str:
    path = el.report(
        frame, tmp_path / "r.html", since=since, sections=sections or None, name="Person 7"
    )
    return path.read_text("utf-8")


def more_blinks(frame: pd.DataFrame, factor: float) -> pd.DataFrame:
    out, later = frame.copy(), frame.index > pd.Timestamp(SINCE, tz=TZ)
    chance = np.random.default_rng(1).random(int(later.sum()))
    out.loc[later, "lc_bk_n"] = np.floor(out.loc[later, "lc_bk_n"].astype(float) * factor + chance)
    return out.astype({"lc_bk_n": frame["lc_bk_n"].dtype})


def answers(text: str) -> list[str]:
    return [re.sub("<[^>]*>", "", one) for one in said(text, "answer")]


@pytest.mark.parametrize("factor", [1.25, 1.6])
def test_a_week_that_differs_as_a_whole_is_one_sentence(
    tmp_path: Path, frame: pd.DataFrame, factor: float
) -> None:
    text = page(tmp_path, more_blinks(frame, factor), "eyes", "baseline")
    (first,) = answers(text)
    assert first.startswith("In these 7 days Person 7 blinked more often than in the days before:")
    assert "of this wearer), compared with 56 days before that were worn for 4 h or more." in first
    assert first not in said(text)  # no section says it again
    assert said(text, "left-out") == []


def test_one_number_is_called_usual(tmp_path: Path, frame: pd.DataFrame) -> None:
    text = page(tmp_path, more_blinks(frame, 1.25), "days", "eyes", "walking", "head", "trust")
    sentences = said(text)
    assert not [one for one in sentences if "usual day" in one]
    with_intervals = [one for one in sentences if "95 % interval" in one]
    assert with_intervals
    for one in with_intervals:
        assert one.count("95 % interval") == one.count(", of this wearer)"), one


def test_nothing_stood_out_says_what_could_have_been_seen(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    whole = "A change from the days before of "
    one_day = "A day's distance from the usual value of "
    for since, change in ((SINCE, whole), ("2026-11-01", one_day)):
        (first,) = answers(page(tmp_path, frame, "trust", since=since))
        assert first.startswith("Nothing stood out among ")
        assert change in first
        assert first.endswith("in 80 of 100 such pages; a smaller one may be there.")


def test_a_hardly_worn_week_says_so_first_and_leaves_out_what_has_nothing(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    thin, later = frame.copy(), frame.index > pd.Timestamp(SINCE, tz=TZ)
    worn = np.flatnonzero(later & (frame["wea_s"] >= 50).to_numpy())
    off = np.setdiff1d(np.flatnonzero(later), worn[100:190])
    thin.iloc[off, thin.columns.get_loc("wea_s")] = 0
    text = page(tmp_path, thin)
    (first,) = answers(text)
    assert first.startswith("The eyewear was hardly worn: 90 min in 7 days.")
    assert (
        "Days; Walking; Head and posture (days worn for 4 h or more: 0 of 7"
        in said(text, "left-out")[0]
    )
    assert '<h2 id="days">' not in text
    assert said(text, "problem") == []


def test_one_day_is_not_called_a_median_and_has_no_interval_of_the_wearer(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    day = frame[frame.index > pd.Timestamp("2026-11-01", tz=TZ)]
    text = page(tmp_path, day, since=None)
    assert "On this day the eyewear was worn for " in said(text)[0]
    before_method = text.split('<h2 id="method">')[0]
    for words in ("median of", "Median of", "median day", "of this wearer", "0 to 0"):
        assert words not in re.sub(r"<svg.*?</svg>", "", before_method, flags=re.DOTALL), words


def test_rates_that_nobody_has_are_called_implausible_first(
    tmp_path: Path, frame: pd.DataFrame
) -> None:
    text = page(tmp_path, more_blinks(frame, 6.0), "trust")
    assert answers(text)[0].startswith("The blink rate is not plausible on 7 of 7 days: up to ")


def test_the_numbers_of_page_one_are_a_table(tmp_path: Path, frame: pd.DataFrame) -> None:
    text = page(tmp_path, frame, "trust")
    table = re.search(r'<div class="table numbers.*?</table>', text, re.DOTALL)[0]
    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table)
    days = el.daily(frame).iloc[-7:]
    assert cells[1] == "Worn (h per day)"
    rows = np.reshape(cells, (8, -1))[1:]
    assert [row[0] for row in rows] == [f"{day:%a} {day.day} {day:%b}" for day in days.index]
    assert [row[1].split()[0] for row in rows] == [f"{worn:.1f}" for worn in days["worn_h"]]
    assert re.fullmatch(r"[\d.]+ \([\d.]+ to [\d.]+\)", rows[0][1])


@pytest.mark.slow("a cohort's report is made")
def test_the_contrast_of_a_cohort_comes_first_also_without_an_outcome(tmp_path: Path) -> None:
    path = el.report_cohort(cohort_days(12, 6, effect=6.0), tmp_path / "r.html", by="group")
    text = path.read_text("utf-8")
    assert answers(text)[0].startswith("Treated wearers blinked more often than control wearers:")
    sections = re.findall(r'<h2 id="(\w+)">', text)
    assert sections[:2] == ["contents", "groups"]
