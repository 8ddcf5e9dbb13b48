"""The commands that read records and say something about them; each calls a Python name."""

import inspect
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

import eyelog as el
from eyelog.catalogue import check_fields, check_log, known_logs, log_named, near
from eyelog.cli import output as out
from eyelog.cli.command import command
from eyelog.cli.doctor import doctor
from eyelog.cli.output import check_ending, note, print_json, print_list, print_table, records
from eyelog.cli.source import Source, open_archive
from eyelog.errors import ConfigurationError, EyelogError, FieldError, counted
from eyelog.figures.defaults import DEFAULT_FIELDS, ENDINGS, KINDS

if TYPE_CHECKING:
    import pandas as pd

PANEL_MM: Final = 56.0
BINS: Final = {"day": "10min", "heatmap": "10min", "profile": "10min", "rhythm": "1h"}
# How many fields a figure shows that does not have a panel for each.
MOST: Final = {"change": 1, "actogram": 1, "day": 2}


@dataclass(frozen=True)
class Result:
    """How a table of results is given: to a file, as JSON, or printed.

    Parameters
    ----------
    all_
        Show all columns.
    """

    output: Path | None = None
    columns: list[str] | None = None
    all_: bool = False
    json: bool = False

    def give(self, table: "pd.DataFrame", rows: str, **others: "pd.DataFrame") -> None:
        """Write a table to the file, or print it, and print the others that come with it."""
        if self.output is not None:
            out.write_table(table, self.output)
            note(f"{counted(len(table), rows)} written to {self.output}")
        if self.json and others:  # one document, so that a program reads it in one go
            print_json(
                {name: records(each) for name, each in ({f"{rows}s": table} | others).items()}
            )
        elif self.output is None:
            columns = "all" if self.all_ else self.columns
            empty = "There are no records in this range."
            print_table(table, json=self.json, columns=columns, more="--all", empty=empty)
        for other in () if self.json else others.values():
            print()
            print_table(other)


@command
def daily(
    source: Source,
    result: Result,
    *,
    day_starts: str | None = None,
    attrition: str | None = None,
    events: Path | None = None,
) -> None:
    """Summarise each local day.

    Parameters
    ----------
    attrition : RECIPE
        Also show how many records each condition of a recipe leaves (steps, eye, ...).
    """
    from eyelog.frame import OFFSET, clock_of
    from eyelog.measure.readable import on_clock
    from eyelog.series.events import labels_by_day

    check_ending(result.output)
    frame = source.read()
    diary = source.events(events, frame)
    table = el.daily(frame, day_starts=day_starts)
    if diary is not None:
        labels = labels_by_day(table.index, diary, clock_of(frame))
        table = table.assign(events=labels).astype({"events": "string"})
    others = {"attrition": el.attrition(frame, recipe=attrition)} if attrition else {}
    printed = result.output is None and not result.json and not table.empty
    if printed and OFFSET in frame.columns:
        table = on_clock(table, clock_of(frame))
        note("Times are those of the wearer's clock, whose zone changes.")
    result.give(table, "day", **others)


@command
def summary(
    source: Source,
    result: Result,
    *,
    by: list[str],
    day_starts: str | None = None,
) -> None:
    """Summarise by hour, weekday, week or a column.

    Parameters
    ----------
    by : A,B
        What the rows are: a width such as 1h, day, week, hour, weekday, weekend, a column, or
        several of these.
    """
    check_ending(result.output)
    by_what = by[0] if len(by) == 1 else by
    result.give(el.summary(source.read(), by=by_what, day_starts=day_starts), "row")


@command
def describe(source: Source, *, json: bool = False) -> None:
    """Say what the records are, and what is missing."""
    sheet = el.describe(source.read())
    if json:
        print_json(sheet.table["Value"].to_dict())
    else:
        print(sheet)


