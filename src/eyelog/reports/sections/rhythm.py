"""The rhythm of the day: when the wearer is active, and how similar the days are."""

from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.analysis.rhythm.active_hours import least_active, most_active, relative_amplitude
from eyelog.analysis.rhythm.cosinor import cosinor, doubt_of
from eyelog.analysis.rhythm.profile import profile
from eyelog.analysis.rhythm.stability import interdaily_stability, intradaily_variability
from eyelog.catalogue import role
from eyelog.figures.labels import LOG_WORDS
from eyelog.figures.profile import plot_profile
from eyelog.figures.rhythm import plot_rhythm
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.section_parts import Empty, Part, Picture
from eyelog.reports.usual import require_days

LEAST_DAYS: Final = 3
STEPS: Final = "Steps per hour"
ALPHA: Final = 0.05  # a pattern that arises by chance this often is not reported
LEAST_ALIKE: Final = 7  # days; the stability of fewer varies considerably between weeks


class Measure(NamedTuple):
    """One measure of the rhythm: its name, its value in words, and why it is missing."""

    name: str
    value: float
    said: str
    exposure_h: float
    n: int
    reason: str


def section(logs: Logs) -> Part:
    """Return the rhythm of steps per hour."""
    log = next((one for one in logs.frames if "steps" in logs.days(one)), None)
    if log is None:
        raise Empty("no log has the step counts")
    days = require_days(logs, log, LEAST_DAYS)
    hourly = _steps_per_hour(logs, log)
    if not hourly[STEPS].notna().any():
        raise Empty("no hour holds a step count")
    return Part(
        findings=[_active(hourly, log, days), *_alike(hourly)],
        pictures=[
            Picture(
                f"The average day in steps per hour, {LOG_WORDS[log]}",
                "The mean of each hour of day, with the ten most active hours and the fitted cosine"
                " if they can be known.",
                partial(_draw, hourly),
            ),
            Picture(
                f"Steps by weekday and hour, {LOG_WORDS[log]}",
                "For each hour of each weekday, the median of the n days; hatching marks hours in"
                " which the eyewear was worn for less than half an hour.",
                lambda: plot_profile(profile(hourly, STEPS, by=["weekday", "hour"])),
            ),
        ],
        tables=[partial(_measures_table, hourly, log)],
    )


def _steps_per_hour(logs: Logs, log: str) -> pd.DataFrame:
    """Return the hours with the steps of those worn for half an hour or more."""
    bins = logs.bins(log, "1h")
    if not any(name in bins for name in role(log, "steps")):
        raise Empty("the step counts are not in the frame")
    return bins.assign(**{STEPS: bins[[*role(log, "steps")]].sum(axis=1, skipna=False)})


def _draw(hourly: pd.DataFrame) -> object:
    return plot_rhythm(
        profile(hourly, STEPS),
        most_active=most_active(hourly, STEPS),
        least_active=least_active(hourly, STEPS),
        cosinor=cosinor(hourly, STEPS),
    )


def _active(hourly: pd.DataFrame, log: str, days: int) -> str:
    most, wave = most_active(hourly, STEPS), cosinor(hourly, STEPS)
    if most.reason:
        sentence = f"The most active ten hours are not known: {most.reason}"
    else:
        end = (most.start + 10) % 24
        sentence = (
            f"The ten most active hours of the average day began at {words.time_of_day(most.start)}"
            f" and ended at {words.time_of_day(end)}, with {words.whole(most.mean)} steps per hour"
        )
    doubt = doubt_of(wave)
    if doubt:
        sentence += f"; {doubt}"
    else:
        reach = float(scipy.special.stdtrit(days - 1, 0.975)) * wave.peak_se_h
        sentence += (
            f"; the fitted cosine peaks at {words.time_of_day(wave.peak_h)}"
            f" (95 % interval {words.time_of_day(wave.peak_h - reach)} to"
            f" {words.time_of_day(wave.peak_h + reach)}) and explains"
            f" {words.percent(wave.r_squared)} of the variance within days"
        )
    return f"{sentence} ({LOG_WORDS[log]}, {words.count(days, 'day')} of wear)."


