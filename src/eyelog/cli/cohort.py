"""Commands over an archive of many wearers: cohort, simulate-cohort."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyelog.cli.output import (
    TABLE_ENDINGS,
    add_dated,
    add_json,
    add_report_file,
    check_ending,
    emit,
    file_size,
    note,
    write_table,
)
from eyelog.cli.source import add_archive, add_zone, open_archive
from eyelog.errors import ConfigurationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_commands"]

SHOWN: Final = 10


def add_commands(commands: Any) -> None:
    """Add the commands of this module."""
    cohort = commands.add_parser("cohort", help="analyse all wearers of an archive")
    actions = cohort.add_subparsers(title="actions", metavar="ACTION", required=True)
    daily = actions.add_parser("daily", help="summarise each day of each wearer")
    daily.add_argument("log", metavar="LOG", help="computed_data or standard_mode_logs")
    add_archive(daily)
    daily.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="folder or URL of the result, a Parquet dataset; a stopped run resumes there",
    )
    daily.add_argument(
        "--accounts", metavar="A,B", help="only these wearers (default: all of the archive)"
    )
    daily.add_argument("--start", metavar="DAY", help="first local day (default: all days)")
    daily.add_argument("--end", metavar="DAY", help="last local day, included")
    add_zone(daily)
    daily.add_argument(
        "--wearers",
        type=Path,
        metavar="FILE",
        help="a .csv or .parquet file with one row per wearer: account, tz, groups, ...",
    )
    where = daily.add_mutually_exclusive_group()
    where.add_argument(
        "--workers", type=int, metavar="N", help="processes on this machine (default: one per core)"
    )
    where.add_argument(
        "--scheduler", metavar="URL", help="a Dask cluster, such as tcp://10.0.0.1:8786"
    )
    add_json(daily)
    daily.set_defaults(run=_daily)

    _add_report(actions)
    _add_simulate(commands)


def _add_report(actions: Any) -> None:
    report = actions.add_parser(
        "report", help="write a report of the days of all wearers as an HTML file"
    )
    report.add_argument(
        "dataset",
        metavar="DATASET",
        help="folder or URL that `eyelog cohort daily -o` has written",
    )
    add_report_file(report)
    report.add_argument(
        "--by", metavar="COLUMN", help="compare the groups in this column of the wearers"
    )
    report.add_argument(
        "--outcome",
        metavar="COLUMN",
        help="the outcome named before the data were seen, such as blink_rate_per_min: page one is"
        " about it, and its test is not corrected for the others",
    )
    report.add_argument(
        "--wearers",
        type=Path,
        metavar="FILE",
        help="a .csv or .parquet file with columns to add: account, groups, ...",
    )
    report.add_argument(
        "--covariates",
        metavar="A,B",
        help="columns of the wearers that have a mean, such as age; of others values are counted",
    )
    report.add_argument(
        "--pseudonymise",
        type=Path,
        metavar="KEYFILE",
        help="pseudonyms in place of accounts, made with the key in this file; without the file a"
        " new key is put there: keep it apart from the report",
    )
    add_dated(report)
    report.set_defaults(run=_report)


def _add_simulate(commands: Any) -> None:
    simulate = commands.add_parser(
        "simulate-cohort", help="write simulated wearers in two groups into an archive"
    )
    add_archive(simulate)
    simulate.add_argument(
        "--wearers", type=int, required=True, metavar="N", help="how many wearers"
    )
    simulate.add_argument(
        "--start", required=True, metavar="DAY", help="first local day, such as 2026-10-24"
    )
    simulate.add_argument("--days", type=int, required=True, metavar="M", help="how many days")
    simulate.add_argument("--log", metavar="LOG", help="only this log (default: both)")
    simulate.add_argument(
        "--seed", type=int, default=0, metavar="S", help="which cohort (default: 0)"
    )
    simulate.add_argument(
        "--tz",
        default="UTC",
        metavar="Z",
        help="time zone of the wearers, which the archive keeps; or several, A,B, which pairs of"
        " wearers take in turn (default: UTC, whatever EYELOG_TZ is)",
    )
    simulate.add_argument(
        "--effect",
        type=float,
        default=1.0,
        metavar="X",
        help="blink rate of the treated group relative to the other, 0.5 to 2 (default: 1)",
    )
    simulate.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one per core)"
    )
    simulate.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the table of wearers, with the truth, into a .csv or .parquet file",
    )
    add_json(simulate)
    simulate.set_defaults(run=_simulate)


def _simulate(args: argparse.Namespace) -> int:
    from eyelog.cli.source import field_list
    from eyelog.cohort.simulate import simulate

    if args.output is not None:
        check_ending(args.output, TABLE_ENDINGS)
    archive = open_archive(args)
    people = simulate(
        archive,
        args.wearers,
        start=args.start,
        days=args.days,
        log=args.log,
        seed=args.seed,
        tz=field_list(args.tz) or "",
        effect=args.effect,
        workers=args.workers,
    )
    if args.output is not None:
        write_table(people.set_index("account"), args.output)
    else:
        emit(people, as_json=args.json, index=False)
    note(f"{len(people):,} wearers with {args.days} days each written to {archive.path}")
    return 0


def _daily(args: argparse.Namespace) -> int:
    from eyelog.cli.source import field_list
    from eyelog.cohort.daily import daily

    report = daily(
        open_archive(args),
        log=args.log,
        accounts=field_list(args.accounts),
        start=args.start,
        end=args.end,
        tz=args.tz,
        out=args.output,
        scheduler=args.scheduler,
        workers=args.workers,
        wearers=None if args.wearers is None else _wearers(args.wearers),
    )
    if args.json:
        emit(report, as_json=True, index=False)
    else:
        _show(report, args.output)
    failed = int((report["state"] == "failed").sum())
    if failed:
        raise EyelogError(
            f"{failed} of {len(report)} wearers failed; the others are in {args.output}: run the"
            " same command again when the cause is removed"
        )
    return 0


def _report(args: argparse.Namespace) -> int:
    from eyelog.cli.source import field_list
    from eyelog.reports.cohort.report import report_cohort

    path = report_cohort(
        args.dataset,
        args.output,
        by=args.by,
        outcome=args.outcome,
        covariates=field_list(args.covariates),
        wearers=None if args.wearers is None else _wearers(args.wearers),
        key_file=args.pseudonymise,
        dated=args.dated,
    )
    note(f"Report written to {path} ({file_size(path)}): open it in a browser.")
    return 0


def _wearers(path: Path) -> "pd.DataFrame":
    """Return the table of wearers; accounts are text, even where they look like numbers."""
    import pandas as pd

    if path.suffix not in (".csv", ".parquet"):
        raise ConfigurationError(f"cannot read {path}: wearers come from a .csv or .parquet file")
    try:
        if path.suffix == ".parquet":
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype={"account": "str"})
    except ValueError as error:  # the errors of pandas and pyarrow for a file of another format
        raise ConfigurationError(f"cannot read {path}: {error}") from None


def _show(report: "pd.DataFrame", output: str) -> None:
    """Print how many wearers are in which state, and name those without a result."""
    import pandas as pd

    counts = report.groupby("state").agg(wearers=("account", "size"), days=("days", "sum"))
    states = pd.Index(["done", "unchanged", "failed"], name="state")
    emit(counts.reindex(states, fill_value=0).reset_index(), as_json=False, index=False)
    notable = report[report["reason"] != ""]
    for row in notable.head(SHOWN).itertuples():
        note(f"{row.account} {row.state}: {row.reason}")
    if len(notable) > SHOWN:
        note(f"... and {len(notable) - SHOWN} more wearers (--json lists them all)")
    note(f"{report['days'].sum():,} days written to {output}")
