"""How the numbers were obtained: definitions, limits, and the recipe to repeat them."""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any, Final

import pandas as pd

from eyelog.analysis.compare.sensitivity import sensitivity
from eyelog.catalogue import catalogue_version
from eyelog.errors import FieldError
from eyelog.figures.labels import LOG_WORDS
from eyelog.judge.limits import DEFAULT, Limits
from eyelog.measure.blinks import rate
from eyelog.measure.coverage import coverage
from eyelog.measure.posture import head_movements
from eyelog.provenance import history
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.methods_text import methods
from eyelog.reports.parts import PageTable, Part, text_table
from eyelog.reports.versions import versions

ALL: Final = "all"
LONGEST: Final = 400  # characters of one detail of the history; longer ones are spans of time

TERMS: Final = [
    (
        "Records and days",
        "A record's stamp closes its interval of 15 or 60 seconds. Days run from {border} to"
        " {border}, local time, and have 23 or 25 hours when the clocks change. The two logs are"
        " computed in different ways and are never mixed in one number.",
    ),
    (
        "Judging",
        "Each value is judged before anything is computed; a value with a reason against it"
        " counts as missing and its row stays. The limits are the vendor's where it"
        " documents one.",
    ),
    (
        "Worn, usable, walking",
        "Worn: the eyewear says so, and its tilt is that of worn eyewear. Usable: worn, in"
        " pose, not walking, noise within its limit. Walking: seconds in which steps were taken,"
        " while worn.",
    ),
    (
        "Usual day",
        "The median of the days with at least {counted_h:g} h of wear. Its 95 % interval lies"
        " between two of the days' own values and assumes no shape (Thompson 1936, Annals of"
        " Mathematical Statistics 7:122), for as many days as are effective: neighbouring days are"
        " alike, by an autocorrelation that is shrunk towards .3. It needs seven days.",
    ),
    (
        "Blink rate",
        "Blinks over the time in which they could be counted, never a mean of rates. 15-second"
        " log: 60 times gaps between blinks / their seconds, in stretches free of noise."
        " 60-second log: blinks counted with weak cleansing over the seconds measured without"
        " noise. Intervals of days and hours are exact for a Poisson count (Garwood 1936,"
        " Biometrika 28:437), of these minutes alone; that of this wearer takes days as the units"
        " (jackknife) and is wider if neighbouring days are alike; it needs 5 days."
        " Below 3 usable minutes there is no rate.",
    ),
    (
        "Pace and walking bouts",
        "Pace is steps over the time walked; steps per clock minute are not a cadence (Dall et"
        " al. 2013). A bout is a run of walking of at least a minute with pauses of at most a"
        " minute; time without a record ends it. Peak cadence: the mean steps of a day's busiest"
        " minutes (Tudor-Locke et al. 2018). Symmetry index: 200 (R - L) / (R + L), unsigned"
        " (Robinson et al. 1987).",
    ),
    (
        "Head and posture",
        "Movements are per worn hour of the intervals in which they were counted. Angles are"
        " averaged on the circle (Fisher 1993). Which sign of a tilt is forward or right is not"
        " documented.",
    ),
    (
        "Rhythm",
        "From the steps per hour, without hours worn under 30 min. M10 and L5 are the largest"
        " and smallest mean of ten and five hours of the average day, RA = (M10 - L5) / (M10 +"
        " L5); IS compares the days' common pattern with all variation, IV the changes from hour"
        " to hour (Witting et al. 1990; Van Someren et al. 1999). Cosinor: one cosine of 24 h by"
        " least squares (Cornelissen 2014). L5 and RA are refused where the night was not worn:"
        " nights not worn counted as rest would give values near 1 for everybody.",
    ),
    (
        "Own usual range",
        "The usual range predicts a day from the 56 days before it, at least seven of them with"
        " 8 h of wear: median and MAD (times 1.4826) with Student's t, wider where neighbouring"
        " days are alike, so that 1 of 100 such days lies outside. From six weeks of earlier days"
        " on, weekdays are compared with weekdays and weekends with weekends; before, weekends"
        " have no range. Trend: the median of all slopes (Theil 1950; Sen 1968) and Kendall's test,"
        " both widened by the autocorrelation of the days (shrunk towards .3), weekends levelled."
        " New levels: the clearest split, or rise and return, where a line does not fit the days"
        " better. What this page names stands out of all quantities that were looked at: each is"
        " compared with simulated days without any change (autocorrelation .5), at 5 % for the"
        " page (Holm 1979). Scores are relative to the wearer's last hours: compare them within one"
        " person only.",
    ),
    (
        "Agreement",
        "Bias and limits of agreement, bias ± 1.96 SD of the differences, over minutes that"
        " both logs cover (Bland & Altman 1999, Statistical Methods in Medical Research 8:135)."
        " Their intervals take blocks of an hour as the units, or days from six days on.",
    ),
    (
        "What the numbers cannot say",
        "Eyewear is not worn at random: what was not worn was not measured, and usual days are"
        " usual days of wear. A difference between two periods is not the effect of what lies"
        " between them. Nothing here is a diagnosis.",
    ),
]


