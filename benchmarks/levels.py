"""How often tests err where nothing happened, and intervals miss what was planted.

    python benchmarks/levels.py [--runs 1000] [--seed 0] [--only TEXT] [--workers 2] [--json]

The tables of docs/definitions.md. A case asks one public function about data simulated anew for
every run, in which the truth is known: whether an interval contained the planted value, a test
found what is not there (p < .05, or an interval without 0), or a page named anything; the four
cases of bouts give the mean of an estimate over the planted value. ``±`` is the Monte-Carlo error.
A case that takes long is asked at most 300 times. ``--only conditions`` is the first table, whose
columns are those of ``CONDITIONS``, ``--only days`` and ``--only groups`` are the others; other
texts choose by what stands in a row. Seed 0 stands for those of the tables in the docs.
"""

import os
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final, NamedTuple

import numpy as np
import pandas as pd
from tools.days import (
    OF_DAY,
    START,
    Condition,
    Floats,
    alike,
    days_of,
    drawn,
    hourly,
    hours_of,
    kept,
    mean_factor,
    minutes_worn,
    series,
)
from tools.measure import options, show

import eyelog as el
from eyelog.reports.findings import COLUMNS, findings
from eyelog.series.inference import level_interval, median

ALPHA: Final = 0.05
PER_MIN: Final = 1200  # packets of the 20 Hz log
SLOW: Final = 300  # runs of a case that takes long
PHIS: Final = (0.0, 0.3, 0.5, 0.7)
SEEDS: Final = {"conditions": 3, "days": 7, "groups": 22}

CONDITIONS: Final = (
    Condition("independent"),
    Condition("phi .3", phi=0.3),
    Condition("phi .5", phi=0.5),
    Condition("phi .7", phi=0.7),
    Condition("weekends", phi=0.3, weekend=1.0),
    Condition("negative binomial", skewed=True),
    Condition("drift 20 min", drift_min=20),
    Condition("drift 60 min", drift_min=60),
    Condition("not at random", phi=0.3, left_out=True),
    Condition("few", phi=0.3, few=True),
)

Generator = np.random.Generator
Run = Callable[[Generator], float]


class Case(NamedTuple):
    """One share: of which table, of what function, in what data; and one run of it."""

    table: str
    function: str
    data: str
    counted: str
    run: Run
    condition: str = ""
    most: int = 10**6  # runs
    one_stream: bool = False  # draws of a run follow those of the one before
    key: str | None = None  # what tells draws of this case from those of others


# One wearer, from records


def blinking(rng: Generator, n: int, how: Condition) -> pd.DataFrame:
    index, factor = minutes_worn(rng, n, how)
    counts = rng.poisson(15.0 * factor).astype(float)
    data = {"lc_bk_n": counts, "val_s": 60.0, "nis_s": 0.0, "wea_s": 60.0}
    return pd.DataFrame(data | dict.fromkeys(("stp_s", "tl_xav", "tl_yav"), 0.0), index=index)


def blink_rate(rng: Generator, how: Condition, n: int = 14) -> float:
    frame = blinking(rng, 5 if how.few else n, how)
    found = el.blinks.rate(frame, of="wearer", log="standard_mode_logs").iloc[0]
    return found["low"] <= 15.0 * mean_factor(how) <= found["high"]


def single_blinks(rng: Generator, how: Condition) -> float:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how, between=(10, 40))
    us = np.repeat(index.asi8, PER_MIN) + np.tile(np.arange(1 - PER_MIN, 1) * 50_000, len(index))
    blinks = rng.random(len(us)) < np.repeat(15.0 * factor / PER_MIN, PER_MIN)
    data = {"blinkSpeed": 130.0 * blinks, "blinkStrength": 90.0 * blinks, "walking": 0.0}
    data |= {"noiseStatus": 0.0, "fitError": 0.0, "sequenceNumber": np.arange(len(us)) % 256.0}
    frame = pd.DataFrame(data, index=pd.DatetimeIndex(us.view("M8[us]"), tz="UTC", name="date"))
    found = el.blinks.rate(frame, of="wearer", log="current_data").iloc[0]
    return found["low"] <= 15.0 * mean_factor(how) <= found["high"]


