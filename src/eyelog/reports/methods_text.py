"""The methods of an analysis as an author writes them: filled in, ready to paste."""

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Final

import pandas as pd

from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, log_named
from eyelog.errors import FieldError
from eyelog.figures.labels import range_words
from eyelog.frame import log_of
from eyelog.judge.limits import Limits
from eyelog.measure.columns import column
from eyelog.reports import words
from eyelog.reports.literature import SOFTWARE, CitedText, cited_text
from eyelog.reports.logs import PURPOSE, RECIPE, Logs
from eyelog.reports.versions import versions

# Reasons that every list names, because they state a limit, even where it removed nothing.
_OF_LIMITS: Final = ("UNWORN", "INVALID", "OFF_POSE", "MOVING", "NOISY")


def methods(logs: Logs, sections: Collection[str] | None = None) -> CitedText:
    """Return the methods of one wearer's analysis.

    Parameters
    ----------
    logs : Logs
        What was analysed.
    sections : collection of str, optional
        The sections of the report whose measures are defined. Default: all.
    """
    measures = [
        define(logs) for key, define in _MEASURES.items() if sections is None or key in sections
    ]
    return cited_text(
        f"{software_sentence()} {_records(logs)}",
        judging_text(logs.limits),
        *(f"{_left_out(logs, log)} {_hours(logs, log)}" for log in logs.frames),
        " ".join(filter(None, measures)),
    )


def software_sentence() -> str:
    """Return what the analysis was computed with."""
    version_of = versions()
    names = {"numpy": "NumPy", "pandas": "pandas", "scipy": "SciPy"}
    others = [
        f"Python {version_of['python']}",
        *(f"{label} {version_of[n]}" for n, label in names.items()),
    ]
    return (
        f"Logs of smart eyewear were analysed with eyelog {version_of['eyelog']} [@{SOFTWARE}] on"
        f" {words.joined(others)}."
    )


def _records(logs: Logs) -> str:
    """Return whose records, of which logs and days."""
    counts = [
        f"{len(frame):,} records of the {log_named(log).words}"
        + (" made from it" if log in logs.derived else "")
        for log, frame in logs.frames.items()
    ]
    if logs.single is not None:
        rows = f"{len(logs.single):,} rows of the {log_named(log_of(logs.single)).words}"
        counts.insert(0, rows)
    days = logs.calendar
    sentence = (
        f"The data are {words.joined(counts)} of one wearer, {range_words(days[0], days[-1])}"
        f" ({words.count(len(days), 'day')}, from {logs.border} to {logs.border}, {logs.zone})."
    )
    if len(logs.frames) > 1:
        sentence += " The logs are computed in different ways and were analysed separately."
    return sentence


def judging_text(limits: Limits) -> str:
    """Return how values were judged, and which limits are not the default."""
    sentence = (
        "Each value was judged before any computation; a value with a reason against it was"
        " treated as missing, and nothing was imputed."
    )
    table, given = limits.table(), limits.details()
    if given:
        own = [
            f"{name} {row['value']} (default {row['default']})"
            for name in given
            for _, row in table.loc[[name]].drop_duplicates("value").iterrows()
        ]
        sentence += f" These limits differ from the defaults of eyelog: {words.joined(own)}."
    if limits.wear == "blinks":
        sentence += " Intervals in pose in which blinks were counted count as worn too."
    return sentence


def _left_out(logs: Logs, log: str) -> str:
    """Return the limits of a log, in turn, with the records that each of them left out."""
    recipe, called = RECIPE[log], log_named(log).words
    try:
        table = logs.attrition(log, recipe)
    except FieldError:
        return (
            f"The {called} lacks fields by which measures of {PURPOSE[recipe]} are judged, so"
            " these were not checked."
        )
    steps = table[table["outcome"].fillna("") == ""]
    total, left = int(steps["left"].iloc[0]), int(steps["left"].iloc[-1])
    lost = [
        _lost(reason, rows, total)
        for reason, rows in steps.iloc[1:].groupby("reason", sort=False)
        if reason in _OF_LIMITS or rows["removed"].sum()
    ]
    return (
        f"Of {total:,} records of the {called} these were left out for measures of"
        f" {PURPOSE[recipe]}, in turn: {words.joined(lost)}; {left:,}"
        f" ({words.percent(left / total)}) were kept."
    )


def _lost(reason: object, rows: pd.DataFrame, total: int) -> str:
    """Return the records of one reason, and the limits that they break."""
    removed, unknown = int(rows["removed"].sum()), int(rows["unknown"].max())
    label = column(str(reason), table="explain").label
    loss = f"{removed:,} ({words.percent(removed / total)}) as {label[:1].lower()}{label[1:]}"
    if reason in _OF_LIMITS:
        loss += f" (kept: {', '.join(map(str, rows['condition']))})"
    return f"{loss}, {unknown:,} could not be checked" if unknown else loss