def method(logs: Logs, arguments: dict[str, Any], notices: list[str]) -> Part:
    """Return the definitions, the limits and the recipe of a report.

    Parameters
    ----------
    logs : Logs
        What is reported.
    arguments : dict
        How `eyelog.report` was called, JSON-safe.
    notices : list of str
        Warnings given while the numbers were computed.
    """
    findings = [
        "Every number can be computed again from the same records with the definitions, limits and"
        " versions below."
    ]
    findings += [_reading(logs, log) for log in logs.frames]
    findings += [f"Note: {notice}" for notice in notices]
    return Part(
        findings=findings,
        tables=[partial(limits_table, list(logs.frames), logs.limits)],
        to_paste=methods(logs, arguments.get("sections")),
        terms=[
            (name, text.format(counted_h=logs.counted_h, border=logs.border))
            for name, text in TERMS
        ],
        recipe=json.dumps(_recipe(logs, arguments), indent=1, ensure_ascii=False, sort_keys=True),
    )


READINGS: Final = {
    "device": "the eyewear says so",
    "blinks": "the eyewear says so or blinks were counted",
}


def _reading(logs: Logs, log: str) -> str:
    """Return which reading of wear was used, and what the other would give."""
    used = logs.limits.wear
    other = replace(logs.limits, wear="device" if used == "blinks" else "blinks")
    called = LOG_WORDS[log]
    sentence = f"Wear ({called}): worn means that {READINGS[used]}"
    try:
        table = sensitivity(logs.frames[log], _of_wear, limits=[logs.limits, other])
    except FieldError:
        return f"{sentence}; the records lack what the other reading needs."
    moved = [
        f"{name} {words.number(now, 1)} instead of {words.number(before, 1)}"
        for name, before, now in zip(WEAR, *table[list(WEAR)].to_numpy().tolist(), strict=True)
        if pd.notna(before) and pd.notna(now)
    ]
    if not moved:
        return f"{sentence}."
    return f"{sentence}. If it meant that {READINGS[other.wear]}: {words.joined(moved)}."


WEAR: Final = ("worn time (h)", "blink rate (per min)", "turns of the head (per h)")


def _of_wear(frame: pd.DataFrame, *, limits: Limits) -> dict[str, float]:
    return {
        WEAR[0]: float(coverage(frame, limits=limits)["worn_h"].sum(min_count=1)),
        WEAR[1]: float(rate(frame, limits=limits)["rate_per_min"].iloc[0]),
        WEAR[2]: float(head_movements(frame, limits=limits)["yaw_per_h"].iloc[0]),
    }


def limits_table(logs: Sequence[str], chosen: Limits = DEFAULT) -> PageTable:
    """Return the limits of these logs with their sources."""
    limits_of: dict[tuple[str, ...], list[str]] = {}
    for log in logs:
        for one in chosen.of(log).values():
            limits_of.setdefault((one.label, one.value_text, one.source), []).append(log)
    rows = [
        [text, value, _whose(of, logs), source] for (text, value, source), of in limits_of.items()
    ]
    whole = pd.DataFrame(rows, columns=pd.Index(["limit", "value", "logs", "source"]))
    # A column of logs would make the table too wide for half a page.
    shown = [
        [text if of == ALL or len(logs) == 1 else f"{text} ({of})", value, source]
        for text, value, of, source in rows
    ]
    return text_table(
        "Limits, with their sources",
        ["Limit", "Value", "Source"],
        shown,
        "limits",
        whole.set_index("limit"),
    )


def _recipe(logs: Logs, arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        "report": arguments,
        "versions": versions(),
        "catalogue": catalogue_version(),
        "logs": {log: _of_log(logs, log) for log in logs.frames},
    }


def _of_log(logs: Logs, log: str) -> dict[str, Any]:
    frame = logs.frames[log]
    days = logs.days(log).to_csv().encode()
    return {
        "records": len(frame),
        "fields": len(frame.columns),
        "first": frame.index[0].isoformat(),
        "last": frame.index[-1].isoformat(),
        "zone": logs.zone,
        "history": [_short(step) for step in history(frame)],
        "days_sha256": sha256(days).hexdigest(),
    }


def _short(step: dict[str, Any]) -> dict[str, Any]:
    """Return a step of the history without details that fill pages."""
    return {
        key: value if len(json.dumps(value, default=str)) <= LONGEST else "(too long to print)"
        for key, value in step.items()
    }


def _whose(of: Sequence[str], logs: Sequence[str]) -> str:
    """Return the logs that a limit is for in words; the names of all would fill the table."""
    return ALL if len(of) == len(logs) > 1 else words.joined([LOG_WORDS[log] for log in of])