def pace(rng: Generator, how: Condition) -> float:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how)
    data = {"stp_fst": 0.0, "stp_mid": rng.poisson(100.0 * factor), "stp_slw": 0.0, "stp_vsl": 0.0}
    frame = pd.DataFrame(data | {"stp_s": 60.0, "wea_s": 60.0}, index=index).astype("float64")
    found = el.gait.pace(frame, of="wearer", log="standard_mode_logs").iloc[0]
    return found["low"] <= 100.0 * mean_factor(how) <= found["high"]


def head_moves(rng: Generator, how: Condition) -> float:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how)
    counts = rng.poisson(2.0 * factor).astype(float)
    frame = pd.DataFrame({"hm_po": counts, "hm_yo": counts}, index=index)
    frame["isl"] = pd.array(np.zeros(len(frame), dtype=bool), dtype="boolean")
    found = el.posture.head_movements(frame, of="wearer", log="computed_data").iloc[0]
    return found["pitch_low"] <= 480.0 * mean_factor(how) <= found["pitch_high"]


def rate_ratio(rng: Generator, how: Condition, n: int = 14, *, mixed: bool = False) -> float:
    """Return whether n days and the next n differ, or, if `mixed`, random halves of 2 n days."""
    n = 4 if how.few else n
    days = el.blinks.rate(blinking(rng, 2 * n, how), by="1D", log="standard_mode_logs")
    number = (pd.DatetimeIndex(days.index).tz_localize(None) - pd.Timestamp(START)).days
    later = np.isin(number, rng.permutation(2 * n)[:n]) if mixed else number >= n
    return el.compare.rate_ratio(days[~later], days[later]).p < ALPHA


# One wearer, from days


def mean(rng: Generator, n: int, how: Condition) -> float:
    low, high = level_interval(np.arange(n), days_of(rng, n, how)[0])
    return low <= 0 <= high


def usual_day(rng: Generator, n: int, how: Condition) -> float:
    found = median(series(rng, n, how))
    return found.low <= 0 <= found.high


def two_periods(rng: Generator, n: int, how: Condition, change: float = 0.0) -> float:
    days = series(rng, 2 * n, how)
    return el.compare.two_periods(days[:n], days[n:] + change).p < ALPHA


def trend(rng: Generator, n: int, how: Condition) -> float:
    return el.baseline.trend(series(rng, n, how)).p < ALPHA


