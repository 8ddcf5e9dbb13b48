"""Traits and plans: what happens in a week."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.wearer import habits
from support.wearers import MONDAY, SIXTY, fortnight, on_a_head


def test_the_sample_week_contains_its_mishaps(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    tuesday = slice("2026-10-20 09:00", "2026-10-20 17:00")
    assert fifteen.loc[tuesday].empty
    assert len(sixty.loc[tuesday]) == 481
    afternoon = slice("2026-10-22 14:00", "2026-10-22 17:00")
    assert sixty.loc[afternoon].empty  # the battery is flat
    assert (sixty.loc["2026-10-22 11:00":"2026-10-22 12:00", "bl"] == 1).all()
    assert (sixty.loc["2026-10-22 22:00":"2026-10-22 23:00", "bl"] == 0).all()
    bag = sixty.loc["2026-10-23 18:00":"2026-10-23 21:00"]
    carried = bag[bag["tl_xav"] > 60]
    assert carried["wea_s"].median() > 45
    assert (carried["wea_s"][carried["stp_s"] > 30] > 40).all()
    assert (carried["lc_bk_n"] == 0).mean() > 0.9
    sunday = sixty.loc["2026-10-25"]
    assert np.diff(sunday.index.asi8).max() > 40 * 60e6  # upside down it sleeps
    assert (sunday["bl"] > 0).any()


@pytest.mark.parametrize("seed", range(4))
def test_nights_are_unworn_and_weekends_differ(seed: int) -> None:
    frame = fortnight(SIXTY, seed)
    night = frame[frame.index.hour < 5]
    assert (night["wea_s"] < 20).mean() > 0.95
    assert not on_a_head(night).any()
    assert (night["lc_bk_n"] == 0).all()
    work = frame[(frame.index.hour == 10) & (frame.index.day_of_week < 5)]
    home = frame[(frame.index.hour == 7) & (frame.index.day_of_week < 5)]
    weekend = frame[(frame.index.hour == 7) & (frame.index.day_of_week >= 5)]
    assert work["wea_s"].mean() > 35
    assert home["wea_s"].mean() > weekend["wea_s"].mean()


def test_another_seed_is_another_person() -> None:
    one, two = (el.simulate(MONDAY, 1, log=SIXTY, seed=seed) for seed in (1, 2))
    assert not one.equals(two)
    assert habits.traits(1) != habits.traits(2)
