"""The sections of one wearer's report, in the order in which they are read.

Each takes the facts (`Logs`) and gives sentences, figures and tables; the words are in
`templates/wearer.txt`.
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, role, role_field
from eyelog.clock import local_days
from eyelog.figures.labels import LOG_WORDS
from eyelog.frame import OFFSET, clock_of, log_of
from eyelog.judge.limits import limit
from eyelog.measure.readable import on_clock
from eyelog.reports import evidence, words
from eyelog.reports.logs import PEAKS, Logs
from eyelog.reports.parts import Empty, PageTable, Part, Picture, page_table, picture, said_table
from eyelog.reports.words import said
from eyelog.series.cosinor import doubt_of
from eyelog.series.inference import LEAST_FOR_MEDIAN, median

BLINKS: Final = "blink_rate_per_min"
TURNS: Final = "head_moves_yaw_per_h"
RATES: Final = ("pace_spm", BLINKS, "eye_moves_per_h", TURNS)
SHOWN: Final = ("coverage", "worn_h", "valid_h", "first_worn", "last_worn", "steps", *RATES)
WEEKLY: Final = (
    *("days", "days_counted", "worn_h_per_day", "valid_h_per_day", "steps_per_day"),
    *RATES,
)
MOST_ROWS: Final = 31  # days; of more the weeks are shown
MEDIANS: Final = (
    *("recorded_h", "worn_h", "valid_h", "walking_h", "coverage"),
    *("steps", "pace_spm", "pace_exposure_min", *PEAKS),
    *(BLINKS, "blink_exposure_min", "blink_strength_uv", "blink_duration_ms"),
    *("eye_moves_per_h", "eye_moves_horizontal_per_h", "eye_moves_vertical_per_h"),
    *("head_moves_pitch_per_h", TURNS, "tilt_fore_aft_deg", "tilt_sideways_deg"),
    *(f"{name}_mean" for name in role(COMPUTED_DATA, "score")),
)


def days(logs: Logs) -> Part:
    """Return the wear of the median day, the days as a figure, and tables of medians and days."""
    log = logs.lead
    logs.require_days(log)
    return Part(
        said("wearer.days", logs=logs, log=log),
        _by_day(logs, log, "wearer.worn_by_day", "worn_h"),
        [partial(_days_table, logs), partial(_medians_table, logs)],
        {f"days-{one}": partial(logs.days, one) for one in logs.frames if one != log},
    )


def _medians_table(logs: Logs) -> PageTable:
    """Return the medians of the days that count: a row per quantity, a column per log."""
    rows = []
    for name in MEDIANS:
        found = {log: logs.usual(log, name) for log in logs.frames}
        if not any(usual.n for usual in found.values()):
            continue
        for log, usual in found.items():
            values = logs.quantities(log).get(name, pd.Series([], dtype="float64"))
            row = {"quantity": name, "log": log, "smallest": values.min(), "largest": values.max()}
            rows.append(row | usual._asdict())
    whole = pd.DataFrame(rows).set_index("quantity")
    return said_table("wearer.medians_table", whole, logs=logs, least=LEAST_FOR_MEDIAN)


def _by_day(logs: Logs, log: str, what: str, name: str, called: str = "") -> list[Picture]:
    """Return the figure of a quantity on each day; one day needs none."""
    if len(logs.days(log)) < 2:
        return []
    draw = partial(el.plot_daily, logs.days(log), name)
    return [picture(what, draw, log=called or LOG_WORDS[log])]


def _days_table(logs: Logs) -> PageTable:
    log, table = logs.lead, logs.days(logs.lead)
    weeks, travels = len(table) > MOST_ROWS, OFFSET in logs.frames[log].columns
    shown = el.weekly(logs.to_summarise(log), **logs.options) if weeks else table
    if travels and not weeks:
        shown = on_clock(table, clock_of(logs.frames[log], log=log))
    caption = words.sentence("wearer.days_caption", log=log, weeks=weeks, travels=travels)
    names = WEEKLY if weeks else SHOWN
    return page_table(shown, caption, f"days-{log}", names=names, whole=table)


def eyes(logs: Logs) -> Part:
    """Return the blink rate with its interval, day by day and by hour, and the scores."""
    rates = {
        log: el.blinks.rate(logs.of_blinks(log)[0], of="wearer", limits=logs.limits).iloc[0]
        for log in logs.frames
        if BLINKS in logs.days(log)
    }
    if not rates:
        raise Empty("no log has the fields of the blink rate")
    findings = said("wearer.blink_rates", logs=logs, rates=rates)
    measured = [log for log in rates if logs.days(log)[BLINKS].notna().any()]
    if not measured:
        raise Empty(" ".join(findings))
    frame, called = logs.of_blinks(measured[0])
    hourly = el.blinks.rate(frame, by="1h", limits=logs.limits)
    hours = el.rhythm.profile(hourly, "rate_per_min", by="hour")
    if not hours["p"].isna().all():
        findings += said("wearer.blink_hours", hours=hours, alpha=ALPHA)
    of_hours = el.blinks.rate(frame, by="hour", limits=logs.limits)
    draw = partial(el.plot_profile, hours)
    return Part(
        findings,
        [
            *_by_day(logs, measured[0], "wearer.blinks_by_day", BLINKS, called),
            picture("wearer.blinks_by_hour", draw, log=called),
        ],
        files={"blink-rate-by-hour": lambda: of_hours[of_hours["n"] > 0]},
    )


def blinks(logs: Logs) -> Part:
    """Return which blinks count, and the time between them: what only the 20 Hz log shows."""
    if logs.single is None:
        raise Empty("single blinks are in the 20 Hz log alone, which is not in this report")
    events = el.blinks.events(logs.single, limits=logs.limits)
    if events.empty:
        raise Empty("the 20 Hz log reports no blink")
    counted, days = events[events["counted"]], logs.single_days
    reasons = events.loc[~events["counted"], "reason"].value_counts().to_dict()
    if counted.empty:
        raise Empty(words.sentence("wearer.no_blink_counts", n=len(events), reasons=reasons))
    between = counted["interval_s"].dropna().rename("Time between blinks (s)")
    names = (
        *("blink_n", BLINKS, "blink_interval_sd_s", "blink_interval_max_s"),
        *("blink_strength_uv", "blink_duration_ms", "long_blink_share"),
    )
    pictures = [picture("wearer.between_blinks", partial(el.plot_distribution, between))]
    if len(days) > 1:
        longest = partial(el.plot_daily, days, "blink_interval_max_s")
        pictures.append(picture("wearer.longest_by_day", longest))
    return Part(
        said(
            "wearer.blinks",
            n=len(events),
            counted=len(counted),
            reasons=reasons,
            between=between,
            grouped=el.blinks.bursts(logs.single, limits=logs.limits).iloc[0],
            long_share=days["long_blink_share"].dropna().median(),
            long_ms=limit(log_of(logs.single), "long_blink").value,
            days=len(days),
        ),
        pictures,
        [lambda: page_table(days, "Blinks on each day, 20 Hz log", "blinks-by-day", names=names)],
    )


def walking(logs: Logs) -> Part:
    """Return steps and pace of the median day, and the bouts of walking."""
    log = logs.with_column("steps", "no log has the step counts")
    logs.require_days(log)
    frame, counted = logs.to_summarise(log), logs.counted(log).index
    walks = el.gait.bouts(frame, limits=logs.limits)
    opened = local_days(pd.DatetimeIndex(walks["start"]), clock=logs.clock(log), stamp="start")
    classes = None
    if STANDARD_MODE_LOGS in logs.frames:
        sixty = logs.to_summarise(STANDARD_MODE_LOGS)
        classes = el.gait.speed_classes(sixty, limits=logs.limits)
    called, files = LOG_WORDS[log], {} if classes is None else {"step-classes": lambda: classes}
    pictures = _by_day(logs, log, "wearer.steps_by_day", "steps")
    if not walks.empty:
        pictures.append(picture("wearer.bouts", partial(el.plot_bouts, walks), log=called))
        files["walking-bouts"] = lambda: walks
    return Part(
        said(
            "wearer.walking",
            logs=logs,
            log=log,
            whole=el.gait.pace(frame, limits=logs.limits).iloc[0],
            walks=walks,
            per_day=median(pd.Series(opened).value_counts().reindex(counted, fill_value=0)),
            classes=None if classes is None else classes.iloc[0],
        ),
        pictures,
        files=files,
    )


def head(logs: Logs) -> Part:
    """Return movements per worn hour, and the tilt of the head."""
    log = logs.with_column(TURNS, "no log has the head movements and the evidence of wear")
    logs.require_days(log)
    frame, called, limits = logs.to_summarise(log), LOG_WORDS[log], logs.limits
    tilt, of_zones = role_field(log, "tilt_fore_aft"), el.posture.zones(frame, limits=limits)
    of_hours = el.posture.head_movements(frame, by="hour", limits=limits)
    spreads = el.posture.spread(frame, limits=limits)

    def draw_tilt() -> Any:
        masked = logs.masked(log)
        return el.plot_distribution(masked, tilt, typical=el.baseline.typical_value(masked, tilt))

    return Part(
        said("wearer.head", logs=logs, log=log, zones=of_zones, spread=spreads.iloc[0]),
        [
            picture("wearer.tilt", draw_tilt, log=called),
            *_by_day(logs, log, "wearer.turns_by_day", TURNS),
        ],
        files={
            "head-movements-by-hour": lambda: of_hours[of_hours["n"] > 0],
            "tilt-zones": lambda: of_zones,
            "tilt-spread": lambda: spreads,
        },
    )


STEPS: Final = "Steps per hour"
ALPHA: Final = 0.05  # a pattern that arises by chance this often is not reported
LEAST_ALIKE: Final = 7  # days; the stability of fewer varies considerably between weeks


def rhythm(logs: Logs) -> Part:
    """Return the rhythm of steps per hour: when the wearer is active, how alike the days are."""
    log = logs.with_column("steps", "no log has the step counts")
    days, frame = logs.require_days(log, 3), logs.to_summarise(log)
    bins = el.resample(frame, "1h", limits=logs.limits, min_coverage=0.5)
    fields = [*role(log, "steps")]
    if not any(name in bins for name in fields):
        raise Empty("the step counts are not in the frame")
    hourly = bins.assign(**{STEPS: bins[fields].sum(axis=1, skipna=False)})
    if not hourly[STEPS].notna().any():
        raise Empty("no hour holds a step count")
    most, least = el.rhythm.most_active(hourly, STEPS), el.rhythm.least_active(hourly, STEPS)
    wave, amplitude = el.rhythm.cosinor(hourly, STEPS), el.rhythm.relative_amplitude(hourly, STEPS)
    stable = el.rhythm.interdaily_stability(hourly, STEPS)
    turns = el.rhythm.intradaily_variability(hourly, STEPS)
    doubt, alike, fitted = doubt_of(wave), stable, wave
    if doubt:  # a curve that is not a finding has no numbers to read
        fitted = wave._replace(amplitude=np.nan, peak_h=np.nan, r_squared=np.nan, reason=doubt)
    if stable.days < LEAST_ALIKE:
        few = f"fewer than {LEAST_ALIKE} days vary too much to compare them"
        alike = stable._replace(stability=np.nan, noise=np.nan, corrected=np.nan)
        alike = alike._replace(reason=stable.reason or few)
    measures: list[tuple[str, Any, float, str]] = [  # name, result, value, unit
        ("Most active 10 h (M10), level", most, most.mean, "steps per h"),
        ("Most active 10 h (M10), start", most, most.start, "clock"),
        ("Least active 5 h (L5), level", least, least.mean, "steps per h"),
        ("Least active 5 h (L5), start", least, least.start, "clock"),
        ("Relative amplitude (RA)", amplitude, amplitude.ra, ""),
        ("Interdaily stability (IS)", alike, alike.stability, ""),
        ("IS of days without a common pattern", alike, alike.noise, ""),
        ("IS, corrected for that", alike, alike.corrected, ""),
        ("Intradaily variability (IV)", turns, turns.iv, ""),
        ("Cosinor: mesor", fitted, fitted.mesor, "steps per h"),
        ("Cosinor: amplitude", fitted, fitted.amplitude, "steps per h"),
        ("Cosinor: peak", fitted, fitted.peak_h, "clock"),
        ("Cosinor: variance explained", fitted, fitted.r_squared, "%"),
    ]
    whole = [
        (name, value, unit, of.exposure_h, of.n, words.without_advice(of.reason))
        for name, of, value, unit in measures
    ]
    names = pd.Index(["name", "value", "unit", "exposure_h", "n", "reason"])
    table = pd.DataFrame(whole, columns=names).set_index("name")

    def draw_day() -> Any:
        by_hour = el.rhythm.profile(hourly, STEPS)
        return el.plot_rhythm(by_hour, most_active=most, least_active=least, cosinor=wave)

    def draw_weekdays() -> Any:
        return el.plot_profile(el.rhythm.profile(hourly, STEPS, by=["weekday", "hour"]))

    return Part(
        said(
            "wearer.rhythm",
            log=log,
            days=days,
            most=most,
            wave=wave,
            doubt=doubt,
            reach=0.0 if doubt else float(scipy.special.stdtrit(days - 1, 0.975)) * wave.peak_se_h,
            stable=alike,
            alpha=ALPHA,
        ),
        [
            picture("wearer.average_day", draw_day, log=log),
            picture("wearer.weekdays", draw_weekdays, log=log),
        ],
        [partial(said_table, "wearer.rhythm_table", table, log=log)],
    )


# Title and maker of each section; the method follows them in every report
SECTIONS: Final[Mapping[str, tuple[str, Callable[[Logs], Part]]]] = MappingProxyType(
    {
        "days": ("Days", days),
        "eyes": ("Eyes", eyes),
        "blinks": ("Blinks, one by one", blinks),
        "walking": ("Walking", walking),
        "head": ("Head and posture", head),
        "rhythm": ("Rhythm of the day", rhythm),
        "baseline": ("Against the own usual range", evidence.baseline),
        "agreement": ("Agreement of the two logs", evidence.agreement),
        "trust": ("How far to trust it", evidence.trust),
    }
)
