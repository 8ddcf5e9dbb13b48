"""How often tests err where nothing happened, and intervals miss what was planted.

    python benchmarks/levels.py [--runs 1000] [--seed 0] [--only TEXT] [--workers 2]

The tables of docs/definitions.md, whose rows are in ``levels.csv``. A case asks one public function
about data simulated anew for every run, in which the truth is known: whether an interval contained
the planted value, a test found what is not there (p < .05, or an interval without 0), or a page
named anything; the four cases of bouts give the mean of an estimate over the planted value. ``±``
is the Monte-Carlo error. A case that takes long is asked at most 300 times. ``--only conditions``
is the first table, whose columns are those of ``CONDITIONS``, ``--only days`` and ``--only groups``
are the others; other texts choose by what stands in a row. Seed 0 stands for those of the tables.
"""

import csv
import json
import os
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
from tools.days import (
    START,
    Condition,
    Floats,
    alike,
    days_of,
    drawn,
    factors,
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
    condition: str
    run: Run
    most: int  # runs
    one_stream: bool  # draws of a run follow those of the one before
    key: str  # what tells draws of this case from those of others


# One wearer, from records


def blinking(rng: Generator, n: int, how: Condition) -> pd.DataFrame:
    index, factor = minutes_worn(rng, n, how)
    counts = rng.poisson(15.0 * factor).astype(float)
    data = {"lc_bk_n": counts, "val_s": 60.0, "nis_s": 0.0, "wea_s": 60.0}
    return pd.DataFrame(data | dict.fromkeys(("stp_s", "tl_xav", "tl_yav"), 0.0), index=index)


def contained(found: pd.DataFrame, planted: float, how: Condition, of: str = "") -> float:
    """Return whether the interval of a wearer contains the planted rate."""
    low, high = found[f"{of}low"].iloc[0], found[f"{of}high"].iloc[0]
    return low <= planted * mean_factor(how) <= high


def blink_rate(rng: Generator, how: Condition, n: int = 14) -> float:
    frame = blinking(rng, 5 if how.few else n, how)
    return contained(el.blinks.rate(frame, of="wearer", log="standard_mode_logs"), 15.0, how)


def single_blinks(rng: Generator, how: Condition) -> float:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how, between=(10, 40))
    us = np.repeat(index.asi8, PER_MIN) + np.tile(np.arange(1 - PER_MIN, 1) * 50_000, len(index))
    blinks = rng.random(len(us)) < np.repeat(15.0 * factor / PER_MIN, PER_MIN)
    data = {"blinkSpeed": 130.0 * blinks, "blinkStrength": 90.0 * blinks, "walking": 0.0}
    data |= {"noiseStatus": 0.0, "fitError": 0.0, "sequenceNumber": np.arange(len(us)) % 256.0}
    frame = pd.DataFrame(data, index=pd.DatetimeIndex(us.view("M8[us]"), tz="UTC", name="date"))
    return contained(el.blinks.rate(frame, of="wearer", log="current_data"), 15.0, how)


def pace(rng: Generator, how: Condition) -> float:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how)
    data = {"stp_fst": 0.0, "stp_mid": rng.poisson(100.0 * factor), "stp_slw": 0.0, "stp_vsl": 0.0}
    frame = pd.DataFrame(data | {"stp_s": 60.0, "wea_s": 60.0}, index=index).astype("float64")
    return contained(el.gait.pace(frame, of="wearer", log="standard_mode_logs"), 100.0, how)


def head_moves(rng: Generator, how: Condition) -> float:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how)
    counts = rng.poisson(2.0 * factor).astype(float)
    frame = pd.DataFrame({"hm_po": counts, "hm_yo": counts, "tl_xav": 0.0, "tl_yav": 0.0}, index)
    frame["isl"] = pd.array(np.zeros(len(frame), dtype=bool), dtype="boolean")
    found = el.posture.head_movements(frame, of="wearer", log="computed_data")
    return contained(found, 480.0, how, "pitch_")


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


def page(rng: Generator, n: int, how: Condition, earlier: int = 0) -> float:
    """Return whether a report of n days after others, in which nothing happens, names anything."""
    table = pd.DataFrame({name: series(rng, earlier + n, how) for name in COLUMNS})
    since = table.index[earlier] if earlier else None
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


def rates_differ(rows: list[pd.DataFrame], first: int, second: int) -> float:
    table = pd.concat(rows, ignore_index=True)
    found = el.compare.group_rates(table, "n", "min", grouped(first, second))
    return found.loc["b", "p"] < ALPHA