def new_levels(rng: Generator, n: int, *, line: float = 0.0, step: float = 0.0) -> float:
    days = series(rng, n, Condition(phi=0.3)) + np.linspace(0.0, line, n)
    return len(el.baseline.new_levels(days + step * (np.arange(n) >= n // 2))) > 0


def personal(rng: Generator, how: Condition, n: int = 28) -> float:
    n = 7 if how.few else n
    outside = el.baseline.personal(series(rng, n + 1, how), window=f"{n}D")["outside"]
    return outside.fillna(value=False).iloc[-1]


def page(rng: Generator, n: int, how: Condition, before: int = 0) -> float:
    """Return whether a report of n days after others, in which nothing happens, names anything."""
    table = pd.DataFrame({name: series(rng, before + n, how) for name in COLUMNS})
    since = table.index[before] if before else None
    found = findings(table.assign(worn_h=12.0 + table["worn_h"]), since=since)
    changed = found.shifted or found.moved or any(map(len, found.levels.values()))
    return bool(changed) or any(rows["stands"].any() for rows in found.days.values())


# Rhythm, from hours


def uneven(rng: Generator, days: int, how: Condition) -> pd.Series:
    weekends = how.weekend * (np.arange(days) % 7 >= 5)
    return hours_of(rng, drawn(rng, days, 24, how) + weekends[:, None], how)


def stability(rng: Generator, how: Condition, days: int = 14) -> float:
    return el.rhythm.interdaily_stability(uneven(rng, 4 if how.few else days, how)).p < ALPHA


def time_on_task(
    rng: Generator, how: Condition, days: int = 14, slopes: float | None = None
) -> float:
    """Return whether days have a slope in common, if none has or each has its own about 0."""
    hours = uneven(rng, days, how)
    if slopes is not None:
        own = np.repeat(rng.normal(0, slopes, days), 24)
        hours += own * np.tile(np.arange(24) - 12.0, days) + np.repeat(rng.normal(size=days), 24)
    return el.rhythm.time_on_task(hours).p < ALPHA


def cosinor(rng: Generator, days: int, *, shifted: bool) -> float:
    """Return whether days without a wave have one, if high ones are worn earlier or none is."""
    level = rng.normal(size=(days, 1))
    first = np.where(level < 0, 12, 6)
    hour = np.arange(24)
    worn = (hour >= first) & (hour < first + 10) if shifted else True
    values = level + alike(rng, days, 24, 0.7)
    return el.rhythm.cosinor(hourly(np.where(worn, values, np.nan))).p < ALPHA


def profile(rng: Generator, days: int) -> float:
    values = rng.normal(size=(days, 1)) + alike(rng, days, 24, 0.7)
    return (el.rhythm.profile(hours_of(rng, values, Condition()))["p"] < ALPHA).any()


def bouts(rng: Generator, measure: str, mean: float = 39.2) -> float:
    """Return an estimate over the planted value, or the share of bouts that gaps cut off."""
    length = 1440 * 60
    on, off = (rng.geometric(1 / each, length // 40) for each in (mean, 20))
    edges = np.column_stack([on, off]).ravel().cumsum()
    states = np.zeros(length)
    states[edges[edges < length]] = 1
    states = 1.0 - states.cumsum() % 2
    at = 0
    while at < length:
        at += int(rng.exponential(110)) + 1
        gap = int(rng.exponential(15)) + 1
        states[at : at + gap] = np.nan
        at += gap
    index = pd.date_range(START, periods=length, freq="min", tz="UTC")
    found = el.rhythm.fragmentation(pd.Series(states, index=index))
    if measure == "cut off":
        return found.censored / found.n
    planted = mean if measure.startswith("mean") else np.ceil(-1 / np.log2(1 - 1 / mean))
    return getattr(found, measure) / planted


# Many wearers

NAMES: Final = [f"p{number:02}" for number in range(40)]


def grouped(first: int, second: int) -> dict[str, str]:
    return dict(zip(NAMES, ["a"] * first + ["b"] * second, strict=False))


def wearers(rng: Generator, how: Condition, persons: int) -> pd.DataFrame:
    """Return days of wearers who differ by 1 SD, with the column ``second`` for the later half."""
    n = 4 if how.few else 14
    values = rng.normal(size=(persons, 1)) + days_of(rng, n, how, persons)
    second = np.tile(np.arange(n) >= n // 2, persons) * 1.0
    account = np.repeat(NAMES[:persons], n)
    return pd.DataFrame({"account": account, "second": second, "y": values.ravel()}).dropna()


def group_difference(rng: Generator, how: Condition, p: str) -> float:
    table = wearers(rng, how, 16)
    found = el.compare.group_difference(table, grouped(8, 8), outcome="y", draws=1000)
    return getattr(found, p) < ALPHA


def group_difference_of(rng: Generator, first: int, second: int, spread: float, p: str) -> float:
    means = np.concatenate([rng.normal(size=first), rng.normal(0, spread, second)])
    table = pd.DataFrame({"account": NAMES[: first + second], "y": means})
    found = el.compare.group_difference(table, grouped(first, second), outcome="y", draws=2000)
    return getattr(found, p) < ALPHA


def differences(rng: Generator, first: int, second: int, shape: str) -> float:
    """Return whether any of 8 outcomes of two groups that are alike is called different."""
    size = first + second
    spread = np.repeat([1.0, 3.0 if shape == "spread 1 : 3" else 1.0], [first, second])
    values = rng.normal(size=(8, size)) * spread
    if shape == "skewed":
        values = np.exp(0.5 * values)
    days = [NAMES[:size], [pd.Timestamp(START)] * size]
    index = pd.MultiIndex.from_arrays(days, names=["account", "day"])
    table = pd.DataFrame(dict(zip("ijklmnop", values, strict=True)), index=index)
    table["group"] = np.repeat(["a", "b"], [first, second])
    found = el.cohort.differences(table, by="group", outcomes=list("ijklmnop"))
    return (found["p_holm"] < ALPHA).any()


def group_rates(rng: Generator, how: Condition) -> float:
    rows = []
    for name in NAMES[:16]:
        n = 4 if how.few else 14
        level = np.exp(OF_DAY * days_of(rng, n, how._replace(drift_min=0, skewed=False))[0])
        minutes = rng.integers(200, 700, n)
        length = how.drift_min or (1 if how.skewed else 0)
        spells = np.ones(n)
        if length:
            spells = np.array([rng.gamma(4.0, 0.25, -(-m // length)).mean() for m in minutes])
        rate = 15.0 * np.exp(rng.normal(0, 0.3)) * level * spells
        rows.append(pd.DataFrame({"account": name, "rate": rate * minutes, "min": minutes}))
    table = pd.concat(rows, ignore_index=True).dropna()
    table["n"] = rng.poisson(table["rate"])
    return el.compare.group_rates(table, "n", "min", grouped(8, 8)).loc["b", "p"] < ALPHA


def group_rates_of(rng: Generator, first: int, second: int, spread: tuple[float, float]) -> float:
    """Return whether two groups of wearers who blink alike differ in their blink rates."""
    rows = []
    for number in range(first + second):
        own = spread[number >= first]
        rate = 15.0 * np.exp(rng.normal(0, own) - own**2 / 2)
        minutes = rng.uniform(200, 700, 14)
        counts = rng.poisson(rate * minutes * rng.gamma(16, 1 / 16, 14))
        rows.append(pd.DataFrame({"account": NAMES[number], "n": counts, "min": minutes}))
    table = pd.concat(rows, ignore_index=True)
    group = grouped(first, second)
    return el.compare.group_rates(table, "n", "min", group).loc["b", "p"] < ALPHA


def fit_mixed(rng: Generator, how: Condition) -> float:
    table = wearers(rng, how, 10)
    return el.compare.fit_mixed(table, "y", predictors="second").loc["second", "p"] < ALPHA


def fit_mixed_of(rng: Generator, persons: int, slopes: float, phi: float, predictor: str) -> float:
    x = np.tile(np.arange(14) >= 7, (persons, 1)) * 1.0
    if predictor == "noise":
        x = alike(rng, persons, 14, phi, before=0)
    y = rng.normal(size=(persons, 1)) + alike(rng, persons, 14, phi, before=0)
    y = y + rng.normal(0, 1, (persons, 1)) * slopes * (x - x.mean()) / x.std()
    account = np.repeat(NAMES[:persons], 14)
    table = pd.DataFrame({"account": account, "x": x.ravel(), "y": y.ravel()})
    return el.compare.fit_mixed(table, "y", predictors="x").loc["x", "p"] < ALPHA


# Pairs of minutes, and events


def limits(pairs: pd.DataFrame, between: float, what: str) -> float:
    """Return whether the interval of bias or of the upper limit contains the planted one."""
    found = el.compare.limits_of_agreement(pairs.dropna())
    if what == "bias":
        return found.bias_low <= 0 <= found.bias_high
    return found.high_low <= 1.96 * np.sqrt(1 + between**2) <= found.high_high


def agreement(rng: Generator, how: Condition, what: str, between: float = 0.3) -> float:
    persons = 3 if how.few else 10
    apart = rng.normal(0, between, (persons, 1)) + kept(rng, drawn(rng, persons, 60, how), how)
    minutes = pd.date_range(f"{START} 09:01", periods=60, freq="min", tz="UTC")
    index = pd.MultiIndex.from_product([NAMES[:persons], minutes], names=["account", "date"])
    return limits(pd.DataFrame({"difference": apart.ravel()}, index=index), between, what)


def one_wearer(rng: Generator, days: int, of_hour: float, of_day: float, what: str) -> float:
    apart = rng.normal(0, of_day, (days, 1, 1)) + rng.normal(0, of_hour, (days, 10, 1))
    apart = apart + rng.normal(size=(days, 10, 60))
    first = pd.date_range(f"{START} 08:01", periods=days, freq="D", tz="UTC")
    index = [day + pd.Timedelta(minute, "min") for day in first for minute in range(600)]
    pairs = pd.DataFrame({"difference": apart.ravel()}, index=pd.DatetimeIndex(index))
    return limits(pairs, float(np.hypot(of_hour, of_day)), what)


def events(rng: Generator, how: Condition, count: int = 20, shape: str = "normal") -> float:
    count = 5 if how.few else count
    noise = kept(rng, drawn(rng, 1, 60 * (count + 2), how), how)[0]
    values = pd.Series(np.exp(noise) if shape == "skewed" else noise)
    values.index = pd.date_range(START, periods=len(values), freq="min", tz="UTC")
    at = values.index[60::60][:count]
    return el.compare.events(values, at, before="15min", after="15min")["changed"].any()


# The tables

CONTAINED: Final = "contained, of 95"
SMALL_P: Final = "p < .05, of 5"
NAMED: Final = "named any, of 5"


def of_conditions() -> Iterator[Case]:
    """Yield the first table: how each function fares in each departure from independence."""
    days, minutes = ("drift 20 min", "drift 60 min"), ("weekends",)
    of_14 = "14 days of a wearer (few: 5)"
    of_16 = "8 and 8 wearers of 14 days (few: 4)"
    of_10 = "10 wearers of 60 min (few: 3)"
    welch, permuted = (partial(group_difference, p=p) for p in ("p", "p_permutation"))
    rows = (
        ("blinks.rate", of_14, CONTAINED, blink_rate, ()),
        (
            "blinks.rate, single blinks",
            "14 days of 10 to 40 min at 20 Hz (few: 5)",
            CONTAINED,
            single_blinks,
            (),
        ),
        ("gait.pace", of_14, CONTAINED, pace, ()),
        ("posture.head_movements", of_14, CONTAINED, head_moves, ()),
        ("compare.rate_ratio", "14 and 14 days (few: 4 and 4)", SMALL_P, rate_ratio, ()),
        ("baseline.personal", "a day after 28 (few: 7)", "outside, of 1", personal, days),
        ("rhythm.interdaily_stability", "hours of 14 days (few: 4)", SMALL_P, stability, days),
        ("rhythm.time_on_task", "hours of 14 days", SMALL_P, time_on_task, (*days, "few")),
        ("compare.group_difference", of_16, SMALL_P, welch, days),
        ("compare.group_difference, permuted", of_16, SMALL_P, permuted, days),
        ("compare.group_rates", of_16, SMALL_P, group_rates, ()),
        ("compare.fit_mixed", "10 wearers, second week (few: 4 days)", SMALL_P, fit_mixed, days),
        *(
            (f"compare.limits_of_agreement, {what}", of_10, CONTAINED, run, minutes)
            for what in ("bias", "limit")
            for run in (partial(agreement, what=what),)
        ),
        ("compare.events", "minutes about 20 events (few: 5)", "changed, of 5", events, minutes),
    )
    slow: set[object] = {blink_rate, single_blinks, pace, head_moves, rate_ratio}
    slow |= {welch, permuted, group_rates, events}
    for function, data, counted, run, without in rows:
        most = SLOW if run in slow else 10**6
        for how in CONDITIONS:
            if how.name not in without:
                once, key = partial(run, how=how), f"{function} {how.name}"
                yield Case("conditions", function, data, counted, once, how.name, most, key=key)


def of_days() -> Iterator[Case]:
    """Yield the second table: how levels and power depend on the number of days."""
    table = "days"
    days = {f"phi {phi:g}": Condition(phi=phi) for phi in PHIS}
    apart = "phi 0.3, weekends 3 SD higher"
    for n in (7, 14, 28):
        for phi, drift in ((0.0, 20), (0.3, 20), (0.5, 20), (0.0, 60)):
            run = partial(blink_rate, n=n, how=Condition(phi=phi, drift_min=drift))
            data = f"{n} days, phi {phi:g}, drift of {drift} min"
            yield Case(table, "blinks.rate of wearer", data, CONTAINED, run, most=SLOW)
    for phi in PHIS[:3]:
        how = Condition(phi=phi, drift_min=20)
        run = partial(rate_ratio, how=how, n=7)
        data = f"a week and the next, phi {phi:g}"
        yield Case(table, "compare.rate_ratio", data, SMALL_P, run, most=SLOW)
        run = partial(rate_ratio, how=how, n=21, mixed=True)
        data = f"random halves of 42 days, phi {phi:g}"
        yield Case(table, "compare.rate_ratio", data, SMALL_P, run, most=SLOW)
    for function, word, of, lengths, counted in (
        ("interval of a wearer", "mean of {} days", mean, (5, 7, 14, 28, 90), CONTAINED),
        ("usual day of a report", "median of {} days", usual_day, (7, 14, 28, 90), CONTAINED),
        ("compare.two_periods", "{0} and {0} days", two_periods, (4, 7, 14, 28), SMALL_P),
        ("baseline.trend", "{} days", trend, (14, 28, 56), SMALL_P),
    ):
        for n in lengths:
            for phi, how in days.items():
                data, run = f"{word.format(n)}, {phi}", partial(of, n=n, how=how)
                yield Case(table, function, data, counted, run, one_stream=True)
    for weekend in (0.0, 1.0, 2.0, 3.0):
        run = partial(two_periods, n=14, how=Condition(phi=0.3, weekend=weekend), change=1.5)
        data = f"14 and 14 days, phi 0.3, 1.5 SD apart, weekends {weekend:g} SD higher"
        yield Case(table, "compare.two_periods", data, "found it", run, one_stream=True)
    run = partial(trend, n=14, how=Condition(phi=0.3, weekend=3.0))
    yield Case(table, "baseline.trend", f"14 days, {apart}", SMALL_P, run, one_stream=True)
    for n in (28, 56):
        data, run = f"{n} days, phi 0.3", partial(new_levels, n=n)
        yield Case(table, "baseline.new_levels", data, NAMED, run)
    for n in (14, 28, 56):
        data = f"{n} days, phi 0.3, a line that rises by 4 SD"
        run = partial(new_levels, n=n, line=4.0)
        yield Case(table, "baseline.new_levels", data, "named any", run)
    for n, size in ((28, 2.5), (56, 1.5), (56, 2.5)):
        data = f"{n} days, phi 0.3, a step of {size:g} SD in the middle"
        run = partial(new_levels, n=n, step=size)
        yield Case(table, "baseline.new_levels", data, "named any", run)
    for worn, shifted in ((", high days worn six hours earlier", True), (" worn whole", False)):
        for n in (14, 28):
            data = f"{n} days{worn}, phi 0.7 within days"
            run = partial(cosinor, days=n, shifted=shifted)
            yield Case(table, "rhythm.cosinor", data, SMALL_P, run)
    for n in (7, 14, 28):
        data, run = f"{n} days of uneven wear, phi 0.7 within days", partial(profile, days=n)
        yield Case(table, "rhythm.profile, p by hour", data, NAMED, run, most=SLOW)
    for n, function, data, before in (
        (14, "report, against own days", "14 days of 8 quantities", 0),
        (28, "report, against own days", "28 days of 8 quantities", 0),
        (7, "report, since=", "7 days of 8 quantities after 21", 21),
    ):
        ways = days | ({apart: Condition(phi=0.3, weekend=3.0)} if n == 28 else {})
        for name, how in ways.items():
            run = partial(page, n=n, how=how, before=before)
            yield Case(table, function, f"{data}, {name}", NAMED, run, most=SLOW)
    kinds = {
        "phi 0.3, weekends 1 SD higher": Condition(phi=0.3, weekend=1.0),
        "negative binomial counts, k = 4": Condition(skewed=True),
        "phi 0.3, half of the high days not worn": Condition(phi=0.3, left_out=True),
    }
    for n in (7, 14, 90):
        for kind, how in (dict(list(days.items())[:3]) | (kinds if n == 90 else {})).items():
            data, run = f"a day after {n} others, {kind}", partial(personal, n=n, how=how)
            yield Case(table, "baseline.personal", data, "outside, of 1", run, most=SLOW)


def of_groups() -> Iterator[Case]:
    """Yield the third table: how they depend on the number of hours, persons and events."""
    case = partial(Case, "groups", key="")
    for days in (2, 7, 14, 28):
        for phi in (0.0, 0.7):
            data = f"{days} days of uneven wear, phi {phi:g} within the day"
            run = partial(stability, how=Condition(phi=phi, before=0), days=days)
            yield case("rhythm.interdaily_stability p", data, SMALL_P, run)
    for days in (5, 7, 14, 28):
        for phi, slopes in ((0.0, 0.0), (0.7, 0.0), (0.7, 0.1)):
            data = f"{days} days of uneven wear, phi {phi:g} within the day, slope SD {slopes:g}"
            how = Condition(phi=phi, before=0)
            run = partial(time_on_task, how=how, days=days, slopes=slopes)
            yield case("rhythm.time_on_task p", data, SMALL_P, run, most=SLOW)
    for first, second, spread in (
        *((5, 5, 1), (8, 8, 1), (8, 8, 3), (12, 12, 3)),
        *((8, 16, 3), (16, 8, 3), (20, 20, 3)),
    ):
        for p in ("p_permutation", "p"):
            data = f"{first} and {second} wearers, spread 1 : {spread}"
            run = partial(group_difference_of, first=first, second=second, spread=spread, p=p)
            yield case(f"compare.group_difference {p}", data, SMALL_P, run, most=SLOW)
    for first, second in ((5, 5), (8, 8), (5, 20), (20, 20)):
        for shape in ("spread 1 : 1", "spread 1 : 3", "skewed"):
            data = f"8 outcomes of {first} and {second} wearers, {shape}"
            run = partial(differences, first=first, second=second, shape=shape)
            yield case("cohort.differences p_holm", data, SMALL_P, run, most=SLOW)
    for first, second, own in ((8, 8, (0.3, 0.3)), (8, 8, (0.15, 0.45)), (16, 8, (0.15, 0.45))):
        data = f"{first} and {second} wearers of 14 days, SD {own[0]:g} and {own[1]:g}"
        run = partial(group_rates_of, first=first, second=second, spread=own)
        yield case("compare.group_rates p", data, SMALL_P, run)
    bias = "compare.limits_of_agreement bias"
    for between in (1.0, 0.3, 0.0):
        for what in ("bias", "limit"):
            data = f"10 wearers of 60 pairs, SD between them {between:g} of that within"
            run = partial(agreement, how=Condition(before=0), between=between, what=what)
            yield case(f"compare.limits_of_agreement {what}", data, CONTAINED, run)
    for days, of_day, both in ((3, 0.0, 1), (7, 0.5, 1), (14, 0.5, 1), (3, 0.5, 0), (5, 0.5, 0)):
        for what in ("bias", "limit")[: 1 + both]:
            data = f"one wearer, {days} days, SD of hours 0.5, of days {of_day:g}"
            run = partial(one_wearer, days=days, of_hour=0.5, of_day=of_day, what=what)
            yield case(f"{bias[:-4]}{what}", data, CONTAINED, run)
    for persons in (5, 10, 30):
        for predictor in ("noise", "second week"):
            for slopes in (0.0, 0.5):
                for phi in (0.0, 0.4):
                    data = f"{persons} wearers, x {predictor}, slope SD {slopes:g}, phi {phi:g}"
                    run = partial(
                        fit_mixed_of, persons=persons, slopes=slopes, phi=phi, predictor=predictor
                    )
                    yield case("compare.fit_mixed p", data, SMALL_P, run)
    for measure in ("cut off", "mean_bout", "mean_bout_km", "median_bout_km"):
        counted = "share" if measure == "cut off" else "ratio, of 100"
        data, run = "60 days, bouts of 39.2 min, random gaps", partial(bouts, measure=measure)
        yield case(f"rhythm.fragmentation {measure}", data, counted, run, most=35)
    for count in (5, 8, 12, 20, 40):
        for shape in ("normal", "skewed"):
            data = f"{count} events, 30 offsets, phi .5, {shape}"
            how = Condition(phi=0.5, before=0)
            run = partial(events, how=how, count=count, shape=shape)
            yield case("compare.events changed", data, "changed, of 5", run, most=400)


CASES: Final = (*of_conditions(), *of_days(), *of_groups())


def drawn_by(case: Case, runs: int, seed: int) -> Floats:
    """Return what each run of a case found: 1 or 0, or an estimate over the planted value."""
    key = f"{case.function} {case.data} {case.counted.partition(', of ')[0]}"
    key = key if case.key is None else case.key
    own = [seed, zlib.crc32(key.encode())] if key else [seed]
    one, size = np.random.default_rng(own), range(min(runs, case.most))
    draws = (one if case.one_stream else np.random.default_rng([*own, n]) for n in size)
    return np.array([float(case.run(generator)) for generator in draws])


def measured(number: int, runs: int, seed: int) -> dict[str, object]:
    """Return a row for a case, by its place: its share in per cent with its error."""
    case = CASES[number]
    found = 100 * drawn_by(case, runs, seed or SEEDS[case.table])
    counted, _, nominal = case.counted.partition(", of ")
    share = f"{found.mean():.1f} ± {found.std() / np.sqrt(len(found)):.1f} ({len(found)})"
    row = {"table": case.table, "function": case.function, "data": case.data, "counted": counted}
    row |= {"condition": case.condition} if case.condition else {}
    return row | {"per cent": share, "of": nominal}


def wide(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return the first table, with a column for each condition."""
    lines: dict[object, dict[str, object]] = {}
    for row in rows:
        kept_of = {name: row[name] for name in ("function", "data", "counted", "of")}
        line = lines.setdefault(row["function"], kept_of | {how.name: "" for how in CONDITIONS})
        line[str(row["condition"])] = str(row["per cent"]).partition(" ")[0]
    return list(lines.values())


def main() -> None:
    given = options(__doc__, runs=1000, seed=0, only="", workers=os.cpu_count() or 1)
    chosen = [
        number
        for number, case in enumerate(CASES)
        if given.only == case.table or given.only in f"{case.function} {case.data}"
    ]
    with ProcessPoolExecutor(given.workers) as workers:
        asked = partial(measured, runs=given.runs, seed=given.seed)
        tables: dict[str, list[dict[str, object]]] = {}
        for row in workers.map(asked, chosen):
            tables.setdefault(str(row.pop("table")), []).append(row)
            print(".", end="", flush=True, file=sys.stderr)
    if "conditions" in tables:
        tables["conditions"] = wide(tables["conditions"])
    show(tables, given.json)


if __name__ == "__main__":
    main()