def _alike(hourly: pd.DataFrame) -> list[str]:
    stable = interdaily_stability(hourly, STEPS)
    amplitude = relative_amplitude(hourly, STEPS)
    sentences = []
    if not stable.reason and stable.days >= LEAST_ALIKE:
        based = f"{stable.per_day} hours of the day, {words.count(stable.days, 'day')}"
        chance = f"days without a common pattern give {words.number(stable.noise, 2)} ({based})"
        sentences.append(
            f"Interdaily stability is {words.number(stable.stability, 2)}, where {chance}."
            f" Corrected for that it is {words.number(stable.corrected, 2)}, where 1 is identical"
            " days."
            if stable.p < ALPHA
            else "The days show no common pattern that stands out: interdaily stability is"
            f" {words.number(stable.stability, 2)}, and {chance}."
        )
    if amplitude.reason:
        sentences.append(f"There is no relative amplitude: {_without_advice(amplitude.reason)}.")
    return sentences


def _without_advice(reason: str) -> str:
    """Return a reason without the advice on what to type, which is useless in a report."""
    return reason.partition(": eyewear")[0].partition(": pass ")[0]


def _measures(hourly: pd.DataFrame) -> list[Measure]:
    most, least = most_active(hourly, STEPS), least_active(hourly, STEPS)
    wave, amplitude = cosinor(hourly, STEPS), relative_amplitude(hourly, STEPS)
    if doubt := doubt_of(wave):  # a curve that is not a finding has no numbers to read
        wave = wave._replace(amplitude=np.nan, peak_h=np.nan, r_squared=np.nan, reason=doubt)
    stable, turns = interdaily_stability(hourly, STEPS), intradaily_variability(hourly, STEPS)
    if stable.days < LEAST_ALIKE:
        few = f"fewer than {LEAST_ALIKE} days vary too much to compare them"
        stable = stable._replace(
            stability=np.nan, noise=np.nan, corrected=np.nan, reason=stable.reason or few
        )

    def plain(name: str, result: Any, value: float, digits: int, unit: str = "") -> Measure:
        text = words.number(value, digits) + (f" {unit}" if unit and np.isfinite(value) else "")
        return Measure(
            name, value, text, result.exposure_h, result.n, _without_advice(result.reason)
        )

    def clock(name: str, result: Any, value: float) -> Measure:
        text = words.time_of_day(value)
        return Measure(
            name, value, text, result.exposure_h, result.n, _without_advice(result.reason)
        )

    return [
        plain("Most active 10 h (M10), level", most, most.mean, 0, "steps per h"),
        clock("Most active 10 h (M10), start", most, most.start),
        plain("Least active 5 h (L5), level", least, least.mean, 0, "steps per h"),
        clock("Least active 5 h (L5), start", least, least.start),
        plain("Relative amplitude (RA)", amplitude, amplitude.ra, 2),
        plain("Interdaily stability (IS)", stable, stable.stability, 2),
        plain("IS of days without a common pattern", stable, stable.noise, 2),
        plain("IS, corrected for that", stable, stable.corrected, 2),
        plain("Intradaily variability (IV)", turns, turns.iv, 2),
        plain("Cosinor: mesor", wave, wave.mesor, 0, "steps per h"),
        plain("Cosinor: amplitude", wave, wave.amplitude, 0, "steps per h"),
        clock("Cosinor: peak", wave, wave.peak_h),
        plain("Cosinor: variance explained", wave, wave.r_squared, 2)._replace(
            said=words.percent(wave.r_squared)
        ),
    ]


def _measures_table(hourly: pd.DataFrame, log: str) -> PageTable:
    measures = _measures(hourly)
    rows = [
        [
            one.name,
            one.reason or one.said,
        ]
        for one in measures
    ]
    csv = pd.DataFrame(measures).drop(columns="said").set_index("name")
    return PageTable.of(
        f"Rhythm of the steps per hour, {LOG_WORDS[log]}",
        ["Measure", "Value, or why there is none"],
        rows,
        "rhythm",
        csv,
    )
