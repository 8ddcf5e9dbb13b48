"""One quick call of every public function, which the laws for all of them try: `EXAMPLES`.

A new function is a line here: the kinds of table that it answers for (`support.kindsoftables`), and
what else it needs. Its first argument is the table; a function of none has all its arguments named.
"""

import atexit
import inspect
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib import pyplot as plt

import eyelog as el
from support.kindsoftables import held
from support.paths import ROOT
from support.public import public_names, resolve

FOLDER = tempfile.TemporaryDirectory()  # for the files that are made, until the tests end
atexit.register(FOLDER.cleanup)

SIXTY = "standard_mode_logs"
MINUTES, QUARTERS = "records of 60 s", "records of 15 s"
MASKED = ("masked, 60 s", "masked, 15 s")
BINS = ("bins of 60 s", "bins of 15 s", "some bins")
INTERVALS = ("intervals of 60 s", "intervals of 15 s")
RECORDS = (MINUTES, QUARTERS, *MASKED)
FRAMES = (*RECORDS, *BINS)
SUMMED = (*RECORDS, *INTERVALS)
SIXTY_SUMMED = (MINUTES, "masked, 60 s", "intervals of 60 s")
PACKETS = ("records at 20 Hz",)
SERIES = ("a column of days", "a field of bins", "an hourly field")
NUMBERS = (*SERIES, *RECORDS)
CONDITIONS = ("a condition", QUARTERS, "masked, 15 s")
COHORT = ("days of a cohort",)


@dataclass(frozen=True)
class Made:
    """An argument that is made of the table."""

    of: Callable[[Any], Any]


@dataclass(frozen=True)
class Example:
    """A call: the kinds of table of the first argument, and the other arguments."""

    kinds: tuple[str, ...]
    others: dict[str, Any]

    def arguments(self, function: Callable[..., Any], kind: str | None = None) -> dict[str, Any]:
        """Return the arguments with the table of a kind (the first one unless another is named)."""
        table = held(kind or self.kinds[0]) if self.kinds else None
        first = next(iter(inspect.signature(function).parameters))
        given = {name: x.of(table) if isinstance(x, Made) else x for name, x in self.others.items()}
        return ({first: table} if self.kinds else {}) | given


def _example(*kinds: str, **others: Any) -> Example:
    return Example(kinds, others)


def _first(*names: str) -> Made:
    """Return the first of these columns that a table has."""
    return Made(lambda table: next(name for name in names if name in table))


def _file(name: str) -> Made:
    """Return a place for a file that no other call writes to."""
    return Made(lambda _: Path(tempfile.mkdtemp(dir=FOLDER.name)) / name)


