"""A day as it is lived: its length, its mishaps, and what the eyewear takes for wear."""

from datetime import date, timedelta

import numpy as np
import pytest

import eyelog as el
from eyelog.clock import zone
from eyelog.wearer.day import KINDS, live, traits
from support.logs import columns
from support.wearers import FIFTEEN, SIXTY


def test_waking_hours_follow_the_clock_when_it_changes() -> None:
    for day in ("2026-03-28", "2026-03-29", "2026-10-25"):
        frame = el.simulate(day, 1, log=SIXTY, seed=3, tz="Europe/Berlin")
        worn = frame.index[(frame["wea_s"] >= 50) & (frame["lc_bk_n"] > 0)]
        assert 7 <= worn[0].hour <= 10, day


def test_a_day_that_the_zone_skipped_is_empty() -> None:
    frame = el.simulate("2011-12-30", 1, tz="Pacific/Apia")
    assert frame.empty
    assert tuple(frame.columns) == columns(FIFTEEN)
    assert el.simulate_truth("2011-12-30", 1, tz="Pacific/Apia").empty
    around = el.simulate("2011-12-29", 3, log=SIXTY, tz="Pacific/Apia", seed=1)
    assert set(around.index.strftime("%m-%d")) <= {"12-29", "12-31", "01-01"}
    assert around.index.is_unique


def test_still_wear_is_judged_off_about_30_percent_of_the_time_and_a_bag_worn() -> None:
    desk, lying, bag = [], [], []
    for seed in range(6):
        who = traits(seed)
        for n in range(7):
            day = live(seed, date(2026, 10, 19) + timedelta(days=n), who, zone("UTC"))
            assert day is not None
            desk.append(day.judged[(day.kind == KINDS["desk"]) & ~day.walking])
            lying.append(day.judged[np.isin(day.kind, [KINDS["lying"]])])
            bag.append(day.judged[day.walking & (day.kind == KINDS["bag_walk"])])
    assert np.concatenate(desk).mean() == pytest.approx(0.70, abs=0.04)
    assert np.concatenate(lying).mean() < 0.10
    assert np.concatenate(bag).all()
