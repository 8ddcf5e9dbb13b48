"""Records that lack what a report usually finds still make a whole page."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.reported import FIFTEEN, SIXTY, frame, said

pytestmark = pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")


def test_records_of_which_no_value_is_lost_have_no_table_of_reasons(tmp_path: Path) -> None:
    whole = el.sample()
    clean = whole.loc[el.flag(whole)["stp"] == 0, ["isl", "vld", "nis_time", "stp", "hm_yo"]].head(
        78
    )
    page = el.report(clean, tmp_path / "r.html", sections=["trust"]).read_text()
    assert "A table is left out: no value has a reason against it." in said(page, "problem")


def test_page_one_does_not_say_how_long_walking_was_if_nothing_shows_it(tmp_path: Path) -> None:
    still = frame(FIFTEEN, 3).drop(columns="cad")
    page = el.report(still, tmp_path / "r.html", sections=["days"]).read_text()
    assert said(page, "problem") == []
    assert "are not usable for the eyes." in page


def test_masked_records_have_a_method_without_another_reading_of_wear(tmp_path: Path) -> None:
    whole = frame(SIXTY, 3)
    masked = el.mask(whole, el.flag(whole))
    page = el.report(masked, tmp_path / "r.html", sections=["days"]).read_text()
    assert said(page, "problem") == []
    assert "masked before, so the other reading cannot be tried." in page


def test_a_tilt_without_any_value_is_not_described(tmp_path: Path) -> None:
    blank = frame(SIXTY, 3).copy()
    blank["tl_yav"] = blank["tl_yav"].mask(blank["tl_yav"].notna())
    page = el.report(blank, tmp_path / "r.html", sections=["head"]).read_text()
    assert any("the wearer nodded" in one for one in said(page, "finding"))
    assert "The fore-aft tilt was most often" not in page


def test_a_median_is_said_to_be_of_the_days_that_have_the_value(tmp_path: Path) -> None:
    days = frame(SIXTY, 9).copy()
    late = days.index > days.index[0] + pd.Timedelta("3D")
    days.loc[late, [name for name in days if name.startswith("hm_p")]] = pd.NA
    page = el.report(days, tmp_path / "r.html", sections=["days", "head"]).read_text()
    assert any(one.startswith("On the median day (n = 3) the wearer nodded") for one in said(page))
    assert "(3 days)</td>" in page


def test_a_week_of_thin_days_is_compared_as_a_whole_with_the_days_before(tmp_path: Path) -> None:
    whole = el.simulate("2026-08-24", 35, log=SIXTY, seed=7, tz="Asia/Tokyo")
    since = pd.Timestamp("2026-09-21", tz="Asia/Tokyo")
    thin = whole[(whole.index <= since) | (whole.index.hour < 13)]
    page = el.report(thin, tmp_path / "r.html", sections=["baseline"], since="2026-09-21")
    text = page.read_text()
    assert "searched for a difference from the days before" in text
    assert "cannot be compared" not in text
    assert "no day can be compared" not in text
    assert "own 56 days before" in text
