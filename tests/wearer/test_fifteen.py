"""The 15-second log: its grid, its buffer and its scores."""

import numpy as np
import pandas as pd

SCORES = ("sc_slp", "sc_fcs", "sc_tsn", "sc_clm", "sc_slp_std")


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
