"""The 60-second log: the minute, and which minutes it lacks."""

import pandas as pd

from support.wearers import steps_of


def test_a_stamp_closes_its_interval_so_the_last_may_be_midnight(sixty: pd.DataFrame) -> None:
    assert str(sixty.index[0]) == "2026-10-19 00:01:00+09:00"
    assert str(sixty.index[-1]) == "2026-10-26 00:00:00+09:00"


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
