"""What is estimated on simulated wearers and series, against what was planted, over many seeds.

The limits follow from the number of trials: a share of n trials at 95 % has a standard error of
sqrt(0.95 * 0.05 / n), and three of them are allowed. Where an estimate is known to miss the truth,
the test says by how much and why.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.clock import local_days
from eyelog.wearer import simulate as lives
from eyelog.wearer.draws import Draws, covered, sums
from support.frames import EYES, MINUTES

pytestmark = pytest.mark.slow("weeks are simulated over many seeds")

DAYS = 5
SEEDS = range(400, 412)


@cache
def lived(seed: int, log: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the log of a working week, and the truth behind it."""
    where = {"log": log, "seed": seed, "tz": "Asia/Tokyo"}
    start = "2026-10-19"
    return el.simulate(start, DAYS, **where), el.simulate_truth(start, DAYS, **where)


@cache
def days_of(log: str) -> pd.DataFrame:
    """Return the daily summaries of all wearers beside the planted totals, as ``true_...``."""
    found = []
    for seed in SEEDS:
        frame, truth = lived(seed, log)
        walked = (truth["pace_spm"] * truth["walking_min"]).rename("walked")
        planted = pd.concat([truth, walked], axis=1).groupby(local_days(truth.index)).sum()
        planted["pace_spm"] = planted["walked"] / planted["walking_min"]
        found.append(el.daily(frame).join(planted.add_prefix("true_"), how="inner"))
    return pd.concat(found)


def planted_rate(truth: pd.DataFrame) -> float:
    seen = truth.dropna(subset="judged_blink_rate_per_min")
    return np.average(seen["judged_blink_rate_per_min"], weights=seen["judged_blink_min"])


@cache
def resting(seed: int) -> pd.DataFrame:
    """Return the planted rate by hour at rest while judged worn, in all seconds without noise.

    The truth of the simulation counts quiet intervals alone. A rate that is corrected for noise
    takes the gaps of noisy intervals too, so it is held against the seconds without noise of both.
    """
    found = []
    for day in lives._days("2026-10-19", DAYS, EYES, seed, "Asia/Tokyo")[1]:
        lo, hi = lives._intervals(day, EYES)
        calm = sums(day.walking, lo, hi) == 0
        seen = day.on & day.worn & covered(lo[calm], hi[calm], day.seconds)
        free = seen & lives._judged(day, EYES, lo, hi) & ~day.noise
        cells = np.where(free, day.blink_cells, 0).reshape(24, 3600).sum(axis=1)
        seconds = free.reshape(24, 3600).sum(axis=1)
        blinks = Draws.per_minute(cells, lives.SLOTS_PER_MINUTE) / 60  # at this rate for a second
        openings = pd.to_datetime((day.begin + 3600 * np.arange(24)) * 10**6, unit="us", utc=True)
        found.append(pd.DataFrame({"blinks": blinks, "minutes": seconds / 60}, index=openings))
    hours = pd.concat(found)
    hours.index = hours.index.tz_convert("Asia/Tokyo")
    return hours.assign(resting_rate=hours["blinks"] / hours["minutes"])


def share_near(hits: list[bool], level: float = 0.95) -> None:
    """Hold a share of trials against its level, three standard errors allowed."""
    allowed = 3 * np.sqrt(level * (1 - level) / len(hits))
    assert np.mean(hits) == pytest.approx(level, abs=allowed)


def test_the_interval_of_an_hourly_blink_rate_holds_the_planted_rate() -> None:
    found = []
    for seed in SEEDS:
        frame, truth = lived(seed, EYES)
        crude = el.blinks.rate(frame, by="1h")
        fair = el.blinks.rate(frame, by="1h", correct_noise=True).add_prefix("fair_")
        quiet = truth[["judged_blink_rate_per_min", "judged_blink_min"]]
        found.append(crude.join(fair).join(quiet).join(resting(seed)["resting_rate"]))
    hours = pd.concat(found).query("judged_blink_min >= 10").dropna()
    assert len(hours) > 600
    rests = hours["resting_rate"]
    share_near(rests.between(hours["fair_low"], hours["fair_high"]).tolist())
    planted = hours["judged_blink_rate_per_min"]
    # Gaps that noise broke are lost: without the correction the rate lies too high.
    crude_share = planted.between(hours["low"], hours["high"]).mean()
    assert 0.88 < crude_share < 0.945
    # The onsets of noise are estimated too, so what counts is the width of the interval.
    off = (hours["fair_rate_per_min"] - rests) / (hours["fair_high"] - hours["fair_low"]) * 3.92
    assert abs(off.mean()) < 0.3  # of a standard error
    assert off.std() == pytest.approx(1, abs=0.12)


