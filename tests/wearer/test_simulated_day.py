"""A day as it is lived: its length, its mishaps, and what the eyewear takes for wear."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import LOGS, columns
from eyelog.clock import day_start, zone
from eyelog.wearer import habits
from eyelog.wearer.simulated_day import live
from support.wearers import FIFTEEN, MONDAY, SIXTY


@pytest.mark.parametrize(
    ("day", "tz", "hours"),
    [
        ("2026-03-29", "Europe/Berlin", 23),
        ("2026-10-25", "Europe/Berlin", 25),
        ("2026-04-05", "Australia/Lord_Howe", 25),  # a day of 24 hours and a half
        ("2026-10-04", "Australia/Lord_Howe", 24),
        ("2026-10-24", "Asia/Kathmandu", 24),
        ("2018-11-04", "America/Sao_Paulo", 23),  # no midnight
        ("1994-12-30", "Pacific/Kiritimati", 24),  # the next day is left out
    ],
)
@pytest.mark.parametrize("log", LOGS)
def test_days_of_any_length_are_simulated(day: str, tz: str, hours: int, log: str) -> None:
    frame = el.simulate(day, 1, log=log, tz=tz, seed=1)
    first = date.fromisoformat(day)
    begin, end = (day_start(first + timedelta(days=n), zone(tz)) for n in (0, 1))
    assert frame.index[0] > begin
    assert frame.index[-1] <= end
    assert len(el.simulate_truth(day, 1, log=log, tz=tz, seed=1)) == hours
    lived = live(1, first, habits.traits(1), zone(tz))
    assert lived is not None
    assert lived.seconds == (end - begin).total_seconds()
    if log == SIXTY:
        assert len(frame) == lived.on.reshape(-1, 60).any(axis=1).sum()


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
        who = habits.traits(seed)
        for n in range(7):
            day = live(seed, date(2026, 10, 19) + timedelta(days=n), who, zone("UTC"))
            assert day is not None
            desk.append(day.judged[(day.kind == habits.KINDS["desk"]) & ~day.walking])
            lying.append(day.judged[np.isin(day.kind, [habits.KINDS["lying"]])])
            bag.append(day.judged[day.walking & (day.kind == habits.KINDS["bag_walk"])])
    assert np.concatenate(desk).mean() == pytest.approx(0.70, abs=0.04)
    assert np.concatenate(lying).mean() < 0.10
    assert np.concatenate(bag).all()


def test_the_planted_blink_rate_depends_on_the_activity() -> None:
    who = habits.traits(5)
    rates: dict[str, list[float]] = {"read": [], "desk": [], "talk": []}
    for n in range(5):
        day = live(5, date(2026, 10, 19) + timedelta(days=n), who, zone("UTC"))
        assert day is not None
        for name, found in rates.items():
            at = day.kind == habits.KINDS[name]
            found.extend(day.blink_cells[at].tolist())
    assert np.mean(rates["read"]) < np.mean(rates["desk"]) < np.mean(rates["talk"])


def test_the_zone_moves_the_same_day_to_another_place() -> None:
    here = el.simulate(MONDAY, 2, seed=2, tz="UTC")
    there = el.simulate(MONDAY, 2, seed=2, tz="Asia/Kolkata")
    assert (here.index.tz_localize(None) == there.index.tz_localize(None)).all()
    one, other = (frame.reset_index(drop=True) for frame in (here, there))
    pd.testing.assert_frame_equal(one, other)
