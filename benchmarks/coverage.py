"""How each interval and test over days fares in each way in which real days are not independent.

    python benchmarks/coverage.py [NAME ...] [--runs 1000] [--seed 3] [--json]

Each row is one public function, each column one condition of the simulated days, each cell the
share of runs, in per cent, in which an interval contained the planted value, or in which a test
found what is not there. Every run has its own seed. NAMEs choose rows that begin so. The table is
the first one in docs/definitions.md; ``levels.py`` and ``levels_of_groups.py`` measure how the same
shares depend on the number of days, wearers and events, and what is found of what was planted.

The conditions, for values with a standard deviation of 1:

independent         days (hours, minutes, pairs) do not depend on each other
phi .3, .5, .7      neighbours are alike, with this autocorrelation
weekends            phi .3; Saturdays and Sundays lie 1 SD higher
negative binomial   independent counts with a mean of 20 and k = 4, so a skewed distribution
drift 20, 60 min    half of the variance lasts for 20 or 60 minutes, then is drawn anew
not at random       phi .3; half of the values above the mean were not worn
few                 phi .3; as few days, wearers or events as the row names
"""

import argparse
import json
import sys
import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy.signal

import eyelog as el

Floats = npt.NDArray[np.float64]

START: Final = "2026-03-02"  # a Monday
ALPHA: Final = 0.05
OF_DAY: Final = 0.15  # how much the days of a wearer differ, as an SD of the logarithm of a rate
PER_MIN: Final = 1200  # packets of the 20 Hz log
BEFORE: Final = 200  # values before the first, so that it is like any other


class Condition(NamedTuple):
    """How the values of neighbouring days, hours or minutes come about."""

    name: str
    phi: float = 0.0
    weekend: float = 0.0
    skewed: bool = False
    drift_min: int = 0
    left_out: bool = False
    few: bool = False


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

Run = Callable[[np.random.Generator, Condition], bool]


class Row(NamedTuple):
    """One function: what is asked of it, the nominal share, and one run."""

    function: str
    data: str
    measure: str
    nominal: float
    run: Run
    conditions: frozenset[str]  # those with a meaning for this function