def group_rates(rng: Generator, how: Condition) -> float:
    rows, n = [], 4 if how.few else 14
    for name in NAMES[:16]:
        level = factors(rng, n, how)
        minutes = rng.integers(200, 700, n)
        length = how.drift_min or (1 if how.skewed else 0)
        spells = np.ones(n)
        if length:
            spells = np.array([rng.gamma(4.0, 0.25, -(-m // length)).mean() for m in minutes])
        rate = 15.0 * np.exp(rng.normal(0, 0.3)) * level * spells
        rows.append(pd.DataFrame({"account": name, "rate": rate * minutes, "min": minutes}))
    table = pd.concat(rows, ignore_index=True).dropna()
    return rates_differ([table.assign(n=rng.poisson(table["rate"]))], 8, 8)


def group_rates_of(rng: Generator, first: int, second: int, one: float, other: float) -> float:
    """Return whether two groups of wearers who blink alike differ in their blink rates."""
    rows = []
    for number in range(first + second):
        own = one if number < first else other
        rate = 15.0 * np.exp(rng.normal(0, own) - own**2 / 2)
        minutes = rng.uniform(200, 700, 14)
        counts = rng.poisson(rate * minutes * rng.gamma(16, 1 / 16, 14))
        rows.append(pd.DataFrame({"account": NAMES[number], "n": counts, "min": minutes}))
    return rates_differ(rows, first, second)


def fit_mixed(rng: Generator, how: Condition) -> float:
    table = wearers(rng, how, 10)
    return el.compare.fit_mixed(table, "y", predictors="second").loc["second", "p"] < ALPHA


def fit_mixed_of(
    rng: Generator, persons: int, slopes: float, how: Condition, predictor: str
) -> float:
    x = np.tile(np.arange(14) >= 7, (persons, 1)) * 1.0
    if predictor == "noise":
        x = drawn(rng, persons, 14, how)
    y = rng.normal(size=(persons, 1)) + drawn(rng, persons, 14, how)
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


def read(text: str) -> Any:
    """Return a number, yes or no; any other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def cases() -> Iterator[Case]:
    """Yield the cases of ``levels.csv``: of each row all combinations of its values.

    Some values are those of the condition, the others go to the run. In the first table each row is
    asked in all conditions but those that its ``without`` names.
    """
    rows = Path(__file__).with_name("levels.csv").read_text("utf-8").splitlines()
    for row in csv.DictReader(rows, delimiter=";"):
        parts = [part.split("=") for part in row["values"].split(", ") if part]
        names, texts = [name for name, _ in parts], [text.split("|") for _, text in parts]
        for point in product(*(map(read, each) for each in texts)):
            yield from asked(row, dict(zip(names, point, strict=True)))


def asked(row: dict[str, str], values: dict[str, Any]) -> Iterator[Case]:
    """Yield the cases of one row of ``levels.csv`` with one combination of its values."""
    table, draws, counted = row["table"], row["draws"], row["counted"]
    function, data = (row[name].format_map(values) for name in ("function", "data"))
    without = tuple(str(values.pop("without", "none")).split())
    conditions: dict[str, dict[str, Any]] = {"": {}}
    keys = {"days": f"{function} {data} {counted.partition(', of ')[0]}", "groups": ""}
    if table == "conditions":
        conditions = {
            how.name: {"how": how} for how in CONDITIONS if not how.name.startswith(without)
        }
    elif of_how := {name: values.pop(name) for name in Condition._fields if name in values}:
        conditions[""]["how"] = Condition(**of_how, before=200 if table == "days" else 0)
    for name, how in conditions.items():
        run = partial(globals()[row["run"]], **values, **how)
        most, key = (
            int(draws) if draws.isdecimal() else 10**6,
            keys.get(table, f"{function} {name}"),
        )
        yield Case(table, function, data, counted, name, run, most, draws == "one stream", key)


CASES: Final = tuple(cases())


def drawn_by(case: Case, runs: int, seed: int) -> Floats:
    """Return what each run of a case found: 1 or 0, or an estimate over the planted value."""
    own = [seed, zlib.crc32(case.key.encode())] if case.key else [seed]
    one, size = np.random.default_rng(own), range(min(runs, case.most))
    draws = (one if case.one_stream else np.random.default_rng([*own, n]) for n in size)
    return np.array([float(case.run(generator)) for generator in draws])


def measured(number: int, runs: int, seed: int) -> dict[str, object]:
    """Return a row for a case, by its place: its share in per cent with its error."""
    case = CASES[number]
    found = 100 * drawn_by(case, runs, seed or SEEDS[case.table])
    counted, _, nominal = case.counted.partition(", of ")
    row = {"function": case.function, "data": case.data, "counted": counted, "of": nominal}
    if case.condition:
        return row | {"condition": case.condition, "per cent": f"{found.mean():.1f}"}
    error = found.std() / np.sqrt(len(found))
    return row | {"per cent": f"{found.mean():.1f} ± {error:.1f} ({len(found)})"}


def main() -> None:
    given = options(__doc__, runs=1000, seed=0, only="", workers=os.cpu_count() or 1)
    for name in SEEDS:
        chosen = [
            number
            for number, case in enumerate(CASES)
            if case.table == name and given.only in f"{name} {case.function} {case.data}"
        ]
        with ProcessPoolExecutor(given.workers) as workers:
            ask = partial(measured, runs=given.runs, seed=given.seed)
            table = pd.DataFrame(workers.map(ask, chosen))
        if name == "conditions" and chosen:  # a column for each
            row = ["function", "data", "counted", "of"]
            wide = table.pivot_table("per cent", row, "condition", "first", sort=False)
            table = wide.reset_index()
        if chosen:
            show(name, table)


if __name__ == "__main__":
    main()
