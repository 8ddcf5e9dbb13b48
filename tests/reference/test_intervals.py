"""How often an interval holds the planted truth, for every function that gives one, over 100 seeds.

A share of n trials is held against the level that is stated, within the limits that a binomial
count of that level leaves in 499 of 500 cases. An exact interval of a discrete statistic may hold
the truth more often than it says, never less; a percentile bootstrap of few blocks holds it a
little less often, and the test says by how much.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import eyelog as el
from reference.held import quietly
from reference.planted import fifteen, sixty
from reference.rows import MINUTES
from support.frames import frame_of

pytestmark = pytest.mark.slow("a level is a frequency: it needs many seeds")

SEEDS = 100


def generators(start: int, n: int = SEEDS) -> Iterable[np.random.Generator]:
    return (np.random.default_rng((start, seed)) for seed in range(n))


def held(hits: Sequence[bool], *, least: float = 0.95, most: float = 0.95) -> None:
    """Fail where the truth was held less often than `least` allows, or more than `most` does."""
    n = len(hits)
    low = stats.binom.ppf(0.001, n, least)
    high = n if most == 1 else stats.binom.ppf(0.999, n, most)
    assert low <= sum(hits) <= high, f"{sum(hits)} of {n} held the truth: {low:.0f} to {high:.0f}"


# Blink rates


def test_the_interval_of_a_blink_rate_holds_the_planted_rate() -> None:
    hits = []
    for rng in generators(1):
        found = el.blinks.rate(fifteen(rng, 80, rate=15)).iloc[0]
        hits.append(found["low"] <= 15 <= found["high"])
    held(hits)


def test_the_interval_of_a_rate_corrected_for_noise_holds_the_planted_rate() -> None:
    hits = []
    for rng in generators(2):
        frame = fifteen(rng, 480, rate=15, onsets=1)
        found = el.blinks.rate(frame, correct_noise=True).iloc[0]
        hits.append(found["low"] <= 15 <= found["high"])
    held(hits, least=0.93)  # the onsets of noise are estimated too


def test_the_interval_of_counted_blinks_holds_the_planted_rate() -> None:
    hits = []
    for rng in generators(3):
        found = quietly(el.blinks.rate, sixty(rng, 30, rate=14.41, noise_s=5)).iloc[0]
        hits.append(found["low"] <= 14.41 <= found["high"])
    held(hits)


def test_the_interval_of_exponential_gaps_is_a_little_narrow() -> None:
    hits = []
    for rng in generators(4):
        frame = sixty(rng, 60, rate=14.41)
        found = el.blinks.rate(frame, method="exponential").iloc[0]
        hits.append(found["low"] <= 14.41 <= found["high"])
    # A root mean square of exponential gaps varies by 1.118 times as much as their mean.
    level = 2 * stats.norm.cdf(1.96 / np.sqrt(1.25)) - 1
    held(hits, least=level - 0.01, most=level + 0.01)


def drifting(rng: np.random.Generator, blocks: int) -> np.ndarray:
    """Return a rate for each ten minutes, 15 on average, that varies by a quarter."""
    return rng.gamma(16, 15 / 16, blocks)


@pytest.mark.parametrize("log", ["fifteen", "sixty"])
def test_the_interval_of_a_daily_blink_rate_holds_the_planted_rate(log: str) -> None:
    hits = []
    for rng in generators(7):
        frame = fifteen(rng, 80, rate=15) if log == "fifteen" else sixty(rng, 30, rate=15)
        found = quietly(el.daily, frame).iloc[0]
        hits.append(found["blink_rate_low"] <= 15 <= found["blink_rate_high"])
    held(hits)


def test_the_bounds_of_a_standardised_mean_hold_the_mean_of_the_whole_time() -> None:
    index = pd.date_range("2026-10-01", periods=14 * 24, freq="h", tz="Asia/Tokyo")
    for rng in generators(14):
        whole = pd.Series(rng.beta(2, 4, len(index)) * 100, index=index)
        worn = rng.random(len(index)) < np.where(whole > 30, 0.8, 0.4)  # not at random
        found = el.compare.standardised_mean(whole[worn], possible=(0, 100))
        ends = {index[0], index[-1]} <= set(whole[worn].index)
        if ends:  # the reference time is that from the first to the last day
            assert found.lower <= whole.mean() <= found.upper


def test_the_bands_around_events_hold_the_planted_course() -> None:
    index = pd.date_range("2026-10-01", periods=1500, freq="min", tz="Asia/Tokyo")
    times = index[30::50]
    course = np.zeros(1500)
    for shift in range(1, 11):
        course[29 + shift :: 50] = shift  # of the minute that closes then
    mean, change = [], []
    for rng in generators(17):
        series = pd.Series(5 + course + rng.normal(0, 1, 1500), index=index)
        found = el.compare.events(series, times, before="10min", after="10min", draws=300)
        offsets = found.index.get_level_values("offset") / pd.Timedelta("1min")
        truth = np.clip(offsets, 0, 10)
        mean += [found["low"].le(5 + truth) & found["high"].ge(5 + truth)]
        change += [found["change_low"].le(truth) & found["change_high"].ge(truth)]
    for hits in (np.concatenate(mean), np.concatenate(change)):
        assert 0.935 < np.mean(hits) < 0.965


@pytest.mark.parametrize(("events", "share"), [(5, 0.92), (6, 0.93), (8, 0.94), (10, 0.945)])
def test_the_bands_around_few_events_hold_the_planted_mean_as_often_as_they_say(
    events: int, share: float
) -> None:
    # Offsets of one event are independent here, so each of them is a trial of its own.
    index = pd.date_range("2026-10-01", periods=50 * events, freq="min", tz="Asia/Tokyo")
    times = index[20::50]
    hits = []
    for rng in generators(20, 40):
        series = pd.Series(rng.normal(5, 1, len(index)), index=index)
        found = el.compare.events(series, times, before="15min", after="15min")
        hits += (found["low"].le(5) & found["high"].ge(5)).tolist()
    held(hits, least=share - 0.01, most=share + 0.01)


def test_the_peak_of_hourly_bins_is_within_its_interval_of_the_planted_one() -> None:
    minutes = np.arange(3 * 1440)
    level = 20 + 8 * np.cos(2 * np.pi * ((minutes + 0.5) / 60 - 15) / 24)
    hits = []
    for rng in generators(18):
        frame = frame_of(
            MINUTES, {"hm_yo": rng.poisson(level).astype(float)}, start="2026-10-20T00:00:00Z"
        )
        fit = el.rhythm.cosinor(quietly(el.resample, frame[["hm_yo"]], "1h")["hm_yo"])
        reach = stats.t.ppf(0.975, 3 - 1) * fit.peak_se_h
        hits.append(abs(fit.peak_h - 15) < reach)
    held(hits)
