"""What both logs share: the blink buffer and the gait of the two feet; and how far they agree."""

import pandas as pd
import pytest

from eyelog.wearer import habits
from support.wearers import FIFTEEN, hourly, steps_of, truth_of_sample


def test_a_blink_buffer_keeps_its_old_values_while_nothing_is_counted(
    fifteen: pd.DataFrame, sixty: pd.DataFrame
) -> None:
    bath = slice("2026-10-21 19:30", "2026-10-21 19:45")
    assert (sixty.loc[bath, "lc_bk_n"] == 0).all()
    for name in ("lc_bkw_av", "lc_bkh_av", "lc_bki_av", "sc_npt_av"):
        assert sixty.loc[bath, name].eq(sixty.loc[bath, name].iloc[0]).all(), name
    idle = (fifteen["bk_n"] == 0) & (fifteen["bk_n"].shift() == 0)
    same = fifteen["bkh_av"] == fifteen["bkh_av"].shift()
    assert same[idle].mean() > 0.99


def test_gait_fields_agree_and_differ_between_the_feet(
    fifteen: pd.DataFrame, sixty: pd.DataFrame
) -> None:
    for frame in (fifteen, sixty):
        walks = steps_of(frame) > 0
        for name in ("sa_xr", "sa_zl", "st_r"):
            assert ((frame[name] > 0) == walks).all(), name
        wanted = habits.traits(14).asymmetry[2]
        ratio = frame["sa_zr"][walks].mean() / frame["sa_zl"][walks].mean()
        assert ratio == pytest.approx(wanted, abs=0.015)
    assert ((fifteen["cad"] > 0) == (fifteen["stp"] > 0)).all()
    assert fifteen["cad"][fifteen["stp"] > 10].between(75, 180).all()


def test_both_logs_count_the_same_steps(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    truth = truth_of_sample(FIFTEEN)
    whole = truth.index[truth["recorded_min"] == 60]
    one, other = (
        hourly(steps_of(frame)).reindex(whole, fill_value=0) for frame in (fifteen, sixty)
    )
    walked = one > 200
    assert walked.sum() > 15
    # They differ by the edges: an interval of 15 s may run over the end of the hour.
    assert ((one - other).abs() <= 30).all()
    assert other.sum() / one.sum() == pytest.approx(1, abs=0.01)


def test_both_logs_see_the_same_wear_and_blinks(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    truth = truth_of_sample(FIFTEEN)
    whole = truth.index[truth["recorded_min"] == 60]
    worn = hourly((~fifteen["isl"]).astype(float) * 15).reindex(whole, fill_value=0)
    also = hourly(sixty["wea_s"]).reindex(whole, fill_value=0)
    assert (worn - also).abs().max() < 150
    blinks = hourly(fifteen["bk_n"]).reindex(whole, fill_value=0)
    others = hourly(sixty["lc_bk_n"]).reindex(whole, fill_value=0)
    assert blinks.sum() / others.sum() == pytest.approx(1, abs=0.05)
