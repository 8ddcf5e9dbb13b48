"""The commands that read records and say something about them; each calls a Python name."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from eyelog.cli.command import command
from eyelog.cli.doctor import doctor
from eyelog.cli.fields import fields
from eyelog.cli.output import (
    check_ending,
    emit,
    note,
    note_first,
    print_json,
    records,
    show,
    write_table,
)
from eyelog.cli.source import Source, open_archive
from eyelog.errors import ConfigurationError, EyelogError, counted
from eyelog.figures.defaults import ENDINGS, KINDS

if TYPE_CHECKING:
    import pandas as pd


def _events(source: Source, path: Path | None, frame: "pd.DataFrame") -> "pd.DataFrame | None":
    """Return the diary that a command is given, if any; its times are local to the frame's zone."""
    if path is None:
        return None
    from eyelog.frame import zones_of
    from eyelog.read.diary import read_events

    return read_events(path, tz=zones_of(frame), dayfirst=source.dayfirst, encoding=source.encoding)


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

    def give(self, table: "pd.DataFrame", rows: str) -> None:
        """Write a table to the file, or print it."""
        if self.output is not None:
            write_table(table, self.output)
            note(f"{counted(len(table), rows)} written to {self.output}")
        elif self.json:
            print_json(records(table))
        elif table.empty:
            note("There are no records in this range.")
        else:
            show(table, columns="all" if self.all_ else self.columns, more="--all")


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
    import pandas as pd

    from eyelog.frame import OFFSET, clock_of
    from eyelog.judge import recipes
    from eyelog.measure.daily import daily
    from eyelog.measure.readable import on_clock
    from eyelog.series.events import labels_by_day

    check_ending(result.output)
    frame = source.read()
    diary = _events(source, events, frame)
    table = daily(frame, day_starts=day_starts)
    if diary is not None:
        labels = labels_by_day(table.index, diary, clock_of(frame))
        table = table.assign(events=pd.array(labels, "string"))
    losses = recipes.attrition(frame, recipe=attrition) if attrition else None
    if result.json and result.output is None and losses is not None:
        # One document, so that a program reads it in one go.
        print_json({"days": records(table), "attrition": records(losses)})
        return
    travels = (
        OFFSET in frame.columns and result.output is None and not result.json and len(table) > 0
    )
    table = on_clock(table, clock_of(frame)) if travels else table
    result.give(table, "day")
    if travels:
        print("Times are those of the wearer's clock, whose zone changes.")
    if losses is not None:
        print()
        show(losses)


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
    from eyelog.measure.daily import summary

    check_ending(result.output)
    table = summary(source.read(), by=by if len(by) > 1 else by[0], day_starts=day_starts)
    result.give(table, "row")


@command
def describe(source: Source, *, json: bool = False) -> None:
    """Say what the records are, and what is missing."""
    from eyelog.measure.coverage import describe

    sheet = describe(source.read())
    if json:
        print_json(sheet.table["Value"].to_dict())
    else:
        print(sheet)


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
    from eyelog.catalogue import near
    from eyelog.cli.plot import draw
    from eyelog.figures.save import save_figure

    if figure not in KINDS:
        raise click.UsageError(
            f"there is no figure {figure!r}{near(figure, KINDS)}: choose from {', '.join(KINDS)}"
        )
    check_ending(output, ENDINGS)
    frame = source.read()
    given = {"events": _events(source, events, frame), "at": at, "by": by}
    options = {name: value for name, value in given.items() if value is not None}
    save_figure(draw(frame, figure, list(field) or None, **options), output, width=width)
    note(f"Figure written to {output}")


@command
def report(
    source: Source,
    *,
    output: Path,
    sections: list[str] | None = None,
    name: str | None = None,
    day_starts: str | None = None,
    dated: str | None = None,
    glance: bool = False,
) -> None:
    """Write a report of one wearer as an HTML file.

    Parameters
    ----------
    output : FILE
        The .html file to write, in place of an older one; it needs no network and runs no script.
    sections : A,B
        Only these: days, eyes, blinks, walking, head, rhythm, baseline, agreement, trust.
    name : TEXT
        A pseudonym for the wearer; the account is then nowhere in the report.
    glance
        Page one alone: what stood out, and the last week, of five weeks or more the last four; it
        prints on one sheet.
    """
    from eyelog.figures.week import EARLIER_DAYS
    from eyelog.reports.logs import fields_reported
    from eyelog.reports.report import check_arguments, report

    options: dict[str, Any] = {"sections": sections, "name": name, "dated": dated, "glance": glance}
    # Wrong arguments are reported before records are read, which can take minutes.
    check_arguments(output, **options)
    frames = source.read_logs(fields_reported, days_before=EARLIER_DAYS)
    _say_report(report(frames, output, since=source.start, day_starts=day_starts, **options))


def _say_report(path: Path) -> None:
    from eyelog.measure.readable import size_text

    note(f"Report written to {path} ({size_text(path.stat().st_size)}): open it in a browser.")


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

    if source.is_empty() and sections is None:
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
    if path is None:
        return None
    import pandas as pd

    if path.suffix not in (".csv", ".parquet"):
        raise ConfigurationError(f"cannot read {path}: wearers come from a .csv or .parquet file")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype={"account": "str"})
    except ValueError as error:  # the errors of pandas and pyarrow for a file of another format
        raise ConfigurationError(f"cannot read {path}: {error}") from None


