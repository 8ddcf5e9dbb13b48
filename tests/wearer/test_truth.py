"""The truth: it covers the time of the records, and estimates from records recover it."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.logs import LOGS
from support.wearers import (
    FIFTEEN,
    SIXTY,
    fortnight,
    on_a_head,
    steps_of,
    truth_of_fortnight,
    truth_of_sample,
)


@pytest.mark.parametrize("log", LOGS)
def test_truth_and_records_cover_the_same_time(log: str) -> None:
    frame, truth = el.sample(log), truth_of_sample(log)
    assert len(truth) == 168
    assert truth.index.tz is frame.index.tz or str(truth.index.tz) == str(frame.index.tz)
    minutes = len(frame) / 4 if log == FIFTEEN else frame["val_s"].sum() / 60
    assert truth["recorded_min"].sum() == pytest.approx(minutes, abs=1)
    parts = truth[["worn_min", "carried_min", "walking_min", "blink_min"]]
    assert (parts.le(truth["recorded_min"] + 1e-9, axis=0)).all(axis=None)
    assert (truth["total_worn_min"] >= truth["worn_min"] - 1e-9).all()
    assert (truth["total_steps"] >= truth["steps"]).all()


def test_working_days_are_plausible() -> None:
    truth = truth_of_fortnight(SIXTY, 1)
    days = truth.groupby(truth.index.date).sum()
    assert days["total_worn_min"].between(8 * 60, 17.5 * 60).all()
    assert days["total_steps"].between(1500, 22_000).all()
    assert 4_000 < days["total_steps"].mean() < 12_000
    assert truth["pace_spm"].dropna().between(75, 185).all()
    assert truth["blink_rate_per_min"].dropna().between(5, 45).all()


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("seed", range(3))
def test_steps_are_recovered(log: str, seed: int) -> None:
    frame = fortnight(log, seed)
    truth = truth_of_fortnight(log, seed)
    counted = steps_of(frame)[on_a_head(frame)].sum()
    assert counted == pytest.approx(truth["steps"].sum(), rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_pace_is_recovered(seed: int) -> None:
    frame = fortnight(SIXTY, seed)
    truth = truth_of_fortnight(SIXTY, seed)
    whole = frame[(frame["stp_s"] >= 50) & on_a_head(frame)]
    weekday = whole[whole.index.day_of_week < 5]
    pace = steps_of(weekday).sum() * 60 / weekday["stp_s"].sum()
    walks = truth[(truth["walking_min"] > 6) & (truth.index.day_of_week < 5)]
    planted = (walks["pace_spm"] * walks["walking_min"]).sum() / walks["walking_min"].sum()
    assert pace == pytest.approx(planted, rel=0.06)


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("seed", range(3))
def test_wear_is_recovered_except_for_the_still_time(log: str, seed: int) -> None:
    frame = fortnight(log, seed)
    truth = truth_of_fortnight(log, seed)
    worn = frame["wea_s"] / 60 if log == SIXTY else (~frame["isl"]).astype(float) / 4
    share = worn[on_a_head(frame)].sum() / truth["worn_min"].sum()
    assert 0.75 < share < 0.92


def usable(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["vld"].astype(bool) & (frame["stp"] == 0) & on_a_head(frame)


@pytest.mark.parametrize("seed", range(4))
def test_the_planted_blink_rate_is_recovered_within_sampling_error(seed: int) -> None:
    frame = fortnight(FIFTEEN, seed)
    truth = truth_of_fortnight(FIFTEEN, seed)
    kept = frame[usable(frame)]
    gaps = kept.groupby(kept.index.ceil("1h") - pd.Timedelta("1h"))[["bki_n", "bki_sum"]].sum()
    hours = truth.join(gaps).query("blink_min > 20 and bki_n > 100")
    assert len(hours) > 100
    onsets = hours["noise_bouts"] / hours["blink_min"]  # noise takes the long gaps away
    rate = 60 * hours["bki_n"] / hours["bki_sum"] - onsets
    off = (rate / hours["blink_rate_per_min"] - 1) * np.sqrt(hours["bki_n"])
    assert abs(off[onsets < 0.3].mean()) < 0.35
    assert 0.85 < off[onsets < 0.3].std() < 1.25  # Poisson counts: standardised errors
    pooled = 60 * hours["bki_n"].sum() / hours["bki_sum"].sum()
    weight = hours["bki_sum"]
    planted = (hours["blink_rate_per_min"] * weight).sum() / weight.sum()
    expected = planted + (onsets * weight).sum() / weight.sum()
    assert pooled == pytest.approx(expected, rel=0.012)


@pytest.mark.parametrize("seed", range(4))
def test_leaving_out_time_judged_off_raises_the_blink_rate(seed: int) -> None:
    frame, truth = fortnight(FIFTEEN, seed), truth_of_fortnight(FIFTEEN, seed)
    kept = frame[usable(frame) & ~frame["isl"].astype(bool)]
    onsets = truth["noise_bouts"].sum() / truth["blink_min"].sum()
    rate = 60 * kept["bki_n"].sum() / kept["bki_sum"].sum() - onsets

    def planted(prefix: str) -> float:
        weight = truth[f"{prefix}blink_min"]
        return float((truth[f"{prefix}blink_rate_per_min"] * weight).sum() / weight.sum())

    assert rate == pytest.approx(planted("judged_"), rel=0.012)
    assert 1.02 < planted("judged_") / planted("") < 1.09


def test_the_blink_rate_of_the_60_second_log_is_recovered_from_its_root_mean_squares() -> None:
    frame = fortnight(SIXTY, 1)
    truth = truth_of_fortnight(SIXTY, 1)
    talk = truth[(truth["blink_min"] > 40) & (truth["noise_bouts"] < 8)]
    kept = frame[(frame["nis_s"] < 12) & (frame["stp_s"] == 0) & (frame["lc_bki_n"] > 0)]
    square = kept["lc_bki_n"] * kept["lc_bki_av"] ** 2
    sums = pd.DataFrame({"n": kept["lc_bki_n"], "square": square})
    hours = talk.join(sums.groupby(sums.index.ceil("1h") - pd.Timedelta("1h")).sum()).dropna()
    # Of exponential gaps the mean square is twice the squared mean.
    rate = 60 / np.sqrt(hours["square"] / hours["n"] / 2)
    ratio = rate / hours["blink_rate_per_min"]
    assert len(hours) > 20
    assert ratio.median() == pytest.approx(1, abs=0.08)