@dataclass(frozen=True)
class Page:
    """What a report has.

    Parameters
    ----------
    sections : A,B
        Only these: days, eyes, blinks, walking, head, rhythm, baseline, agreement, trust.
    name : TEXT
        A pseudonym for the wearer; the account is then nowhere in the report.
    glance
        Page one alone: what stood out, and the last week, of five weeks or more the last four; it
        prints on one sheet.
    """

    sections: list[str] | None = None
    name: str | None = None
    dated: str | None = None
    glance: bool = False


@command
def report(source: Source, page: Page, *, output: Path, day_starts: str | None = None) -> None:
    """Write a report of one wearer as an HTML file.

    Parameters
    ----------
    output : FILE
        The .html file to write, in place of an older one; it needs no network and runs no script.
    """
    from eyelog.figures.week import EARLIER_DAYS
    from eyelog.reports.logs import fields_reported
    from eyelog.reports.report import check_arguments

    # Wrong arguments are reported before records are read, which can take minutes.
    check_arguments(output, **vars(page))
    frames = source.read_logs(fields_reported, days_before=EARLIER_DAYS)
    start, _ = source.days
    _say_report(el.report(frames, output, since=start, day_starts=day_starts, **vars(page)))


def _say_report(path: Path) -> None:
    from eyelog.measure.readable import size_text

    note(f"Report written to {path} ({size_text(path.stat().st_size)}): open it in a browser.")


@command
def plot(
    figure: str,
    source: Source,
    *,
    output: Path,
    field: tuple[str, ...] = (),
    at: str | None = None,
    by: str | None = None,
    events: Path | None = None,
    width: Literal["single", "double", "page"] = "double",
) -> None:
    """Draw a figure into a file.

    FIGURE is overview, timeline, day, quality, attrition, heatmap, daily, profile, rhythm,
    distribution, bouts, week, change or actogram.

    Parameters
    ----------
    output : FILE
        The .png, .svg or .pdf file to write.
    field : F
        A field to draw, or a column of the daily summary (daily, change); repeat the option for
        more.  [default: a choice for the log]
    at : DATE
        change: compare the days before this day with those from it on.
    by : COLUMN
        change: compare days by a column of the daily summary with two values, by weekend, or by two
        labels of the diary (events).
    events : FILE
        A diary (CSV or Excel with start, end and label): marked in a timeline, day, week or
        actogram, compared by in a change.
    width
        89, 183 or 247 mm.
    """
    import matplotlib as mpl

    if figure not in KINDS:
        others = f"choose from {', '.join(KINDS)}"
        raise click.UsageError(f"there is no figure {figure!r}{near(figure, KINDS)}: {others}")
    check_ending(output, ENDINGS)
    frame = source.read()
    given = {"events": source.events(events, frame), "at": at, "by": by}
    mpl.use("agg")
    made = _draw(frame, figure, field, {name: v for name, v in given.items() if v is not None})
    el.save_figure(made, output, width=width)
    note(f"Figure written to {output}")


