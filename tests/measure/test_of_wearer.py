"""Intervals of rates that are about the wearer."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eyelog as el

SIXTY = "standard_mode_logs"


def reach_of_days(rate: float, without: np.ndarray) -> float:
    """Return how far the 95 % interval of a rate over neighbouring days reaches, as a factor.

    From the pseudo-values of the jackknife of its logarithm. How alike days are is their
    autocorrelation, corrected for its bias and shrunk as if seven days of 0.3 stood beside.
    """
    n = len(without)
    off = (n - 1) * (rate - without) / rate
    off -= off.mean()
    lag = (off[1:] @ off[:-1]) / (off @ off)
    phi = (n * np.clip(lag + (2 + 4 * lag) / n, 0, 0.9) + 7 * 0.3) / (n + 7)
    alike = (phi ** np.abs(np.subtract.outer(np.arange(n), np.arange(n)))).sum()
    error = np.sqrt((off @ off) / (n - alike / n) * alike) / n
    return np.exp(stats.t.ppf(0.975, n**2 / alike - 1) * error)


def days_of(frame: pd.DataFrame, **more: object) -> pd.DataFrame:
    return el.blinks.rate(frame, by="1D", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("log", ["computed_data", SIXTY])
def test_the_interval_of_the_wearer_takes_days_as_the_units(log: str) -> None:
    frame = el.sample(log)
    found = el.blinks.rate(frame, of="wearer").loc["all"]
    days = days_of(frame)
    counts, minutes = days["n"].to_numpy(), days["exposure_min"].to_numpy()
    without = (counts.sum() - counts) / (minutes.sum() - minutes)
    reach = reach_of_days(counts.sum() / minutes.sum(), without)
    exact = el.blinks.rate(frame).loc["all"]
    assert found["rate_per_min"] == exact["rate_per_min"]
    assert found["low"] == pytest.approx(found["rate_per_min"] / reach)
    assert found["high"] == pytest.approx(found["rate_per_min"] * reach)
    assert (found["of"], found["days"], found["reason"]) == ("wearer", len(days), "")
    assert exact["of"] == "minutes"
    assert found["low"] < exact["low"] < exact["high"] < found["high"]


@pytest.mark.parametrize("method", ["rms", "exponential"])
def test_readings_of_average_gaps_are_left_out_day_by_day_too(method) -> None:
    frame = el.sample(SIXTY)
    found = el.blinks.rate(frame, of="wearer", method=method).loc["all"]
    dates = (frame.index - pd.Timedelta("1s")).normalize()
    without = [
        el.blinks.rate(frame[dates != date], method=method)["rate_per_min"].iloc[0]
        for date in dates.unique()
    ]
    rate = found["rate_per_min"]
    reach = reach_of_days(rate, np.array(without))
    assert found["low"] == pytest.approx(rate / reach, rel=1e-6)


def test_few_days_have_the_interval_of_their_minutes_and_say_so() -> None:
    frame = el.sample()
    found = el.blinks.rate(frame, by="weekend", of="wearer")
    assert found["of"].to_dict() == {"weekday": "wearer", "weekend": "minutes"}
    assert "fewer than 5 days" in found.loc["weekend", "reason"]
    exact = el.blinks.rate(frame, by="weekend")
    assert found.loc["weekend", "low"] == exact.loc["weekend", "low"]
    assert found["rate_per_min"].equals(exact["rate_per_min"])


def test_a_rate_that_is_missing_has_no_interval_of_any_kind() -> None:
    frame = el.sample().iloc[:8]
    found = el.blinks.rate(frame, of="wearer").iloc[0]
    assert np.isnan(found["rate_per_min"])
    assert (found["of"], found["days"]) == ("minutes", 0)
    assert "too little usable time" in found["reason"]
    assert el.blinks.rate(frame.iloc[:0], of="wearer", by="1D").empty


def test_labels_within_days_have_the_days_on_which_they_occur() -> None:
    frame = el.sample()
    label = np.where(frame.index.hour < 12, "morning", None)
    found = el.blinks.rate(frame, by=label, of="wearer")
    alone = el.blinks.rate(frame[frame.index.hour < 12], of="wearer")
    assert found.index.tolist() == ["morning"]
    assert found.loc["morning", "days"] == 7
    assert found.loc["morning", "low"] == pytest.approx(alone.loc["all", "low"])


def test_bins_give_the_interval_of_their_records() -> None:
    frame = el.sample()
    bins = el.intervals(frame, "1h")
    ours, theirs = (el.blinks.rate(f, of="wearer").loc["all"] for f in (bins, frame))
    assert ours["low"] == pytest.approx(theirs["low"], rel=1e-6)


def test_what_it_cannot_be_about_is_refused() -> None:
    with pytest.raises(el.ConfigurationError, match="of must be 'minutes' or 'wearer'"):
        el.blinks.rate(el.sample(), of="days")  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="correct_noise gives the interval of these"):
        el.blinks.rate(el.sample(), of="wearer", correct_noise=True)


@pytest.mark.parametrize("log", ["computed_data", SIXTY])
def test_pace_and_head_movements_have_the_interval_of_the_wearer_too(log: str) -> None:
    frame = el.sample(log)
    for table, rate, low, high in (
        (el.gait.pace, "pace_spm", "low", "high"),
        (el.posture.head_movements, "pitch_per_h", "pitch_low", "pitch_high"),
        (el.posture.head_movements, "yaw_per_h", "yaw_low", "yaw_high"),
    ):
        found, plain = table(frame, of="wearer").loc["all"], table(frame)
        days = table(frame, by="1D")
        days = days[days["exposure_min"] >= 3]
        counts = (days[rate] * days["exposure_min"]).to_numpy()
        minutes = days["exposure_min"].to_numpy()
        without = (counts.sum() - counts) / (minutes.sum() - minutes)
        reach = reach_of_days(counts.sum() / minutes.sum(), without)
        assert found[rate] == plain.loc["all", rate]
        assert found[low] == pytest.approx(found[rate] / reach, rel=1e-6)
        assert found[high] == pytest.approx(found[rate] * reach, rel=1e-6)
        assert (found["of"], found["days"], found["reason"]) == ("wearer", len(days), "")
        assert not {low, "of", "days"} & set(plain.columns)
        few = table(frame, of="wearer", by="weekend").loc["weekend"]
        assert np.isnan(few[low])
        assert few["reason"] == "fewer than 5 days"
