"""Write what every public function answers on a dozen frames: ``python tests/golden/make.py``.

``--only daily`` writes the answers of one function anew. Whoever changes a definition or a name
does so in the commit that says why.

The records that the frames are made of are stored too, so that a change of the simulator changes
nothing here: `frames/` has hours of two days of `eyelog.sample` and five minutes of a made-up
wearer's 20 Hz log, the days of ten weeks and those of a study, all as of version 0.3.

An answer is one or more tables, and a table is stored column by column: its dtype, and its values
as numbers, whole numbers or text. A function that refuses a frame is stored as the class of its
error.
"""

import argparse
import dataclasses
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

import eyelog as el

__all__ = ["CALLS", "TABLES", "Column", "answers", "stored"]

HERE = Path(__file__).parent
TABLES = HERE / "tables"
DATASETS = HERE.parents[1] / "datasets"
SIXTY = "standard_mode_logs"

# Frames.


@dataclasses.dataclass(frozen=True, eq=False)
class Held:
    """A frame of records as a function is called with it, and the limits that are passed along."""

    frame: pd.DataFrame
    limits: el.Limits | None = None

    @property
    @cache  # noqa: B019 - there are a dozen, until the end
    def masked(self) -> pd.DataFrame:
        return el.mask(self.frame, el.flag(self.frame, limits=self.limits))

    @property
    def activity(self) -> "pd.Series[float]":
        """The steps, or the time walked: masked, as the functions of a series take it."""
        return self.masked[_first(self.masked, "stp", "stp_s", "pitch")]

    @property
    def tilt(self) -> "pd.Series[float]":
        return self.masked[_first(self.masked, "tl_yav", "pitch")]

    @property
    def events(self) -> pd.DataFrame:
        """Three events of a diary, and a fourth where their number leaves one."""
        rows = len(self.frame)
        start = self.frame.index[: 1 if rows < 3 else rows : max(rows // 3, 1)]
        label = pd.Series(["desk", "lunch", "desk", "walk"][: len(start)], dtype="str")
        return pd.DataFrame({"start": start, "end": start + pd.Timedelta("100s"), "label": label})


def _first(frame: pd.DataFrame, *names: str) -> str:
    return next(name for name in names if name in frame)


@cache
def base(name: str) -> pd.DataFrame:
    """Return a table of `frames/`."""
    return pd.read_parquet(HERE / "frames" / f"{name}.parquet")


def at(frame: pd.DataFrame, first: str, zone: str) -> pd.DataFrame:
    """Return a frame whose records begin on another date, in another zone."""
    midnight = frame.index[0].tz_localize(None).normalize()
    moved = pd.Timestamp(first) - midnight
    index = frame.index.tz_convert("UTC") + moved
    away = index[0].tz_convert(zone).utcoffset() - frame.index[0].utcoffset()
    return frame.set_axis((index - away).as_unit("us").tz_convert(zone).rename("date"))


def in_two_phases(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of a device that connects again at noon of the second day, 25 s later."""
    again = frame.index > frame.index[0].normalize() + pd.Timedelta("36h")
    return frame.set_axis(frame.index + np.where(again, 25, 0).astype("timedelta64[s]"))


def travelling(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame of a wearer who flies from Tokyo to Berlin on the second day."""
    there = frame.index > frame.index[0].normalize() + pd.Timedelta("36h")
    return frame.assign(utc_offset_min=np.where(there, 120.0, 540.0))


def thinned(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without some of its records: one of five, and stretches of a hundred."""
    row = np.arange(len(frame))
    return frame[(row % 5 != 2) & (row % 400 >= 100)]


@cache
def frames() -> dict[str, Held]:
    """Return the frames that functions of records are called with."""
    fifteen, sixty = base("fifteen"), base("sixty")
    own = el.Limits(max_noise="5s", tilt_sideways_deg=(-30, 30), wear="blinks", min_valid="1min")
    return {
        "15 s": Held(fifteen),
        "60 s": Held(sixty),
        "20 Hz": Held(base("twenty")),
        "masked": Held(Held(sixty[1500:]).masked),
        "own limits": Held(sixty[:2700], own),
        "Berlin in March": Held(at(sixty[:2700], "2026-03-28", "Europe/Berlin")),
        "Berlin in October": Held(at(fifteen, "2026-10-24", "Europe/Berlin")),
        "Sao Paulo": Held(at(sixty[:2700], "2018-11-03", "America/Sao_Paulo")),
        "traveller": Held(travelling(sixty[:2700])),
        "two phases": Held(in_two_phases(sixty[:2700])),
        "thinned": Held(thinned(sixty)),
        "one row": Held(fifteen[900:901]),
        "no rows": Held(sixty[:0]),
    }


def series_of_days() -> "pd.Series[float]":
    return base("days")["steps"]


GROUPS = {f"w{each:02}": "control" if each % 2 == 0 else "treated" for each in range(12)}


@cache
def archive() -> el.Archive:
    """Return an archive of three wearers."""
    folder = tempfile.TemporaryDirectory()
    kept.append(folder)
    made = el.Archive(folder.name)
    for name in ("60 s", "Berlin in March", "Sao Paulo"):
        frame = frames()[name].frame
        made.write(SIXTY, frame, account=name)
        made.set_zones(str(frame.index.tz), account=name)
    return made


kept: list[Any] = []  # folders, until the end

# Calls: each function, and its calls by name.

Answer = Any
Calls = dict[str, Callable[[], Answer]]


def each(call: Callable[[Held], Answer], *, name: str = "") -> Calls:
    """Return a call with each frame of records."""
    return {f"{frame}{name}": _with(call, frame) for frame in frames()}


def _with(call: Callable[[Held], Answer], frame: str) -> Callable[[], Answer]:
    return lambda: call(frames()[frame])


def judged(function: Callable[..., Answer], **options: Any) -> Calls:
    """Return a call with each frame and its limits, and one more for each of other arguments."""
    found = each(lambda held: function(held.frame, limits=held.limits))
    for option, value in options.items():
        found |= each(
            lambda held, given={option: value}: function(held.frame, limits=held.limits, **given),
            name=f", {option}={value!r}",
        )
    return found


def of_series(function: Callable[..., Answer], column: str = "tilt", **options: Any) -> Calls:
    """Return a call with a column of each frame, and one with a column of days."""
    name = "".join(f", {option}={value!r}" for option, value in options.items())
    found = each(
        lambda held: function(
            held.frame, getattr(held, column).name, limits=held.limits, **options
        ),
        name=f", {column}{name}",
    )
    return found | {f"days{name}": lambda: function(series_of_days(), **options)}


def of_days(**calls: Callable[[pd.DataFrame], Answer]) -> Calls:
    """Return calls with the days of ten weeks."""
    return {name: lambda call=call: call(base("days")) for name, call in calls.items()}


def of_study(**calls: Callable[[pd.DataFrame], Answer]) -> Calls:
    """Return calls with the days of twelve wearers, and with none of them."""
    found = {name: lambda call=call: call(base("study")) for name, call in calls.items()}
    return found | {f"{n}, no rows": lambda c=c: c(base("study")[:0]) for n, c in calls.items()}


def around(function: Callable[..., Answer], **options: Any) -> Calls:
    return each(
        lambda held: function(
            held.frame,
            held.events["start"],
            before="20min",
            after="20min",
            fields=held.tilt.name,
            limits=held.limits,
            **options,
        )
    )


def minutes_beside(function: Callable[..., Answer], **options: Any) -> Calls:
    sixty = base("sixty")
    return each(lambda held: function(held.frame, sixty, limits=held.limits, **options))


def exported(held: Held) -> list[str]:
    """Return some lines of the file that is made for actigraphy software."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.csv"
        column = str(held.activity.name)
        el.export_actigraphy(held.frame, path, field=column, limits=held.limits)
        return path.read_text().splitlines()[::7]


def diary() -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "diary.csv"
        path.write_text(
            "start,end,label\n2026-10-19 09:00,2026-10-19 12:00,work\n2026-10-20,,day\n"
        )
        return el.read_events(path, tz="Asia/Tokyo")


def saved_answer(log: str) -> Path:
    """Return a file of one log of the answers in `datasets/`."""
    folder = tempfile.TemporaryDirectory()
    kept.append(folder)
    with zipfile.ZipFile(DATASETS / "answers-2026-10-21.zip") as saved:
        (name,) = (name for name in saved.namelist() if log in name)
        return Path(saved.extract(name, folder.name))


def simulated_wearers() -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        return el.cohort.simulate(
            el.Archive(folder), 2, start="2026-10-19", days=1, log=SIXTY, workers=1
        )


def _logger_file(kind: str) -> Path:
    return DATASETS / f"20261021-080000_CDC000000001_{kind}.csv"


LOGS = ("computed_data", SIXTY, "current_data")
TOKYO, BERLIN = {"tz": "Asia/Tokyo"}, {"tz": "Europe/Berlin"}


def _calls() -> dict[str, Calls]:
    b, g, p, r, c = el.blinks, el.gait, el.posture, el.rhythm, el.compare
    return {
        "flag": judged(el.flag),
        "mask": each(lambda held: held.masked),
        "explain": each(lambda held: el.explain(el.flag(held.frame, limits=held.limits))),
        "states": judged(el.states),
        "attrition": {
            f"{frame}, {recipe}": lambda held=held, recipe=recipe: el.attrition(
                held.frame, recipe=recipe, limits=held.limits
            )
            for frame, held in frames().items()
            for recipe in ("mind", "trend")
        },
        "select": each(
            lambda held: el.select(
                held.frame,
                recipe="trend" if "wea_s" in held.frame else "mind",
                limits=held.limits,
            )[::4]
        ),
        "describe": judged(el.describe),
        "coverage": judged(el.coverage, by="1h"),
        "gaps": each(lambda held: el.gaps(held.frame)),
        "between_time": each(lambda held: el.between_time(held.frame, "11:00", "12:00")),
        "label": each(lambda held: el.label(held.frame, held.events)),
        "episodes": each(
            lambda held: el.episodes(
                held.masked, held.activity > 0, at_least="2min", limits=held.limits
            )
        ),
        "intervals": each(lambda held: el.intervals(held.frame, "2h", limits=held.limits)),
        "recompute": judged(el.recompute),
        "resample": each(lambda held: el.resample(held.frame, "20min", limits=held.limits)),
        "daily": judged(el.daily, complete=True),
        "summary": judged(el.summary, by=["weekend", "hour"]),
        "weekly": judged(el.weekly) | of_days(days=el.weekly),
        "readable": each(lambda held: el.readable(el.daily(held.frame, limits=held.limits)))
        | of_days(days=el.readable),
        "blinks.events": judged(b.events),
        "blinks.bursts": judged(b.bursts, by="weekday"),
        "blinks.cleansings": judged(b.cleansings, by="weekday"),
        "blinks.duration": judged(b.duration, by="hour"),
        "blinks.rate": judged(b.rate, by="hour", of="wearer", correct_noise=True),
        "blinks.strength": judged(b.strength, by="hour"),
        "eyes.moves": judged(el.eyes.moves),
        "gait.bouts": judged(g.bouts, max_pause="3min"),
        "gait.pace": judged(g.pace, by="hour", of="wearer"),
        "gait.peak_cadence": judged(g.peak_cadence),
        "gait.speed_classes": judged(g.speed_classes, by="weekday"),
        "gait.step_time": judged(g.step_time, by="weekday"),
        "gait.steps": judged(g.steps),
        "gait.symmetry": {
            "numbers": lambda: g.symmetry(5.2, 4.6),
            "signed": lambda: g.symmetry(4.6, 5.2, signed=True),
            "days": lambda: g.symmetry(series_of_days(), series_of_days() + 100.0),
        },
        "posture.angles": judged(p.angles),
        "posture.head_movements": judged(p.head_movements, by="hour", of="wearer"),
        "posture.relative_tilt": judged(p.relative_tilt),
        "posture.spread": judged(p.spread, by="hour"),
        "posture.tilt": judged(p.tilt, by="1min"),
        "posture.turns": judged(p.turns, method="peaks"),
        "posture.zones": judged(p.zones, reference="median"),
        "rhythm.activity_bouts": of_series(r.activity_bouts, "activity", threshold=1),
        "rhythm.cosinor": of_series(r.cosinor),
        "rhythm.fragmentation": each(
            lambda held: r.fragmentation(held.masked, held.activity > 0, limits=held.limits)
        ),
        "rhythm.interdaily_stability": of_series(r.interdaily_stability),
        "rhythm.intradaily_variability": of_series(r.intradaily_variability),
        "rhythm.least_active": of_series(r.least_active, night_worn=True),
        "rhythm.most_active": of_series(r.most_active),
        "rhythm.profile": each(
            lambda held: r.profile(held.frame, str(held.activity.name), limits=held.limits),
            name=", activity",
        )
        | of_series(r.profile, by="weekday"),
        "rhythm.relative_amplitude": of_series(r.relative_amplitude, "activity", night_worn=True),
        "rhythm.sleep_regularity": each(
            lambda held: r.sleep_regularity(
                held.masked, held.activity > 0, night_worn=True, limits=held.limits
            )
        ),
        "rhythm.time_on_task": of_series(r.time_on_task),
        "baseline.new_levels": of_series(el.baseline.new_levels),
        "baseline.personal": of_series(
            lambda table, *column, **limits: el.baseline.personal(table, *column, **limits)[
                :: len(table) // 70 or 1
            ]
        ),
        "baseline.trend": of_series(el.baseline.trend),
        "baseline.typical_value": of_series(el.baseline.typical_value)
        | of_series(el.baseline.typical_value, "activity"),
        "compare.agreement": minutes_beside(c.agreement),
        "compare.event_courses": around(c.event_courses, every="5min"),
        "compare.events": around(c.events, every="1min", draws=100),
        "compare.fit_mixed": of_study(
            age=lambda study: c.fit_mixed(
                study.reset_index(), "blink_rate_per_min", predictors=["age", "worn_h"]
            )
        ),
        "compare.group_difference": of_study(
            steps=lambda study: c.group_difference(study, GROUPS, outcome="steps", draws=200)
        ),
        "compare.group_rates": of_study(
            steps=lambda study: c.group_rates(study, "steps", "worn_h", GROUPS)
        ),
        "compare.limits_of_agreement": {
            "numbers": lambda: c.limits_of_agreement([10, 12, 14, 16], [9, 12, 12, 15]),
            **minutes_beside(
                lambda *frames, **options: c.limits_of_agreement(
                    c.minute_pairs(*frames, quantity="tilt_fore_aft", **options)
                )
            ),
        },
        "compare.minute_pairs": minutes_beside(c.minute_pairs, quantity="steps"),
        "compare.mixed_table": each(
            lambda held: c.mixed_table({"ann": held.frame, "bob": held.frame}, limits=held.limits)
        )
        | of_study(study=c.mixed_table),
        "compare.power": of_study(study=lambda study: c.power(study, "steps", change=1000.0)),
        "compare.reliability": of_study(study=lambda study: c.reliability(study, "steps")),
        "compare.sensitivity": {
            log: lambda log=log: c.sensitivity(el.sample(log), el.blinks.rate) for log in LOGS[:2]
        },
        "compare.rate_ratio": of_days(
            rates=lambda days: c.rate_ratio(
                *(
                    pd.DataFrame({"n": half["steps"], "exposure_min": half["worn_h"] * 60})
                    for half in (days[:35], days[35:])
                )
            )
        ),
        "compare.standardised_mean": of_series(c.standardised_mean),
        "compare.two_periods": of_series(
            lambda table, column=None, **limits: c.two_periods(
                table[: len(table) // 2], table[len(table) // 2 :], column=column, **limits
            )
        ),
        "cohort.apply": {
            "rates": lambda: el.cohort.apply(archive(), el.blinks.rate, log=SIXTY, workers=1)
        },
        "cohort.daily": {"days": lambda: el.cohort.daily(archive(), SIXTY, workers=1)},
        "cohort.simulate": {"two wearers": simulated_wearers},
        "cohort.differences": of_study(
            groups=lambda study: el.cohort.differences(study, by="group")
        ),
        "cohort.summary": of_study(
            all=el.cohort.summary, groups=lambda study: el.cohort.summary(study, by="group")
        ),
        "fields": {log: lambda log=log: el.fields(log) for log in LOGS}
        | {
            f"{what}, {log}": lambda what=what, log=log: el.fields(log, of=what).index
            for what in ("daily", "blinks", "gait")
            for log in LOGS
        },
        "sample": {log: lambda log=log: el.sample(log)[::100] for log in LOGS[:2]},
        "simulate": {
            log: lambda log=log: el.simulate("2026-10-25", 1, log=log, seed=3, **BERLIN)[::50]
            for log in LOGS[:2]
        },
        "simulate_truth": {
            log: lambda log=log: el.simulate_truth("2026-10-25", 1, log=log, seed=3, **BERLIN)
            for log in LOGS[:2]
        },
        "read": {
            "60 s": lambda: el.read(_logger_file("summaryData"), **TOKYO)[::10],
            "15 s": lambda: el.read(_logger_file("logicIndexData"), **TOKYO)[::10],
            **{
                f"an answer, {log}": lambda log=log: el.read(saved_answer(log), **TOKYO)[::50]
                for log in LOGS[:2]
            },
        },
        "read_events": {"a diary": diary},
        "export_actigraphy": each(exported),
    }


CALLS = _calls()


# Answers as tables, and tables as columns of numbers and text.


class Column(NamedTuple):
    """A column, or a level of the index, of one table of an answer."""

    call: str
    table: str
    name: str
    dtype: str
    floats: list[float | None] | None = None
    ints: list[int | None] | None = None
    texts: list[str | None] | None = None

    @property
    def values(self) -> list[Any]:
        return next(each for each in self[4:] if each is not None)


SCHEMA = pa.schema(
    [
        *[(name, pa.string()) for name in Column._fields[:4]],
        ("floats", pa.list_(pa.float64())),
        ("ints", pa.list_(pa.int64())),
        ("texts", pa.list_(pa.string())),
    ]
)


def answers(function: str) -> list[Column]:
    """Return what a function answers now."""
    found = []
    for name, call in CALLS[function].items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", el.EyelogWarning)
            try:
                answer = call()
            except el.EyelogError as error:
                answer = type(error)
        for table, part in _tables(answer):
            found += [
                Column(name, table, label, *_values(column)) for label, column in _columns(part)
            ]
    return found


def _tables(answer: Answer) -> Iterator[tuple[str, pd.DataFrame]]:
    """Return the tables of an answer, each with its name; single values are tables of one row."""
    if isinstance(answer, type):
        yield "", pd.DataFrame({"error": [answer.__name__]})
    elif isinstance(answer, pd.DataFrame):
        yield "", answer
    elif isinstance(answer, pd.Series):
        yield "", answer.to_frame()
    elif hasattr(answer, "headings"):
        yield "", answer.table
        yield "around it", pd.DataFrame({"text": [answer.title, *answer.notes]}, dtype="str")
    elif hasattr(answer, "_asdict"):
        parts = answer._asdict()
        single = {name: [x] for name, x in parts.items() if not isinstance(x, pd.DataFrame)}
        if single:
            yield "", pd.DataFrame(single)
        yield from ((name, x) for name, x in parts.items() if name not in single)
    else:
        yield "", pd.DataFrame({"value": pd.Series(list(answer), dtype="str")})


def _columns(table: pd.DataFrame) -> Iterator[tuple[str, "pd.Series[Any]"]]:
    for level in range(table.index.nlevels):
        values = table.index.get_level_values(level)
        yield f"index {table.index.names[level]!r}", values.to_series()
    for number, label in enumerate(table.columns):
        yield repr(label), table.iloc[:, number]


def _values(column: "pd.Series[Any]") -> tuple[Any, ...]:
    """Return the dtype of a column, and its values as decimal numbers, whole numbers or text."""
    dtype, missing = str(column.dtype), column.isna().to_numpy()
    if column.dtype.kind == "f":
        numbers = column.to_numpy("float64", na_value=np.nan)
        return dtype, _listed(numbers, missing), None, None
    if column.dtype.kind in "biuMm":
        if column.dtype.kind in "Mm":
            numbers = pd.Index(column).asi8
        else:
            numbers = column.array.astype("Int64").to_numpy("int64", na_value=0)
        return dtype, None, _listed(numbers, missing), None
    return dtype, None, None, _listed([str(each) for each in column], missing)


def _listed(values: Iterable[Any], missing: "np.ndarray[Any, Any]") -> list[Any]:
    plain = values.tolist() if isinstance(values, np.ndarray) else values
    return [None if none else value for value, none in zip(plain, missing, strict=True)]


def stored(function: str) -> list[Column]:
    """Return what a function answered when its tables were last agreed on."""
    rows = pq.read_table(TABLES / f"{function}.parquet").to_pylist()
    return [Column(**row) for row in rows]


def write(function: str) -> None:
    """Write the answers of a function, unless they are those that are stored."""
    path, columns = TABLES / f"{function}.parquet", answers(function)
    if not path.exists() or stored(function) != columns:
        rows = [column._asdict() for column in columns]
        table = pa.Table.from_pylist(rows, schema=SCHEMA)
        pq.write_table(table, path, compression="zstd", compression_level=19)


def main() -> None:
    """Write the tables of all functions, or of one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="NAME", choices=CALLS, help="one function")
    only = parser.parse_args().only
    for function in [only] if only else CALLS:
        write(function)
    for path in TABLES.glob("*.parquet"):
        if path.stem not in CALLS:
            path.unlink()


if __name__ == "__main__":
    main()
