"""The records of both logs: grid, buffer, scores, the minute; and how far they agree."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.wearers import FIFTEEN, SIXTY, hourly, steps_of, truth_of_sample

SCORES = ("sc_slp", "sc_fcs", "sc_tsn", "sc_clm", "sc_slp_std")


@pytest.fixture(scope="module")
def fifteen() -> pd.DataFrame:
    return el.sample(FIFTEEN)


@pytest.fixture(scope="module")
def sixty() -> pd.DataFrame:
    return el.sample(SIXTY)


def test_the_grid_of_15_seconds_starts_when_the_phone_connects(fifteen: pd.DataFrame) -> None:
    seconds = fifteen.index.asi8 // 1_000_000
    steps = np.diff(seconds)
    assert (steps >= 15).all()
    assert (steps == 15).mean() > 0.99
    assert len(set(seconds % 15)) > 5


def test_a_connection_through_the_night_keeps_its_grid(fifteen: pd.DataFrame) -> None:
    night = fifteen.loc["2026-10-23 23:50":"2026-10-24 06:00"]
    assert set(np.diff(night.index.asi8)) == {15_000_000}
    assert (night["bl"].iloc[10:] == 0).all()


def test_gw_is_an_empty_text_not_missing(fifteen: pd.DataFrame) -> None:
    assert (fifteen["gw"] == "").all()


def test_values_vary_with_the_life_of_the_wearer(fifteen: pd.DataFrame) -> None:
    for name in ("stp", "bk_n", "bki_sum", "tl_yav", "hm_yo", "re_r", "sc_fcs", "nis_time", "bl"):
        assert fifteen[name].nunique() > 4, name


def test_the_blink_statistics_of_a_record_agree(fifteen: pd.DataFrame) -> None:
    f = fifteen
    assert (f["bk_n"] <= f["rbk_n"]).all()
    assert (f["bki_n"] <= f["rbk_n"]).all()
    some = f["bk_n"] > 0
    exact = f["bkh_sum"] - f["bk_n"] * f["bkh_av"]
    assert (exact[some].abs() <= 0.005 * f["bk_n"][some] + 1e-9).all()
    assert (f["bkh_sum"][~some] == 0).all()
    assert (f["bkh_max"] >= f["bkh_av"] - 0.01)[some].all()
    gaps = f["bki_n"] > 0
    exact = f["bki_sum"] - f["bki_n"] * f["bki_av"]
    assert (exact[gaps].abs() <= 0.005 * f["bki_n"][gaps] + 1e-9).all()
    assert (f["bki_sum"][~gaps] == 0).all()
    assert (f.loc[f["bk_n"] == 1, ["bkh_sd", "npt_sd"]] == 0).all(axis=None)


def test_validity_and_scores_keep_to_their_definitions(fifteen: pd.DataFrame) -> None:
    f = fifteen
    assert (f["vld"] == ((f["nis_time"] < 3) & (f["stp"] < 5))).all()
    for name in SCORES:
        assert (f[name][~f["vld"] | f["isl"]] == -1).all(), name
        assert (f[name] != -1).mean() > 0.25, name
    assert f[["sc_npt", "bkh_av_wa"]].isna().any().all()
    assert f["cum_time"].groupby(f.index.date).is_monotonic_increasing.mean() > 0.8


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
