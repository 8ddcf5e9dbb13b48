"""`eyelog sync`: bring an archive up to date from a service."""

import argparse
from typing import TYPE_CHECKING, Any, Final

from eyelog.catalogue import LOGS, check_log
from eyelog.cli.archive import add_archive, open_archive
from eyelog.cli.output import add_json, emit, note
from eyelog.errors import AuthorizationError, EyelogError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["add_commands"]

SHOWN: Final = 10


def add_commands(commands: Any) -> None:
    """Add this module's command."""
    sync = commands.add_parser("sync", help="bring an archive up to date from the service")
    sync.add_argument("log", metavar="LOG", help="computed_data, standard_mode_logs, or all")
    sync.add_argument("start", metavar="START", help="first local day, such as 2026-10-24")
    sync.add_argument("end", metavar="END", help="last local day, included")
    sync.add_argument("--account", default="me", help="whose records (default: me)")
    sync.add_argument("--tz", default="UTC", help="zone of the days, such as Asia/Tokyo")
    add_archive(sync)
    add_json(sync)
    sync.set_defaults(run=_sync)


def _sync(args: argparse.Namespace) -> int:
    import pandas as pd

    from eyelog.access.client import connect

    logs = LOGS if args.log == "all" else (check_log(args.log),)
    archive = open_archive(args)
    reports = []
    with connect(account=args.account, tz=args.tz) as client:
        for log in logs:
            try:
                report = archive.sync(client, log, args.start, args.end)
            except AuthorizationError:
                note("Stopped: every further day would fail too. What came before is kept.")
                raise
            report.insert(0, "log", log)
            reports.append(report)
    whole = pd.concat(reports, ignore_index=True)
    if args.json:
        emit(whole, as_json=True, index=False)
    else:
        _show(whole, logs)
    failed = whole[whole["state"] == "failed"]
    if len(failed):
        raise EyelogError(
            f"{len(failed)} of {len(whole)} days failed; all others are in {archive.path}, and the"
            " same command asks for what is missing"
        )
    return 0


def _show(whole: "pd.DataFrame", logs: tuple[str, ...]) -> None:
    """Print how many days came to what, and each day that has more to tell."""
    import pandas as pd

    from eyelog.archive.sync import STATES

    counts = pd.crosstab(whole["log"], whole["state"]).reindex(
        index=list(logs), columns=list(STATES), fill_value=0
    )
    sums = whole.groupby("log")[["asked", "records", "removed"]].sum().reindex(list(logs))
    emit(counts.assign(days=counts.sum(axis=1), **sums).reset_index(), as_json=False, index=False)
    told = whole[(whole["state"] == "failed") | (whole["removed"] > 0)]
    for row in told.head(SHOWN).to_dict("records"):
        why = row["reason"] or f"{row['removed']} record(s) that the service no longer has went"
        note(f"{row['log']} {row['day']} {row['state']}: {why}")
    if len(told) > SHOWN:
        note(f"... and {len(told) - SHOWN} more days (--json tells of each)")