def _hours(logs: Logs, log: str) -> str:
    """Return hours recorded, worn and usable, and the days that count."""
    table = logs.hours(log)
    recorded, worn, usable = (
        float(table[name].sum(min_count=1)) for name in ("recorded_h", "worn_h", "valid_h")
    )
    sentence = f"This log has {words.number(recorded, 1)} h of records"
    if pd.isna(worn):
        return f"{sentence}; nothing in it shows whether the eyewear was worn."
    sentence += f", {words.number(worn, 1)} h of them worn"
    if pd.notna(usable):
        sentence += (
            f" and {words.number(usable, 1)} h usable (worn, in pose, at rest, little noise)"
        )
    return (
        f"{sentence}; {len(logs.counted(log))} of {words.count(len(logs.calendar), 'day')} had at"
        f" least {logs.counted_h:g} h of wear and count."
    )


def _days(logs: Logs) -> str:
    return (
        f"A usual day is the median of the days that count ({logs.counted_h:g} h of wear or more),"
        " with a distribution-free 95 % interval [@thompson1936] for days that are alike (as"
        " many days as are effective)."
    )


def _eyes(logs: Logs) -> str:
    how = {
        STANDARD_MODE_LOGS: "the blinks counted with weak cleansing over the seconds measured"
        " without noise",
        COMPUTED_DATA: "60 times the number of gaps between blinks over their seconds",
    }
    if logs.single is not None:
        how[COMPUTED_DATA] = "the single blinks of the 20 Hz log over the usable time"
    each = [f"{how[log]} ({log_named(log).words})" for log in logs.frames]
    return (
        f"The blink rate is {words.joined(each)}, from"
        f" {words.hours(logs.limits.seconds('min_valid') / 3600)} of usable time on."
        " Its 95 % intervals by day and hour are exact for a Poisson count [@garwood1936] and are"
        " of the minutes measured; that of the wearer takes days as the units (jackknife, widened"
        " where neighbouring days are alike)."
    )


def _blinks(logs: Logs) -> str:
    if logs.single is None:
        return ""
    rules = logs.limits.of(log_of(logs.single))
    counted = [rules[name].text("") for name in ("counted_strength", "counted_speed")]
    return f"Single blinks of the 20 Hz log count with {words.joined(counted)}."


def _walking(_: Logs) -> str:
    return (
        "Steps and walking count while the eyewear was worn. Pace is the number of steps over the"
        " time walked [@dall2013], not over clock minutes. A bout is a run of walking of at least"
        " a minute with pauses of at most a minute, ended by time without a record. Peak cadence is"
        " the mean of a day's busiest minutes [@tudorlocke2018]. The symmetry index is"
        " 200 (R - L) / (R + L), unsigned [@robinson1987]."
    )


def _head(_: Logs) -> str:
    return (
        "Head movements are per worn hour; tilts are averaged on the circle [@fisher1993], without"
        " a meaning of their sign."
    )


def _rhythm(_: Logs) -> str:
    return (
        "The rhythm of the day was taken from the steps per hour, without hours worn under 30 min:"
        " interdaily stability, intradaily variability, M10, L5 and relative amplitude"
        " [@witting1990; @vansomeren1999], and a cosine of 24 h [@cornelissen2014]. Measures that"
        " need the night were refused where the night was not worn."
    )


def _baseline(_: Logs) -> str:
    return (
        "A day was compared with the wearer's own usual range, predicted from up to 56 earlier"
        " days worn for at least 8 h (median and MAD with Student's t, widened where neighbouring"
        " days are alike), from six weeks on of weekdays or of weekends alone. Trends are medians"
        " of all slopes [@theil1950; @sen1968], widened by the autocorrelation of the days. New"
        " levels were sought as the clearest split of the days, or rise and return, against the"
        " clearest in simulated days that are alike (autocorrelation .3). What is said to stand out"
        " does so at 5 % over all quantities that were looked at [@holm1979]."
    )


def _agreement(logs: Logs) -> str:
    if len(logs.frames) < 2:
        return ""
    return (
        "Agreement of the two logs is the bias with limits of agreement, bias ± 1.96 SD of the"
        " differences, over minutes that both cover [@blandaltman1999]; their intervals take"
        " blocks of an hour as the units, or days from six days on."
    )


_MEASURES: Final[Mapping[str, Callable[[Logs], str]]] = MappingProxyType(
    {
        "days": _days,
        "eyes": _eyes,
        "blinks": _blinks,
        "walking": _walking,
        "head": _head,
        "rhythm": _rhythm,
        "baseline": _baseline,
        "agreement": _agreement,
    }
)