def drawn(rng: np.random.Generator, shape: tuple[int, int], how: Condition) -> Floats:
    """Return rows of values of mean 0 and variance 1, neighbours in a row alike as asked."""
    rows, n = shape
    if how.skewed:
        return (rng.negative_binomial(4, 4 / 24, shape) - 20.0) / np.sqrt(20 * 6)
    if how.drift_min:
        spells = rng.normal(size=(rows, -(-n // how.drift_min)))
        return np.sqrt(0.5) * (
            np.repeat(spells, how.drift_min, axis=1)[:, :n] + rng.normal(size=shape)
        )
    noise = rng.normal(0.0, np.sqrt(1.0 - how.phi**2), (rows, n + BEFORE))
    return scipy.signal.lfilter([1.0], [1.0, -how.phi], noise, axis=1)[:, BEFORE:]


def days_of(rng: np.random.Generator, n: int, how: Condition, rows: int = 1) -> Floats:
    """Return the values of n days of each wearer, from a Monday; NaN where a day was not worn."""
    values = drawn(rng, (rows, n), how)
    values = values + how.weekend * (np.arange(n) % 7 >= 5)
    return kept(rng, values, how)


def kept(rng: np.random.Generator, values: Floats, how: Condition) -> Floats:
    """Return the values, half of those above the mean missing where wear is not at random."""
    if not how.left_out:
        return values
    return np.where((values > 0) & (rng.random(values.shape) < 0.5), np.nan, values)


def series(rng: np.random.Generator, n: int, how: Condition) -> pd.Series:
    dates = pd.date_range(START, periods=n, name="day")
    return pd.Series(days_of(rng, n, how)[0], index=dates)


# One series of days


def two_periods(rng: np.random.Generator, how: Condition) -> bool:
    n = 5 if how.few else 14
    days = series(rng, 2 * n, how)
    return bool(el.compare.two_periods(days[:n], days[n:]).p < ALPHA)


def trend(rng: np.random.Generator, how: Condition) -> bool:
    return bool(el.baseline.trend(series(rng, 14 if how.few else 28, how)).p < ALPHA)


def new_levels(rng: np.random.Generator, how: Condition) -> bool:
    return len(el.baseline.new_levels(series(rng, 14 if how.few else 28, how))) > 0


def personal(rng: np.random.Generator, how: Condition) -> bool:
    n = 7 if how.few else 28
    outside = el.baseline.personal(series(rng, n + 1, how), window=f"{n}D")["outside"]
    return bool(outside.fillna(value=False).iloc[-1])


# Rates of a wearer, from records


def minutes_worn(
    rng: np.random.Generator, n: int, how: Condition, between: tuple[int, int] = (240, 720)
) -> tuple[pd.Index, Floats]:
    """Return the minutes of n days, and what multiplies the rate in each.

    A day has 4 to 12 hours, or as many minutes as `between` says. The mean of the multiplier over
    days is 1 unless weekends are apart.
    """
    level = np.exp(OF_DAY * days_of(rng, n, how._replace(drift_min=0, skewed=False))[0])
    stamps, made = [], []
    for day in np.flatnonzero(~np.isnan(level)):
        minutes = int(rng.integers(*between))
        length = how.drift_min or (1 if how.skewed else minutes)
        spells = np.ones(1)
        if how.drift_min or how.skewed:  # counts become those of a negative binomial with k = 4
            spells = rng.gamma(4.0, 0.25, -(-minutes // length))
        made.append(level[day] * np.repeat(spells, length)[:minutes])
        first = pd.Timestamp(f"{START} 08:01", tz="UTC") + pd.Timedelta(int(day), "D")
        stamps.append(pd.date_range(first, periods=minutes, freq="min", unit="us"))
    factor = np.concatenate(made) / np.exp(OF_DAY**2 / 2)
    return stamps[0].append(stamps[1:]).rename("date"), factor


def mean_factor(how: Condition) -> float:
    """Return the wearer's mean of the multiplier over the days of a week."""
    return float((5 + 2 * np.exp(OF_DAY * how.weekend)) / 7)


def blinking(rng: np.random.Generator, n: int, how: Condition) -> pd.DataFrame:
    index, factor = minutes_worn(rng, n, how)
    counts = rng.poisson(15.0 * factor).astype(float)
    data = {"lc_bk_n": counts, "val_s": 60.0, "nis_s": 0.0, "wea_s": 60.0}
    return pd.DataFrame(data, index=index)


def blink_rate(rng: np.random.Generator, how: Condition) -> bool:
    frame = blinking(rng, 5 if how.few else 14, how)
    found = el.blinks.rate(frame, of="wearer", log="standard_mode_logs").iloc[0]
    return bool(found["low"] <= 15.0 * mean_factor(how) <= found["high"])


def single_blinks(rng: np.random.Generator, how: Condition) -> bool:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how, between=(10, 40))
    us = np.repeat(index.asi8, PER_MIN) + np.tile(np.arange(1 - PER_MIN, 1) * 50_000, len(index))
    blinks = rng.random(len(us)) < np.repeat(15.0 * factor / PER_MIN, PER_MIN)
    data = {"blinkSpeed": 130.0 * blinks, "blinkStrength": 90.0 * blinks, "walking": 0.0}
    data |= {"noiseStatus": 0.0, "fitError": 0.0, "sequenceNumber": np.arange(len(us)) % 256.0}
    frame = pd.DataFrame(data, index=pd.DatetimeIndex(us.view("M8[us]"), tz="UTC", name="date"))
    found = el.blinks.rate(frame, of="wearer", log="current_data").iloc[0]
    return bool(found["low"] <= 15.0 * mean_factor(how) <= found["high"])


def pace(rng: np.random.Generator, how: Condition) -> bool:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how)
    data = {"stp_fst": 0.0, "stp_mid": rng.poisson(100.0 * factor), "stp_slw": 0.0, "stp_vsl": 0.0}
    frame = pd.DataFrame(data | {"stp_s": 60.0, "wea_s": 60.0}, index=index).astype("float64")
    found = el.gait.pace(frame, of="wearer", log="standard_mode_logs").iloc[0]
    return bool(found["low"] <= 100.0 * mean_factor(how) <= found["high"])


def head_moves(rng: np.random.Generator, how: Condition) -> bool:
    index, factor = minutes_worn(rng, 5 if how.few else 14, how)
    counts = rng.poisson(2.0 * factor).astype(float)
    frame = pd.DataFrame({"hm_po": counts, "hm_yo": counts}, index=index)
    frame["isl"] = pd.array(np.zeros(len(frame), dtype=bool), dtype="boolean")
    found = el.posture.head_movements(frame, of="wearer", log="computed_data").iloc[0]
    return bool(found["pitch_low"] <= 480.0 * mean_factor(how) <= found["pitch_high"])


def rate_ratio(rng: np.random.Generator, how: Condition) -> bool:
    n = 4 if how.few else 14
    frame = blinking(rng, 2 * n, how)
    days = el.blinks.rate(frame, by="1D", log="standard_mode_logs")
    dates = pd.DatetimeIndex(days.index).tz_localize(None)
    second = dates >= pd.Timestamp(START) + pd.Timedelta(n, "D")
    return bool(el.compare.rate_ratio(days[~second], days[second]).p < ALPHA)


# Rhythm, from hours


def hours_of(rng: np.random.Generator, how: Condition, few: int = 4) -> pd.Series:
    """Return hourly values without a rhythm, of days of uneven wear."""
    days = few if how.few else 14
    values = drawn(rng, (days, 24), how)
    values = values + how.weekend * (np.arange(days) % 7 >= 5)[:, None]
    first = rng.integers(6, 10, days)[:, None]
    hour = np.arange(24)
    worn = (hour >= first) & (hour < first + rng.integers(6, 15, days)[:, None])
    values = np.where(worn, kept(rng, values, how), np.nan)
    index = pd.date_range(START, periods=24 * days, freq="h", tz="UTC")
    return pd.Series(values.ravel(), index=index)


def stability(rng: np.random.Generator, how: Condition) -> bool:
    return bool(el.rhythm.interdaily_stability(hours_of(rng, how)).p < ALPHA)


def cosinor(rng: np.random.Generator, how: Condition) -> bool:
    return bool(el.rhythm.cosinor(hours_of(rng, how)).p < ALPHA)


def time_on_task(rng: np.random.Generator, how: Condition) -> bool:
    return bool(el.rhythm.time_on_task(hours_of(rng, how, few=5)).p < ALPHA)


# Many wearers


def wearers(rng: np.random.Generator, how: Condition, persons: int) -> pd.DataFrame:
    """Return days of wearers who differ by 1 SD, with the column ``second`` for the later half."""
    n = 4 if how.few else 14
    values = rng.normal(size=(persons, 1)) + days_of(rng, n, how, persons)
    account = np.repeat([f"p{number:02}" for number in range(persons)], n)
    second = np.tile(np.arange(n) >= n // 2, persons) * 1.0
    return pd.DataFrame({"account": account, "second": second, "y": values.ravel()}).dropna()


HALVES: Final = {f"p{number:02}": "a" if number < 8 else "b" for number in range(16)}


def group_difference(p: str) -> Run:
    def run(rng: np.random.Generator, how: Condition) -> bool:
        table = wearers(rng, how, 16)
        found = el.compare.group_difference(table, HALVES, outcome="y", draws=1000)
        return bool(getattr(found, p) < ALPHA)

    return run


def fit_mixed(rng: np.random.Generator, how: Condition) -> bool:
    table = wearers(rng, how, 10)
    return bool(el.compare.fit_mixed(table, "y", predictors="second").loc["second", "p"] < ALPHA)


def group_rates(rng: np.random.Generator, how: Condition) -> bool:
    rows = []
    for name in HALVES:
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
    return bool(el.compare.group_rates(table, "n", "min", HALVES).loc["b", "p"] < ALPHA)


def agreement(what: str) -> Run:
    def run(rng: np.random.Generator, how: Condition) -> bool:
        persons, between = (3 if how.few else 10), 0.3
        apart = rng.normal(0, between, (persons, 1)) + kept(
            rng, drawn(rng, (persons, 60), how), how
        )
        minutes = pd.date_range(f"{START} 09:01", periods=60, freq="min", tz="UTC")
        names = [f"p{number}" for number in range(persons)]
        index = pd.MultiIndex.from_product([names, minutes], names=["account", "date"])
        pairs = pd.DataFrame({"difference": apart.ravel()}, index=index).dropna()
        found = el.compare.limits_of_agreement(pairs)
        if what == "bias":
            return bool(found.bias_low <= 0 <= found.bias_high)
        limit = 1.96 * np.sqrt(1 + between**2)
        return bool(found.high_low <= limit <= found.high_high)

    return run


def events(rng: np.random.Generator, how: Condition) -> bool:
    count = 5 if how.few else 20
    index = pd.date_range(START, periods=60 * (count + 2), freq="min", tz="UTC")
    values = kept(rng, drawn(rng, (1, len(index)), how), how)[0]
    found = el.compare.events(
        pd.Series(values, index=index), index[60::60][:count], before="15min", after="15min"
    )
    return bool(found["changed"].any())


ALL: Final = frozenset(how.name for how in CONDITIONS)
OF_MINUTES: Final = frozenset({"drift 20 min", "drift 60 min"})
WEEKENDS: Final = frozenset({"weekends"})

ROWS: Final = (
    Row("blinks.rate", "14 days of a wearer (few: 5)", "contained", 95, blink_rate, ALL),
    Row(
        "blinks.rate, single blinks",
        "14 days of 10 to 40 min at 20 Hz (few: 5)",
        "contained",
        95,
        single_blinks,
        ALL,
    ),
    Row("gait.pace", "14 days of a wearer (few: 5)", "contained", 95, pace, ALL),
    Row("posture.head_movements", "14 days of a wearer (few: 5)", "contained", 95, head_moves, ALL),
    Row("compare.rate_ratio", "14 and 14 days (few: 4 and 4)", "p < .05", 5, rate_ratio, ALL),
    Row(
        "compare.two_periods",
        "14 and 14 days (few: 5 and 5)",
        "p < .05",
        5,
        two_periods,
        ALL - OF_MINUTES,
    ),
    Row("baseline.trend", "28 days (few: 14)", "p < .05", 5, trend, ALL - OF_MINUTES),
    Row("baseline.new_levels", "28 days (few: 14)", "named any", 5, new_levels, ALL - OF_MINUTES),
    Row("baseline.personal", "a day after 28 (few: 7)", "outside", 1, personal, ALL - OF_MINUTES),
    Row(
        "rhythm.interdaily_stability",
        "hours of 14 days (few: 4)",
        "p < .05",
        5,
        stability,
        ALL - OF_MINUTES,
    ),
    Row("rhythm.cosinor", "hours of 14 days (few: 4)", "p < .05", 5, cosinor, ALL - OF_MINUTES),
    Row(
        "rhythm.time_on_task",
        "hours of 14 days (few: 5)",
        "p < .05",
        5,
        time_on_task,
        ALL - OF_MINUTES,
    ),
    Row(
        "compare.group_difference",
        "8 and 8 wearers of 14 days (few: 4)",
        "p < .05",
        5,
        group_difference("p"),
        ALL - OF_MINUTES,
    ),
    Row(
        "compare.group_difference, permuted",
        "8 and 8 wearers of 14 days (few: 4)",
        "p < .05",
        5,
        group_difference("p_permutation"),
        ALL - OF_MINUTES,
    ),
    Row(
        "compare.group_rates",
        "8 and 8 wearers of 14 days (few: 4)",
        "p < .05",
        5,
        group_rates,
        ALL,
    ),
    Row(
        "compare.fit_mixed",
        "10 wearers, second week (few: 4 days)",
        "p < .05",
        5,
        fit_mixed,
        ALL - OF_MINUTES,
    ),
    Row(
        "compare.limits_of_agreement, bias",
        "10 wearers of 60 min (few: 3)",
        "contained",
        95,
        agreement("bias"),
        ALL - WEEKENDS,
    ),
    Row(
        "compare.limits_of_agreement, limit",
        "10 wearers of 60 min (few: 3)",
        "contained",
        95,
        agreement("limit"),
        ALL - WEEKENDS,
    ),
    Row(
        "compare.events",
        "minutes about 20 events (few: 5)",
        "changed",
        5,
        events,
        ALL - WEEKENDS,
    ),
)


def measured(row: Row, how: Condition, runs: int, seed: int) -> float:
    """Return the share of runs, in per cent."""
    own = zlib.crc32(f"{row.function} {how.name}".encode())
    hits = sum(row.run(np.random.default_rng([seed, own, run]), how) for run in range(runs))
    return round(100 * hits / runs, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="rows whose function begins so; default all")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    chosen = [row for row in ROWS if not given.names or row.function.startswith(tuple(given.names))]
    if not given.json:
        names = " | ".join(how.name for how in CONDITIONS)
        print(f"| function | of | counted | nominal | {names} |")
        print("|---|---|---|---|" + "---|" * len(CONDITIONS))
    found = []
    for row in chosen:
        cells = {
            how.name: measured(row, how, given.runs, given.seed)
            for how in CONDITIONS
            if how.name in row.conditions
        }
        found.append({"function": row.function, "of": row.data, "counted": row.measure} | cells)
        if not given.json:
            shown = " | ".join(str(cells.get(how.name, "")) for how in CONDITIONS)
            print(
                f"| `{row.function}` | {row.data} | {row.measure} | {row.nominal:g} | {shown} |",
                flush=True,
            )
    if given.json:
        json.dump({"seed": given.seed, "runs": given.runs, "rows": found}, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