def _draw(frame: Any, kind: str, fields: tuple[str, ...], options: dict[str, Any]) -> Any:
    """Return the Axes of one kind of figure: for each field, or by default a choice for the log."""
    from eyelog.figures.axes import panels
    from eyelog.figures.maps import with_steps
    from eyelog.frame import clock_of, log_of, require
    from eyelog.series.events import labels_by_day

    if frame.empty:
        raise ConfigurationError("there are no records to draw")
    log, function = log_of(frame), getattr(el, f"plot_{kind}")
    takes_fields = kind in DEFAULT_FIELDS[log]
    if fields and not takes_fields:
        raise ConfigurationError(f"the figure {kind!r} takes no fields: leave out --field")
    # By what else than days values are compared is for those who have a table.
    taken = {*inspect.signature(function).parameters} - {"by"}
    taken |= {"by", "events"} if kind == "change" else set()
    for name in [name for name in options if name not in taken]:
        raise ConfigurationError(f"the figure {kind!r} takes no {name}: leave out --{name}")
    names = fields or DEFAULT_FIELDS[log].get(kind, ())
    if len(names) > (most := MOST.get(kind, len(names))):
        several = "one field" if most == 1 else "one or two fields"
        raise ConfigurationError(f"the figure {kind!r} takes {several}, not {len(names)}")
    if kind == "timeline":
        return function(frame, fields or None, **options)
    if not takes_fields or kind == "actogram":
        return function(frame, *names, **options)
    if kind == "change":
        if not options:
            raise ConfigurationError("the figure 'change' needs --at DATE or --by COLUMN: pass one")
        if ("events" in options) != (options.get("by") == "events"):
            raise ConfigurationError(
                "the figure 'change' compares the labels of a diary with --by events and --events"
                " FILE: pass both"
            )
        days = el.daily(frame)
        if "events" in options:
            labels = labels_by_day(days.index, options.pop("events"), clock_of(frame))
            days = days.assign(events=[label or float("nan") for label in labels])
        return function(days, names[0], **options)
    table = frame
    if kind in BINS:
        require(frame, [name for name in names if name != "steps"], purpose=f"eyelog plot {kind}")
        table = el.resample(frame, BINS[kind])
    if kind == "day":
        second = [*names, None][1]
        return function(table, names[0], second=second, states=el.states(frame), **options)
    if kind == "profile" and "steps" in names and "steps" not in table:
        table = with_steps(table, log)
    made = panels([PANEL_MM] * len(names), sharex=kind != "distribution")[:, 0]
    for ax, name in zip(made, names, strict=True):
        if kind == "distribution":
            options = {"typical": el.baseline.typical_value(table, name)}
        function(table, name, ax=ax, **options)
    for ax in made[:-1] if kind != "distribution" else ():
        ax.label_outer()
        for strip in ax.child_axes:
            strip.tick_params(axis="x", labelbottom=False)
            strip.set_xlabel("")
    return made


@command
def fields(what: str, names: tuple[str, ...] = (), *, json: bool = False) -> None:
    """Say what a field or column means; find fields.

    Says what the fields of a log mean (all about those that are named after it, or about those of a
    summary: daily, steps, ...); finds the fields of all logs that are about something: `eyelog
    fields steps`; or says what a column of a result means: `eyelog fields worn_h`.

    Parameters
    ----------
    what : {LOG | WORD | COLUMN}
    names : [NAME]...
    """
    if what in known_logs():
        table = el.fields(what)
        if names:
            dates = ["date"] if "date" in names else []  # the index of a frame, not a column
            others = [name for name in names if name != "date"]
            table = table.loc[[*dates, *(check_fields(what, others) if others else ())]]
        if json:
            print_json(records(table))
        elif not names:
            _print_fields(table)
            note(f"`eyelog fields {what} NAME` shows all that is known about a field.")
        for name, row in table.iterrows() if names and not json else ():
            told = {fact: value for fact, value in row.items() if value == value and value != ""}
            title = f"{name}: {told.pop('label')}. {told.pop('description', '')}"
            facts = (f"{fact:.15g}" if isinstance(fact, float) else fact for fact in told.values())
            print_list(zip((f"    {fact}:" for fact in told), facts, strict=True), title=title)
            print()
        return
    from eyelog.measure import columns
    from eyelog.topics import fields_about, near_topic

    phrase = " ".join((what, *names))
    words, known = phrase.split(), columns.names()
    about = [column for name in words for column in columns.meanings(name)]
    every = (column for name in known for column in columns.meanings(name))
    about += [column for column in every if column.label.casefold() == phrase.casefold()]
    # A description mentions other things too, so it counts only if nothing else matches.
    found = fields_about(words) or ({} if about else fields_about(words, described=True))
    if not found and not about:
        if near(phrase, known_logs()):
            check_log(phrase)
        raise FieldError(
            f"no field of a log is about {phrase!r}{near_topic(phrase, (*known,))}, and no result"
            " has such a column: `eyelog fields LOG` lists all fields of a log"
        )
    tables = {log: el.fields(log).loc[rows] for log, rows in found.items()}
    if json:
        rows = [{"log": log, **row} for log, table in tables.items() for row in records(table)]
        keys = ("table", "label", "unit", "meaning")
        print_json(rows or [{"column": c.name} | {k: getattr(c, k) for k in keys} for c in about])
        return
    for log, table in tables.items():
        _print_fields(table, title=f"{log} ({log_named(log).words})")
        note(f"`eyelog fields {log} {table.index[0]}` shows all that is known about a field.")
    if about:
        print_list(
            (
                f"{column.name}{f' (in {column.table})' if column.table else ''}:",
                f"{column.label}{f', {column.unit}' if column.unit else ''}. {column.meaning}",
            )
            for column in about
        )