@partial(command, called="daily", of=cohort)
def cohort_daily(
    log: str,
    *,
    output: str,
    archive: str | None = None,
    accounts: list[str] | None = None,
    start: str | None = None,
    end: str | None = None,
    tz: str | None = None,
    day_starts: str | None = None,
    wearers: Path | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    json: bool = False,
) -> None:
    """Summarise each day of each wearer.

    LOG is computed_data or standard_mode_logs.

    Parameters
    ----------
    output : OUT
        Folder or URL of the result, a Parquet dataset; a stopped run resumes there.
    accounts : A,B
        Only these wearers.  [default: all of the archive]
    start : DAY
        First local day.  [default: all days]
    end : DAY
        Last local day, included.
    wearers : FILE
        A .csv or .parquet file with one row per wearer: account, tz, groups, ...
    scheduler : URL
        A Dask cluster, such as tcp://10.0.0.1:8786.
    """
    import pandas as pd

    from eyelog.cohort.daily import daily

    if workers is not None and scheduler is not None:
        raise click.UsageError("--workers are of this machine, a --scheduler has its own: give one")
    table = daily(
        open_archive(archive),
        log=log,
        accounts=accounts,
        start=start,
        end=end,
        tz=tz,
        day_starts=day_starts,
        out=output,
        scheduler=scheduler,
        workers=workers,
        wearers=_wearers(wearers),
    )
    if json:
        emit(table, as_json=True, index=False)
    else:
        counts = table.groupby("state").agg(wearers=("account", "size"), days=("days", "sum"))
        states = pd.Index(["done", "unchanged", "failed"], name="state")
        emit(counts.reindex(states, fill_value=0).reset_index(), as_json=False, index=False)
        notable = table[table["reason"] != ""]
        lines = [f"{row.account} {row.state}: {row.reason}" for row in notable.itertuples()]
        note_first(lines, "wearers")
        note(f"{table['days'].sum():,} days written to {output}")
    failed = int((table["state"] == "failed").sum())
    if failed:
        raise EyelogError(
            f"{failed} of {len(table)} wearers failed; the others are in {output}: run the same"
            " command again when the cause is removed"
        )


@partial(command, called="report", of=cohort)
def cohort_report(
    dataset: str,
    *,
    output: Path,
    by: str | None = None,
    outcome: str | None = None,
    wearers: Path | None = None,
    covariates: list[str] | None = None,
    pseudonymise: Path | None = None,
    dated: str | None = None,
) -> None:
    """Write a report of the days of all wearers as an HTML file.

    DATASET is the folder or URL that `eyelog cohort daily -o` has written.

    Parameters
    ----------
    output : FILE
        The .html file to write, in place of an older one; it needs no network and runs no script.
    by : COLUMN
        Compare the groups in this column of the wearers.
    outcome : COLUMN
        The outcome named before the data were seen, such as blink_rate_per_min: page one is about
        it, and its test is not corrected for the others.
    wearers : FILE
        A .csv or .parquet file with columns to add: account, groups, ...
    covariates : A,B
        Columns of the wearers that have a mean, such as age; of others values are counted.
    pseudonymise : KEYFILE
        Pseudonyms in place of accounts, made with the key in this file; without the file a new key
        is put there: keep it apart from the report.
    """
    from eyelog.reports.cohort import report_cohort

    path = report_cohort(
        dataset,
        output,
        by=by,
        outcome=outcome,
        covariates=covariates,
        wearers=_wearers(wearers),
        key_file=pseudonymise,
        dated=dated,
    )
    _say_report(path)


@partial(command, called="simulate", of=cohort)
def cohort_simulate(
    *,
    wearers: int,
    start: str,
    days: int,
    archive: str | None = None,
    log: str | None = None,
    seed: int = 0,
    tz: str = "UTC",
    effect: float = 1.0,
    workers: int | None = None,
    output: Path | None = None,
    json: bool = False,
) -> None:
    """Write simulated wearers in two groups into an archive.

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
        in turn.
    effect : X
        Blink rate of the treated group relative to the other, 0.5 to 2.
    output : FILE
        Write the table of wearers, with the truth, into a .parquet, .csv or .xlsx file.
    """
    from eyelog.cohort.simulate import simulate

    check_ending(output)
    store = open_archive(archive)
    people = simulate(
        store,
        wearers,
        start=start,
        days=days,
        log=log,
        seed=seed,
        tz=[zone.strip() for zone in tz.split(",")],
        effect=effect,
        workers=workers,
    )
    if output is not None:
        write_table(people.set_index("account"), output)
    else:
        emit(people, as_json=json, index=False)
    note(f"{len(people):,} wearers with {days} days each written to {store.path}")


COMMANDS: Final = {
    each.name: each
    for each in (daily, summary, describe, plot, report, cohort, fields, cite, doctor)
}
