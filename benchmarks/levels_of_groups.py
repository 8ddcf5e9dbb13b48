"""How often intervals and tests of rhythm, groups, agreement and events are wrong.

    python benchmarks/levels_of_groups.py [NAME ...] [--runs 1000] [--seed 22] [--json]

Each row is one function on simulated data in which the truth is known. A *level* is how often
something is called different, changed or rhythmic that is not (at p < .05, or an interval without
0); a *coverage* is how often an interval contains the planted value; a *ratio* is the mean estimate
over the planted value, from a twentieth of the runs; a *share* is one of the simulated bouts. The
Monte-Carlo error is that of the share, or of the mean ratio. Every run has its own seed, so that
rows and runs can be repeated alone. NAMEs choose rows that begin so.
Prints Markdown, as in ``docs/definitions.md``, or JSON.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

import eyelog as el

ALPHA = 0.05
START = "2026-10-05"

Run = Callable[[np.random.Generator], float]


class Row(NamedTuple):
    """One function in one case: what is measured, the limits it should keep, and one run of it."""

    function: str
    case: str
    measures: str
    least: float
    most: float
    run: Run


def alike(rng: np.random.Generator, shape: tuple[int, int], phi: float) -> np.ndarray:
    """Return rows of values of variance 1 whose neighbours correlate with `phi`."""
    values = rng.normal(size=shape)
    for place in range(1, shape[1]):
        values[:, place] *= np.sqrt(1 - phi**2)
        values[:, place] += phi * values[:, place - 1]
    return values


def hours_of(rng: np.random.Generator, days: int, phi: float, wear: str) -> pd.Series:
    """Return hourly values without a rhythm, of days worn whole, from 7 to 19, or unevenly."""
    values = alike(rng, (days, 24), phi)
    opens = {"whole": np.zeros(days), "7 to 19": np.full(days, 7)}
    lasts = {"whole": np.full(days, 24), "7 to 19": np.full(days, 12)}
    first = opens.get(wear, rng.integers(6, 10, days))[:, None]
    length = lasts.get(wear, rng.integers(6, 15, days))[:, None]
    hour = np.arange(24)
    worn = (hour >= first) & (hour < first + length)
    index = pd.date_range(START, periods=24 * days, freq="h", tz="UTC")
    return pd.Series(np.where(worn, values, np.nan).ravel(), index=index)


def stability(days: int, phi: float, wear: str) -> Run:
    def run(rng: np.random.Generator) -> float:
        found = el.rhythm.interdaily_stability(hours_of(rng, days, phi, wear))
        return float(found.p < ALPHA)

    return run


def cosinor(days: int, phi: float, wear: str) -> Run:
    def run(rng: np.random.Generator) -> float:
        return float(el.rhythm.cosinor(hours_of(rng, days, phi, wear)).p < ALPHA)

    return run


def slope_of_day(days: int, phi: float, slopes: float) -> Run:
    """Return whether days of uneven wear, each with its own slope about 0, have one in common."""

    def run(rng: np.random.Generator) -> float:
        series = hours_of(rng, days, phi, "")
        own = np.repeat(rng.normal(0, slopes, days), 24)
        hour = np.tile(np.arange(24) - 12.0, days)
        level = np.repeat(rng.normal(size=days), 24)
        found = el.rhythm.time_on_task(series + own * hour + level)
        return float(found.p < ALPHA)

    return run


def groups(first: int, second: int, spread: float, p: str) -> Run:
    def run(rng: np.random.Generator) -> float:
        means = np.concatenate([rng.normal(size=first), rng.normal(0, spread, second)])
        account = [f"p{number:02}" for number in range(first + second)]
        group = {name: "a" if number < first else "b" for number, name in enumerate(account)}
        table = pd.DataFrame({"account": account, "y": means})
        found = el.compare.group_difference(table, group, outcome="y", draws=2000)
        return float(getattr(found, p) < ALPHA)

    return run


def page_of_groups(first: int, second: int, shape: str) -> Run:
    """Return whether any of 8 outcomes of two groups that are alike is called different."""
    wearers = [f"w{number:02}" for number in range(first + second)]
    day = [pd.Timestamp(START)] * len(wearers)
    index = pd.MultiIndex.from_arrays([wearers, day], names=["account", "day"])
    group = np.repeat(["a", "b"], [first, second])
    spread = np.where(group == "b", 3.0 if shape == "spread 1 : 3" else 1.0, 1.0)

    def run(rng: np.random.Generator) -> float:
        values = rng.normal(size=(8, len(wearers))) * spread
        if shape == "skewed":
            values = np.exp(0.5 * values)
        table = pd.DataFrame(dict(zip("ijklmnop", values, strict=True)), index=index)
        found = el.cohort.differences(
            table.assign(group=group), by="group", outcomes=list("ijklmnop")
        )
        return float((found["p_holm"] < ALPHA).any())

    return run


def rates_of_groups(first: int, second: int, spread: tuple[float, float]) -> Run:
    """Return whether two groups of wearers who blink alike differ in their blink rates."""

    def run(rng: np.random.Generator) -> float:
        wearers = []
        for number in range(first + second):
            own = spread[number >= first]
            rate = 15.0 * np.exp(rng.normal(0, own) - own**2 / 2)
            minutes = rng.uniform(200, 700, 14)
            counts = rng.poisson(rate * minutes * rng.gamma(16, 1 / 16, 14))
            day = pd.DataFrame({"account": f"p{number:02}", "n": counts, "min": minutes})
            wearers.append(day)
        table = pd.concat(wearers, ignore_index=True)
        group = {name: "a" if name < f"p{first:02}" else "b" for name in table["account"]}
        return float(el.compare.group_rates(table, "n", "min", group).loc["b", "p"] < ALPHA)

    return run


def agreement(between: float, what: str) -> Run:
    minutes = pd.date_range(f"{START} 09:01", periods=60, freq="min", tz="UTC")
    names = [f"p{number}" for number in range(10)]
    index = pd.MultiIndex.from_product([names, minutes], names=["account", "date"])

    def run(rng: np.random.Generator) -> float:
        apart = rng.normal(0, between, (10, 1)) + rng.normal(size=(10, 60))
        return contained(pd.DataFrame({"difference": apart.ravel()}, index=index), between, what)

    return run


def one_wearer(days: int, of_hour: float, of_day: float, what: str) -> Run:
    first = pd.date_range(f"{START} 08:01", periods=days, freq="D")
    index = pd.DatetimeIndex(
        np.add.outer(first.to_numpy(), np.arange(600) * np.timedelta64(1, "m")).ravel()
    ).tz_localize("UTC")

    def run(rng: np.random.Generator) -> float:
        apart = rng.normal(0, of_day, (days, 1, 1)) + rng.normal(0, of_hour, (days, 10, 1))
        apart = apart + rng.normal(size=(days, 10, 60))
        pairs = pd.DataFrame({"difference": apart.ravel()}, index=index)
        return contained(pairs, float(np.hypot(of_hour, of_day)), what)

    return run


def contained(pairs: pd.DataFrame, between: float, what: str) -> float:
    """Return whether the interval of bias or of the upper limit contains the planted one."""
    found = el.compare.limits_of_agreement(pairs)
    if what == "bias":
        return float(found.bias_low <= 0 <= found.bias_high)
    limit = 1.96 * np.sqrt(1 + between**2)
    return float(found.high_low <= limit <= found.high_high)


def mixed(wearers: int, slopes: float, phi: float, predictor: str) -> Run:
    def run(rng: np.random.Generator) -> float:
        shape = (wearers, 14)
        x = np.tile(np.arange(14) >= 7, (wearers, 1)) * 1.0
        if predictor == "noise":
            x = alike(rng, shape, phi)
        y = rng.normal(size=(wearers, 1)) + alike(rng, shape, phi)
        y = y + rng.normal(0, 1, (wearers, 1)) * slopes * (x - x.mean()) / x.std()
        account = np.repeat([f"p{number:02}" for number in range(wearers)], 14)
        table = pd.DataFrame({"account": account, "x": x.ravel(), "y": y.ravel()})
        return float(el.compare.fit_mixed(table, "y", predictors="x").loc["x", "p"] < ALPHA)

    return run


def bouts(mean: float, measure: str) -> Run:
    def run(rng: np.random.Generator) -> float:
        length = 1440 * 60
        on = rng.geometric(1 / mean, length // 40)
        off = rng.geometric(1 / 20, length // 40)
        edges = np.column_stack([on, off]).ravel().cumsum()
        edges = edges[edges < length]
        states = np.zeros(length)
        states[edges] = 1
        states = 1.0 - states.cumsum() % 2
        at, size = 0, states.size
        while at < size:
            at += int(rng.exponential(110)) + 1
            gap = int(rng.exponential(15)) + 1
            states[at : at + gap] = np.nan
            at += gap
        index = pd.date_range(START, periods=length, freq="min", tz="UTC")
        found = el.rhythm.fragmentation(pd.Series(states, index=index))
        if measure == "cut off":
            return found.censored / found.n
        planted = mean if measure.startswith("mean") else np.ceil(-1 / np.log2(1 - 1 / mean))
        return float(getattr(found, measure) / planted)

    return run


def course(events: int, shape: str) -> Run:
    index = pd.date_range(START, periods=60 * (events + 2), freq="min", tz="UTC")

    def run(rng: np.random.Generator) -> float:
        noise = alike(rng, (1, len(index)), 0.5)[0]
        if shape == "skewed":
            noise = np.exp(noise)
        found = el.compare.events(
            pd.Series(noise, index=index), index[60::60][:events], before="15min", after="15min"
        )
        if shape == "pointwise":
            return float(((found["change_low"] > 0) | (found["change_high"] < 0)).any())
        return float(found["changed"].any())

    return run


def rows() -> Iterator[Row]:
    """Return every row of the table."""
    for days in (2, 7, 14, 28):
        for phi in (0.0, 0.7):
            case = f"{days} days of uneven wear, phi {phi:g} within the day"
            yield Row(
                "rhythm.interdaily_stability p", case, "level", 0, 0.07, stability(days, phi, "")
            )
    for days in (3, 7, 14, 28):
        for phi, worn in ((0.0, "whole"), (0.7, "whole"), (0.7, "7 to 19"), (0.7, "uneven")):
            case = f"{days} days worn {worn}, phi {phi:g} within the day"
            yield Row("rhythm.cosinor p", case, "level", 0, 0.08, cosinor(days, phi, worn))
    for days in (5, 7, 14, 28):
        for phi, slopes in ((0.0, 0.0), (0.7, 0.0), (0.7, 0.1)):
            case = f"{days} days of uneven wear, phi {phi:g} within the day, slope SD {slopes:g}"
            run = slope_of_day(days, phi, slopes)
            yield Row("rhythm.time_on_task p", case, "level", 0, 0.07, run)
    for first, second, spread in (
        *((5, 5, 1), (8, 8, 1), (8, 8, 3), (12, 12, 3)),
        *((8, 16, 3), (16, 8, 3), (20, 20, 3)),
    ):
        for name in ("p_permutation", "p"):
            case = f"{first} and {second} wearers, spread 1 : {spread}"
            yield Row(
                f"compare.group_difference {name}",
                case,
                "level",
                0,
                0.065,
                groups(first, second, spread, name),
            )
    for first, second in ((5, 5), (8, 8), (5, 20), (20, 20)):
        for shape in ("spread 1 : 1", "spread 1 : 3", "skewed"):
            case = f"8 outcomes of {first} and {second} wearers, {shape}"
            most = 0.15 if (first, second) == (5, 20) else 0.075
            run = page_of_groups(first, second, shape)
            yield Row("cohort.differences p_holm", case, "level", 0, most, run)
    for first, second, spread in ((8, 8, (0.3, 0.3)), (8, 8, (0.15, 0.45)), (16, 8, (0.15, 0.45))):
        case = f"{first} and {second} wearers of 14 days, SD {spread[0]:g} and {spread[1]:g}"
        run = rates_of_groups(first, second, spread)
        yield Row("compare.group_rates p", case, "level", 0, 0.065, run)
    for between in (1.0, 0.3, 0.0):
        for what in ("bias", "limit"):
            case = f"10 wearers of 60 pairs, SD between them {between:g} of that within"
            yield Row(
                f"compare.limits_of_agreement {what}",
                case,
                "coverage",
                0.90,
                0.97,
                agreement(between, what),
            )
    for days, of_hour, of_day in ((3, 0.5, 0.0), (7, 0.5, 0.5), (14, 0.5, 0.5)):
        for what in ("bias", "limit"):
            case = f"one wearer, {days} days, SD of hours {of_hour:g}, of days {of_day:g}"
            run = one_wearer(days, of_hour, of_day, what)
            yield Row(f"compare.limits_of_agreement {what}", case, "coverage", 0.90, 0.97, run)
    for days in (3, 5):  # fewer than six cannot show how days differ: their hours are the units
        case = f"one wearer, {days} days, SD of hours 0.5, of days 0.5"
        run = one_wearer(days, 0.5, 0.5, "bias")
        yield Row("compare.limits_of_agreement bias", case, "coverage", 0.5, 0.7, run)
    for wearers in (5, 10, 30):
        for predictor in ("noise", "second week"):
            for slopes in (0.0, 0.5):
                for phi in (0.0, 0.4):
                    case = f"{wearers} wearers, x {predictor}, slope SD {slopes:g}, phi {phi:g}"
                    yield Row(
                        "compare.fit_mixed p",
                        case,
                        "level",
                        0,
                        0.075,
                        mixed(wearers, slopes, phi, predictor),
                    )
    for measure, least, most in (
        ("cut off", 0.4, 0.55),
        ("mean_bout", 0, 1.05),
        ("mean_bout_km", 0.95, 1.05),
        ("median_bout_km", 0.95, 1.05),
    ):
        yield Row(
            f"rhythm.fragmentation {measure}",
            "60 days, bouts of 39.2 min, random gaps",
            "share" if measure == "cut off" else "ratio",
            least,
            most,
            bouts(39.2, measure),
        )
    for count in (5, 8, 12, 20, 40):
        for shape in ("normal", "skewed", "pointwise"):
            name = "pointwise bands" if shape == "pointwise" else "changed"
            case = f"{count} events, 30 offsets, phi .5, {shape.replace('pointwise', 'normal')}"
            yield Row(
                f"compare.events {name}",
                case,
                "level",
                0,
                1 if shape == "pointwise" else 0.07,
                course(count, shape),
            )


def measured(row: Row, runs: int, seed: int) -> dict[str, object]:
    """Return one row with its value and Monte-Carlo error."""
    few = row.measures in ("ratio", "share")
    count = max(20, runs // 20) if few else runs
    found = np.array([row.run(np.random.default_rng([seed, number])) for number in range(count)])
    value = float(found.mean())
    error = found.std(ddof=1) if few else np.sqrt(value * (1 - value))
    return {
        "function": row.function,
        "case": row.case,
        "measures": row.measures,
        "value": round(value, 4),
        "error": round(float(error / np.sqrt(count)), 4),
        "runs": count,
        "kept": bool(row.least <= value <= row.most),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="rows whose function begins so; default all")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=22)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    chosen = [
        row for row in rows() if not given.names or row.function.startswith(tuple(given.names))
    ]
    if not given.json:
        print("| function | case | measured | value | error | runs |")
        print("|---|---|---|---|---|---|")
    found = []
    for row in chosen:
        made = measured(row, given.runs, given.seed)
        found.append(made)
        if not given.json:
            value, error = (
                (f"{made['value']:.3f}", f"{made['error']:.3f}")
                if row.measures in ("ratio", "share")
                else (f"{100 * made['value']:.1f} %", f"{100 * made['error']:.1f}")
            )
            print(
                f"| `{row.function}` | {row.case} | {row.measures} | {value} | {error} |"
                f" {made['runs']} |",
                flush=True,
            )
    if given.json:
        json.dump({"seed": given.seed, "rows": found}, sys.stdout, indent=1)
        print()


if __name__ == "__main__":
    main()