def _print_fields(table: "pd.DataFrame", *, title: str = "") -> None:
    """Print fields with their labels, units and descriptions."""
    units = table["unit"].where(table["unit"] == "", ", " + table["unit"])
    texts = table["label"] + units + ". " + table["description"]
    print_list(texts.items(), title=title)


@command
def cite(
    source: Source,
    *,
    sections: list[str] | None = None,
    bibtex: bool = False,
    json: bool = False,
) -> None:
    """Say how to cite eyelog, and an analysis' methods.

    With files or a log, prints the methods of their analysis as `eyelog report` has them, ready to
    paste into a paper: versions, data, limits, what was left out and how much, definitions,
    references.

    Parameters
    ----------
    sections : A,B
        Define only the measures of these: days, eyes, blinks, walking, head, rhythm, baseline,
        agreement.
    bibtex
        Print the references as BibTeX.
    """
    from eyelog.reports.literature import SOFTWARE, CitedText
    from eyelog.reports.literature import source as reference

    if source == Source() and sections is None:  # the command line names no records at all
        text = CitedText([], [reference(SOFTWARE)])
    else:
        from eyelog.reports.logs import as_logs, fields_reported
        from eyelog.reports.method import methods
        from eyelog.reports.report import check_sections

        chosen = None if sections is None else check_sections(sections)
        text = methods(as_logs(source.read_logs(fields_reported)), chosen)
    if json:
        print_json(
            {"methods": text.paragraphs, "references": [dict(item) for item in text.sources]}
        )
    elif bibtex:
        print(text.bibtex, end="")
    else:
        # Not wrapped to the terminal: what is copied from it has no line ends within a paragraph.
        print("\n\n".join([*text.paragraphs, "\n".join(text.references)]))


# Cohorts.


cohort = click.Group("cohort", help="Analyse all wearers of an archive.")


def _wearers(path: Path | None) -> "pd.DataFrame | None":
    """Return the table of wearers; accounts are text, even where they look like numbers."""
    import pandas as pd

    if path is None:
        return None
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype={"account": "str"})
    except ValueError as error:  # the errors of pandas and pyarrow for a file of another format
        raise ConfigurationError(
            f"cannot read {path} as a .csv or .parquet file: {error}"
        ) from None


@dataclass(frozen=True)
class Study:
    """Which records of an archive are summarised, and where that is computed.

    Parameters
    ----------
    accounts : A,B
        Only these wearers.  [default: all of the archive]
    start : DAY
        First local day.  [default: all days]
    end : DAY
        Last local day, included.
    scheduler : URL
        A Dask cluster, such as tcp://10.0.0.1:8786.
    """

    accounts: list[str] | None = None
    start: str | None = None
    end: str | None = None
    tz: str | None = None
    day_starts: str | None = None
    workers: int | None = None
    scheduler: str | None = None


