"""The 60-second log: the minute, and which minutes it lacks."""

from datetime import date, timedelta

import numpy as np
import pandas as pd
import pytest

from eyelog.clock import zone
from eyelog.wearer import habits
from eyelog.wearer.simulated_day import live
from support.wearers import SIXTY, fortnight, steps_of


def test_the_60_second_log_keeps_to_the_minute(sixty: pd.DataFrame) -> None:
    assert (sixty.index.second == 0).all()


def test_a_stamp_closes_its_interval_so_the_last_may_be_midnight(sixty: pd.DataFrame) -> None:
    assert str(sixty.index[0]) == "2026-10-19 00:01:00+09:00"
    assert str(sixty.index[-1]) == "2026-10-26 00:00:00+09:00"


@pytest.mark.parametrize("seed", range(4))
def test_only_flat_or_sleeping_eyewear_writes_no_record(seed: int) -> None:
    first = date(2026, 10, 19)
    who = habits.traits(seed)
    frame = fortnight(SIXTY, seed)
    stamps = frame.index.asi8 // 1_000_000
    for n in range(14):
        day = live(seed, first + timedelta(days=n), who, zone("UTC"))
        assert day is not None
        there = np.isin(day.begin + 60 * np.arange(1, 1441), stamps)
        on = day.on.reshape(-1, 60).any(axis=1)
        np.testing.assert_array_equal(there, on)
        off = ~day.on & (day.kind != habits.KINDS["asleep"])
        assert not off.any() or not day.plan.before.charged


def test_the_minute_holds_no_more_than_a_minute(sixty: pd.DataFrame) -> None:
    for name in ("nis_s", "wea_s", "stp_s"):
        assert (sixty[name] <= sixty["val_s"]).all(), name
    assert (sixty["sc_bk_n"] <= sixty["lc_bk_n"]).all()
    assert (sixty["lc_bkg_n"] * 2 <= sixty["lc_bk_n"] + 1).all()
    whole = sixty[sixty["stp_s"] >= 50]
    pace = steps_of(whole) * 60 / whole["stp_s"]
    assert pace.between(70, 180).all()
    assert sixty[["ems_rl", "ems_ud"]].max().max() == 255  # saturation, rare
    assert (sixty["ems_rl"] == 255).mean() < 0.01