def _halves(which: int) -> Made:
    return Made(lambda table: table[len(table) // 2 :] if which else table[: len(table) // 2])


def _archive(_: Any) -> el.Archive:
    """Return a new archive of one wearer."""
    archive = el.Archive(tempfile.mkdtemp(dir=FOLDER.name))
    archive.write(SIXTY, held(MINUTES), account="ann")
    return archive


def _diary(_: Any) -> Path:
    path = Path(tempfile.mkdtemp(dir=FOLDER.name)) / "diary.csv"
    path.write_text("start,end,label\n2026-10-19 09:00,2026-10-19 12:00,work\n")
    return path


COLUMN = Made(
    lambda t: None if isinstance(t, pd.Series) else next(n for n in ("stp", "stp_s") if n in t)
)
STATE = Made(lambda t: None if isinstance(t, pd.Series) else "isl")
ACTIVITY = _first("stp", "stp_s", "n_walking")
AROUND = {
    "times": Made(lambda _: held("events")["start"]), "before": "20min", "after": "20min",
    "fields": _first("stp", "stp_s"),
}  # fmt: skip
ACCOUNTS = Made(lambda _: {f"w{number}": "ab"[number % 2] for number in range(8)})
LOGGER_CSV = ROOT / "datasets" / "20261021-080000_CDC000000001_summaryData.csv"

EXAMPLES: dict[str, Example] = {
    "Archive": _example(path=Made(lambda _: FOLDER.name)),
    "Limits": _example(),
    "Zones": _example(table="Asia/Tokyo"),
    "attrition": _example(*RECORDS, recipe=Made(lambda t: "mind" if "vld" in t else "trend")),
    "between_time": _example(*FRAMES, *INTERVALS, first="09:00", last="17:00"),
    "coverage": _example(*FRAMES),
    "daily": _example(*SUMMED),
    "episodes": _example(*CONDITIONS, column=STATE),
    "explain": _example("reasons", "reasons of 15 s"),
    "export_actigraphy": _example(*RECORDS, path=_file("made.csv"), field=ACTIVITY),
    "fields": _example(what="computed_data", of="daily"),
    "flag": _example(*FRAMES),
    "gaps": _example(*FRAMES),
    "intervals": _example(*RECORDS, *PACKETS, every="10min"),
    "label": _example(*FRAMES, *INTERVALS, events=Made(lambda _: held("events"))),
    "describe": _example(*FRAMES),
    "mask": _example(*RECORDS, reasons=Made(el.flag)),
    "read": _example(paths=LOGGER_CSV, tz="UTC"),
    "read_events": _example(path=Made(_diary), tz="UTC"),
    "readable": _example("days", "weeks", *FRAMES, "reasons", *COHORT),
    "report": _example(MINUTES, QUARTERS, path=_file("made.html"), sections=["days"]),
    "report_cohort": _example(*COHORT, path=_file("made.html")),
    "recompute": _example(*PACKETS),
    "resample": _example(*FRAMES, every="2h"),
    "sample": _example(log=SIXTY),
    "select": _example(*RECORDS, recipe=Made(lambda t: "mind" if "vld" in t else "trend")),
    "simulate": _example(start="2026-10-24", days=1, log=SIXTY),
    "simulate_truth": _example(start="2026-10-24", days=1, log=SIXTY),
    "states": _example(*RECORDS),
    "summary": _example(*SUMMED, by="hour"),
    "weekly": _example(*SUMMED, "days"),
    "baseline.new_levels": _example(*NUMBERS, column=COLUMN),
    "baseline.personal": _example(*NUMBERS, column=COLUMN),
    "baseline.trend": _example(*NUMBERS, column=COLUMN),
    "baseline.typical_value": _example(*NUMBERS, column=COLUMN),
    "blinks.events": _example(*PACKETS),
    "blinks.bursts": _example(*SIXTY_SUMMED),
    "blinks.cleansings": _example(*SIXTY_SUMMED),
    "blinks.duration": _example(*SUMMED),
    "blinks.rate": _example(*SUMMED),
    "blinks.strength": _example(*SUMMED),
    "cohort.apply": _example(
        archive=Made(_archive), function=Made(lambda _: el.daily), log=SIXTY, workers=1
    ),
    "cohort.daily": _example(archive=Made(_archive), log=SIXTY, workers=1),
    "cohort.differences": _example(*COHORT, by="group"),
    "cohort.pseudonymise": _example(*COHORT, key_file=Path(FOLDER.name) / "study.key"),
    "cohort.simulate": _example(
        archive=Made(_archive),
        wearers=1,
        start="2026-10-19",
        days=1,
        log=SIXTY,
        workers=1,
    ),
    "cohort.summary": _example(*COHORT, by="group"),
    "compare.agreement": _example(QUARTERS, sixty=Made(lambda _: held(MINUTES))),
    "compare.event_courses": _example(*FRAMES, **AROUND),
    "compare.events": _example(*FRAMES, **AROUND, draws=100),
    "compare.fit_mixed": _example(
        "days of a mixed model", outcome="steps", predictors="exposure_h"
    ),
    "compare.group_difference": _example(*COHORT, groups=ACCOUNTS, outcome="steps", draws=100),
    "compare.group_rates": _example(*COHORT, counts="steps", exposure="worn_h", groups=ACCOUNTS),
    "compare.limits_of_agreement": _example("minutes of both logs"),
    "compare.minute_pairs": _example(
        QUARTERS, sixty=Made(lambda _: held(MINUTES)), quantity="steps"
    ),
    "compare.mixed_table": _example(*COHORT),
    "compare.power": _example("days", column="steps", change=3000.0, days=7, draws=100),
    "compare.rate_ratio": _example("rates by day", other=_halves(1)),
    "compare.reliability": _example(*COHORT, column="steps"),
    "compare.sensitivity": _example(*SIXTY_SUMMED[:1], QUARTERS, function=el.blinks.rate),
    "compare.standardised_mean": _example(*NUMBERS, column=COLUMN),
    "compare.two_periods": _example(*NUMBERS, column=COLUMN, after=_halves(1)),
    "eyes.moves": _example(*PACKETS),
    "gait.bouts": _example(*RECORDS),
    "gait.pace": _example(*SUMMED),
    "gait.peak_cadence": _example(*RECORDS),
    "gait.speed_classes": _example(*SIXTY_SUMMED),
    "gait.step_time": _example(*SUMMED),
    "gait.steps": _example(*PACKETS),
    "gait.symmetry": _example(*SERIES, left=Made(lambda table: table + 1.0)),
    "posture.angles": _example(*PACKETS),
    "posture.head_movements": _example(*SUMMED),
    "posture.relative_tilt": _example(*RECORDS),
    "posture.spread": _example(*SUMMED),
    "posture.tilt": _example(*PACKETS),
    "posture.turns": _example(*PACKETS),
    "posture.zones": _example(*RECORDS),
    "rhythm.activity_bouts": _example(*NUMBERS, column=COLUMN, threshold=5.0),
    "rhythm.cosinor": _example(*NUMBERS, column=COLUMN),
    "rhythm.fragmentation": _example(*CONDITIONS, column=STATE),
    "rhythm.interdaily_stability": _example(*NUMBERS, column=COLUMN),
    "rhythm.intradaily_variability": _example(*NUMBERS, column=COLUMN),
    "rhythm.least_active": _example(*NUMBERS, column=COLUMN, night_worn=True),
    "rhythm.most_active": _example(*NUMBERS, column=COLUMN),
    "rhythm.profile": _example(*NUMBERS[1:], column=COLUMN),
    "rhythm.relative_amplitude": _example(*NUMBERS[1:], column=COLUMN, night_worn=True),
    "rhythm.sleep_regularity": _example(*CONDITIONS, column=STATE, night_worn=True),
    "rhythm.time_on_task": _example(*NUMBERS[1:], column=COLUMN),
    "plot_actogram": _example("states", *SERIES[1:], *FRAMES),
    "plot_agreement": _example(
        "minutes of both logs", limits=Made(el.compare.limits_of_agreement), quantity="steps"
    ),
    "plot_attrition": _example("losses", MINUTES, QUARTERS),
    "plot_baseline": _example("a baseline", "a column of days"),
    "plot_bouts": _example("bouts", MINUTES, QUARTERS),
    "plot_change": _example("days", column="steps", at="2026-10-22"),
    "plot_cohort": _example(*COHORT),
    "plot_daily": _example("days", *SUMMED),
    "plot_day": _example(*FRAMES, field=ACTIVITY),
    "plot_distribution": _example(*NUMBERS, column=COLUMN),
    "plot_events": _example("around events", each=Made(lambda _: held("each event"))),
    "plot_heatmap": _example(*FRAMES, field=ACTIVITY),
    "plot_month": _example("days", *SUMMED),
    "plot_overview": _example("states", *RECORDS),
    "plot_profile": _example("a profile", "a field of bins", "an hourly field"),
    "plot_quality": _example("reasons", "reasons of 15 s", MINUTES, QUARTERS),
    "plot_rate": _example("rates by hour"),
    "plot_rhythm": _example("a profile", "an hourly field"),
    "plot_timeline": _example(*FRAMES),
    "plot_week": _example("days", *RECORDS),
    "save_figure": _example(drawn=Made(lambda _: plt.subplots()[0]), path=_file("made.png")),
}
# Functions without a call here, and why.
NO_EXAMPLE = {
    "connect": "needs a service",
    "register": "needs a service",
    "serve": "is a service",
}


def functions() -> list[str]:
    """Return what users call: the public functions, and the classes that they make objects of.

    Methods need an object that knows more than a call here can say: they have their own tests.
    """
    return [
        name
        for name, thing in public_names().items()
        if name in ("Archive", "Limits", "Zones")
        or (inspect.isfunction(thing) and not name[0].isupper())
    ]


def is_table(value: Any) -> bool:
    return isinstance(value, pd.DataFrame | pd.Series)


def answer(function: str, arguments: dict[str, Any]) -> Any:
    """Return what a function answers, or the error that it raises.

    Warnings of other packages are errors here: a person would read them as a fault.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", el.EyelogWarning)
            return resolve(function)(**arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the answer
        return error
    finally:
        plt.close("all")