@partial(command, called="daily", of=cohort)
def cohort_daily(
    log: str,
    study: Study,
    *,
    output: str,
    archive: str | None = None,
    wearers: Path | None = None,
    json: bool = False,
) -> None:
    """Summarise each day of each wearer.

    LOG is computed_data or standard_mode_logs.

    Parameters
    ----------
    output : OUT
        Folder or URL of the result, a Parquet dataset; a stopped run resumes there.
    wearers : FILE
        A .csv or .parquet file with one row per wearer: account, tz, groups, ...
    """
    if study.workers is not None and study.scheduler is not None:
        raise click.UsageError("--workers are of this machine, a --scheduler has its own: give one")
    people = _wearers(wearers)
    table = el.cohort.daily(open_archive(archive), log, out=output, wearers=people, **vars(study))
    if json:
        print_json(records(table))
    else:
        counts = table.groupby("state").agg(wearers=("account", "size"), days=("days", "sum"))
        print_table(counts.reindex(["done", "unchanged", "failed"], fill_value=0))
        notable = table[table["reason"] != ""]
        lines = [f"{row.account} {row.state}: {row.reason}" for row in notable.itertuples()]
        out.note_first(lines, "wearers")
        note(f"{table['days'].sum():,} days written to {output}")
    failed = int((table["state"] == "failed").sum())
    if failed:
        raise EyelogError(
            f"{failed} of {len(table)} wearers failed; the others are in {output}: run the same"
            " command again when the cause is removed"
        )


@dataclass(frozen=True)
class Comparison:
    """What a report of a cohort compares.

    Parameters
    ----------
    by : COLUMN
        Compare the groups in this column of the wearers.
    outcome : COLUMN
        The outcome named before the data were seen, such as blink_rate_per_min: page one is about
        it, and its test is not corrected for the others.
    covariates : A,B
        Columns of the wearers that have a mean, such as age; of others values are counted.
    """

    by: str | None = None
    outcome: str | None = None
    covariates: list[str] | None = None
    dated: str | None = None


@partial(command, called="report", of=cohort)
def cohort_report(
    dataset: str,
    comparison: Comparison,
    *,
    output: Path,
    wearers: Path | None = None,
    pseudonymise: Path | None = None,
) -> None:
    """Write a report of the days of all wearers as an HTML file.

    DATASET is the folder or URL that `eyelog cohort daily -o` has written.

    Parameters
    ----------
    output : FILE
        The .html file to write, in place of an older one; it needs no network and runs no script.
    wearers : FILE
        A .csv or .parquet file with columns to add: account, groups, ...
    pseudonymise : KEYFILE
        Pseudonyms in place of accounts, made with the key in this file; without the file a new key
        is put there: keep it apart from the report.
    """
    people, key = _wearers(wearers), pseudonymise
    path = el.report_cohort(dataset, output, wearers=people, key_file=key, **vars(comparison))
    _say_report(path)


@dataclass(frozen=True)
class Planted:
    """A simulated cohort.

    Parameters
    ----------
    wearers : N
        How many wearers.
    days : M
        How many days.
    log : LOG
        Only this log.  [default: both]
    seed : S
        Which cohort.
    tz : A,B
        Time zone of the wearers, which the archive keeps; or several, which pairs of wearers take
        in turn.  [default: UTC]
    effect : X
        Blink rate of the treated group relative to the other, 0.5 to 2.
    """

    wearers: int
    start: str
    days: int
    log: str | None = None
    seed: int = 0
    tz: list[str] | None = None
    effect: float = 1.0
    workers: int | None = None


@partial(command, called="simulate", of=cohort)
def cohort_simulate(
    planted: Planted,
    *,
    archive: str | None = None,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Write simulated wearers in two groups into an archive.

    Parameters
    ----------
    output : FILE
        Write the table of wearers, with the truth, into a .parquet, .csv or .xlsx file.
    """
    check_ending(output)
    store = open_archive(archive)
    given = {name: value for name, value in vars(planted).items() if value is not None}
    people = el.cohort.simulate(store, **given)
    if output is not None:
        out.write_table(people.set_index("account"), output)
    else:
        print_table(people, json=json)
    note(f"{len(people):,} wearers with {planted.days} days each written to {store.path}")


COMMANDS: Final = {
    each.name: each
    for each in (daily, summary, describe, plot, report, cohort, fields, cite, doctor)
}