def test_the_blink_rate_of_a_week_is_found_within_two_percent() -> None:
    fair, crude = [], []
    for seed in SEEDS:
        frame, truth = lived(seed, EYES)
        rests = resting(seed)
        both = rests["blinks"].sum() / rests["minutes"].sum()
        fair.append(el.blinks.rate(frame, correct_noise=True)["rate_per_min"].iloc[0] / both)
        crude.append(el.blinks.rate(frame)["rate_per_min"].iloc[0] / planted_rate(truth))
    # Half a percent stays: minutes with many usable gaps are not a random part of the week. The
    # interval of 40,000 gaps is as wide as that, so it holds the truth less often than 95 %.
    assert np.mean(fair) == pytest.approx(1, abs=0.01)
    assert np.abs(np.subtract(fair, 1)).max() < 0.025
    assert np.mean(crude) > np.mean(fair) + 0.005


def test_the_blinks_counted_in_the_minute_log_give_the_rate_but_for_one_percent() -> None:
    weak = []
    for seed in SEEDS:
        frame, truth = lived(seed, MINUTES)
        planted = planted_rate(truth)
        found = el.blinks.cleansings(frame)["rate_per_min"].loc["all"] / planted
        weak.append(found["counts", "weak"])
        # Strict cleansing leaves out weak blinks, and those just after noise or a step.
        assert 0.94 < found["counts", "strong"] < 0.985
        assert found["rms", "strong"] < 0.8
        # The rate changes over the day, so gaps of the week scatter more than exponential ones:
        # their root mean square is too long by a few percent.
        fair = el.blinks.rate(frame, method="exponential", correct_noise=True)["rate_per_min"]
        assert 0.92 < fair.iloc[0] / planted < 1.0
    assert 0.985 < np.mean(weak) < 1  # weak cleansing leaves out few
    assert np.abs(np.subtract(weak, 1)).max() < 0.025


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_steps_per_day_are_those_walked_with_the_eyewear_on(log: str) -> None:
    days = days_of(log).query("true_steps > 1000")
    ratio = days["steps"] / days["true_steps"]
    assert len(days) > 48
    # Intervals at the edges of wear are judged off, or shared with a bag; a minute counts its steps
    # only if it was worn for 30 s (the vendor's filter), so the minute log loses more of them.
    least = {EYES: 0.97, MINUTES: 0.96}[log]
    assert ratio.between(least, 1.015).all()
    assert ratio.mean() > 0.99


def test_the_pace_of_a_day_is_the_planted_one() -> None:
    days = days_of(EYES).query("true_walking_min > 10")
    assert (days["pace_spm"] / days["true_pace_spm"]).between(0.99, 1.01).all()


def test_steady_minutes_are_quicker_than_all_walking() -> None:
    for seed in SEEDS:
        frame, truth = lived(seed, MINUTES)
        planted = np.average(truth["pace_spm"].fillna(0), weights=truth["walking_min"])
        every, steady = (
            el.gait.pace(frame, limits=el.Limits(min_walked_for_pace=least))["pace_spm"].iloc[0]
            for least in ("0s", "50s")
        )
        assert every == pytest.approx(planted, rel=0.005)
        # Walking about a room fills no minute, and is slower than walking somewhere.
        assert 1.03 < steady / planted < 1.15


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_worn_hours_are_those_that_the_eyewear_can_judge(log: str) -> None:
    days = days_of(log).query("true_judged_worn_min > 60")
    judged = 60 * days["worn_h"] / days["true_judged_worn_min"]
    assert judged.between(0.95, 1.1).all()
    assert judged.median() == pytest.approx(1, abs=0.015)
    # A wearer who sits still is judged off for about 30 % of that time.
    assert 0.8 < 60 * days["worn_h"].sum() / days["true_worn_min"].sum() < 0.9


@pytest.mark.parametrize("log", [EYES, MINUTES])
def test_head_movements_are_found_and_their_rate_is_per_judged_hour(log: str) -> None:
    days = days_of(log).query("true_worn_min > 120")
    for noun in ("yaw", "pitch"):
        per_h, planted = days[f"head_moves_{noun}_per_h"], days[f"true_head_moves_{noun}"]
        found = per_h * days["worn_h"] / planted
        assert found.between(0.88, 1.1).all()
        assert found.mean() == pytest.approx(0.985, abs=0.02)
        # The still time that is judged off takes hours away and hardly any movement.
        excess = per_h / (60 * planted / days["true_worn_min"])
        hidden = days["true_worn_min"] / days["true_judged_worn_min"]
        assert (excess / hidden).mean() == pytest.approx(0.975, abs=0.025)
