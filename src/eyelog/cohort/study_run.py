"""A run over a cohort: from the archive's files to one table, or to a dataset and its report."""

import json
import os
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, datetime, time
from importlib.metadata import version
from typing import Any, Final

import pandas as pd

from eyelog.archive.place import archive_errors
from eyelog.catalogue import catalogue_version, check_fields, needed
from eyelog.clock import Zone, Zones, as_zones, instant_range, time_of_day
from eyelog.cohort.dataset import open_dataset
from eyelog.cohort.schedule import run
from eyelog.cohort.wearer_months import (
    MonthOutcome,
    Study,
    compute,
    digest,
    failed_part,
    of_cohort,
    of_wearers,
    plan,
)
from eyelog.cohort.wearers import Roster, Wearer, check_archive, roster
from eyelog.errors import listed, warn
from eyelog.frame import empty, record
from eyelog.home import progress_line
from eyelog.measure.daily import daily

Instant = str | date | datetime

NAMED: Final = 10
REPORT: Final = {"account": "str", "state": "str", "days": "int64", "reason": "str"}


def run_study(
    what: str,
    study: Study,
    start: Instant | None,
    end: Instant | None,
    *,
    accounts: Iterable[str] | None,
    tz: Zone | None,
    out: str | os.PathLike[str] | None,
    scheduler: Any,
    workers: int | None,
    wearers: pd.DataFrame | None,
) -> pd.DataFrame:
    """Compute the parts of a cohort; return their table, or with `out` the report."""
    archive, log, at = check_archive(study.archive), study.log, time_of_day(study.day_starts)
    people = roster(archive, log, accounts=accounts, tz=tz, wearers=wearers)
    if study.fields is not None:
        check_fields(log, study.fields)
    about: dict[str, Any] = {
        "covariates": list(people.covariates),
        "limits": study.limits.details(),
    }
    if study.day_starts is not None:
        about["day_starts"] = study.day_starts
    dataset = None
    if out is not None:
        rows = record(pd.DataFrame(), what, log=log, **about)
        dataset = open_dataset(out, attrs=json.dumps(rows.attrs))
    study = replace(
        study,
        tz=people.tz,
        covariates=people.covariates,
        out=dataset,
        version=f"{version('eyelog')}, catalogue {catalogue_version()}",
    )
    if study.function is None:
        _no_rows(study)  # the names of covariates are checked before anything is computed
    computed = [wearer for wearer in people.wearers if not wearer.absent]
    spans = {wearer.tz: _span(start, end, wearer.tz, at) for wearer in people.wearers}
    with archive_errors(f"list the archive {archive.path}"):
        parts = [part for wearer in computed for part in plan(study, wearer, *spans[wearer.tz])]
    recipe = {
        "what": what,
        "function": study.function_name,
        "log": log,
        "archive": archive.path,
        "accounts": None if accounts is None else sorted(w.account for w in people.wearers),
        "start": None if start is None else str(start),
        "end": None if end is None else str(end),
        "tz": None if tz is None else str(tz) if isinstance(tz, str) else repr(as_zones(tz)),
        "fields": study.fields,
        **about,
        "wearers": None if wearers is None else digest([w.said for w in people.wearers]),
        "versions": {
            "catalogue": catalogue_version(),
            **{name: version(name) for name in ("eyelog", "numpy", "pandas", "pyarrow")},
        },
    }
    outcomes = []
    label = f"{what} of {len(computed):,} wearers"
    unit = "wearer" if any(part.month is None for part in parts) else "month"
    with nullcontext() if dataset is None else dataset.locked():
        if dataset is not None:
            dataset.begin(recipe)
        with progress_line(len(parts), label, choice=None, unit=unit) as done:
            where = {"scheduler": scheduler, "workers": workers, "killed": failed_part}
            for outcome in run(compute, parts, **where):
                outcomes.append(outcome)
                done()
        left_out = sorted({name for outcome in outcomes for name in outcome.left_out})
        if left_out:
            warn(
                f"left out where the wearers were ({', '.join(left_out)}): ask for it by naming"
                f" these fields in fields="
            )
        # The order in which the parts end does not affect the result.
        outcomes.sort(key=lambda outcome: (outcome.account, outcome.month or ""))
        report = _report(people, outcomes)
        broken = report[report["state"] == "failed"]
        failed = dict(zip(broken["account"], broken["reason"], strict=True))
        kept = [one for one in outcomes if one.account not in failed]
        # Of all files that were read, so that two results can be compared.
        read = sorted((one.account, one.month or "", one.files) for one in outcomes if one.files)
        if dataset is not None:
            dataset.keep_only((one.account, one.month) for one in kept if one.has_rows)
            dataset.finish({**recipe, "inventory": digest(read)}, report)
            return report
    if failed:
        reasons = (f"{account!r} ({reason})" for account, reason in failed.items())
        warn(
            f"{len(failed)} of {len(report)} wearers failed and are left out:"
            f" {listed(reasons, NAMED, between='; ')}"
        )
    of = {wearer.account: wearer for wearer in people.wearers}
    made = [(of[one.account], one.rows) for one in kept if one.rows is not None]
    used = [part for part in made if len(part[1])] or made[:1]
    table = of_wearers(used, study) if used else _no_rows(study)
    table.attrs = {}
    return record(
        table,
        what,
        log=log,
        interval_s=None,
        wearers=len(report),
        **about,
        without_days=report.loc[report["days"] == 0, "account"].tolist(),
        failed=failed,
        inventory=digest(read),
    )


def _span(
    start: Instant | None, end: Instant | None, tz: Zones, at: time
) -> tuple[datetime | None, datetime | None]:
    """Return the first and last instant of a range that may be open at either end."""
    if start is not None and end is not None:
        return instant_range(start, end, tz, at=at)
    first = None if start is None else instant_range(start, start, tz, at=at)[0]
    return first, None if end is None else instant_range(end, end, tz, at=at)[1]


def _report(people: Roster, outcomes: Iterable[MonthOutcome]) -> pd.DataFrame:
    """Return one row per wearer."""
    of: dict[str, list[MonthOutcome]] = {wearer.account: [] for wearer in people.wearers}
    for outcome in outcomes:
        of[outcome.account].append(outcome)
    rows = []
    for wearer in people.wearers:
        parts = of[wearer.account]
        days = sum(part.days for part in parts)
        failed = next((part for part in parts if part.state == "failed"), None)
        state, reason = "done", ""
        if wearer.absent:
            state, reason = "failed" if wearer.unknown else "done", wearer.absent
        elif failed is not None:
            where = "" if failed.month is None else f"{failed.month}: "
            state, days, reason = "failed", 0, f"{where}{failed.reason}"
        elif not any(part.has_rows for part in parts):
            reason = "" if days else "no records in this range"
        elif not any(part.state == "done" and part.has_rows for part in parts):
            state = "unchanged"
        rows.append((wearer.account, state, days, reason))
    return pd.DataFrame(rows, columns=list(REPORT)).astype(REPORT)


def _no_rows(study: Study) -> pd.DataFrame:
    """Return the table of a cohort without days, in the shape of every other."""
    tz = "UTC" if study.tz is None else study.tz
    nobody = Wearer("", Zones(tz), tuple((name, None) for name in study.covariates))
    if study.function is None:
        frame = empty(study.log, tz=tz, names=needed("daily", log=study.log))
        table = daily(frame, log=study.log, limits=study.limits, day_starts=study.day_starts)
    else:
        table = pd.DataFrame() if study.meta is None else study.meta.copy(deep=False)
    return of_wearers([(nobody, of_cohort(table, study))], study)
