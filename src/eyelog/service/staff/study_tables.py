"""The daily tables of a study, as a zip file of CSV; made apart and sent while it is made."""

import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from eyelog.analysis.daily import daily
from eyelog.archive.months import months
from eyelog.archive.store import Archive, place_of
from eyelog.catalogue import LOGS
from eyelog.errors import EyelogError
from eyelog.service.account.download import Packed

__all__ = ["months_of_study", "study_tables"]


def months_of_study(archive: str, accounts: Sequence[str]) -> list[str]:
    """Return the months (``2026-10``) of which a study has records, the latest first."""
    place = place_of(Archive(archive))
    months_with_records = {
        month for log in LOGS for name in accounts for month in months(place, log, name)
    }
    return sorted(months_with_records, reverse=True)


def study_tables(archive: str, accounts: Sequence[str], month: str) -> Iterator[bytes]:
    """Yield a zip file with a CSV file for each log: a row per wearer and local day of a month.

    The columns are those of `eyelog.daily`. ``left_out.csv`` names the wearers whose records cannot
    be read, and why.
    """
    store = Archive(archive)
    first = pd.Period(month, "M")
    start, end = (f"{day:%Y-%m-%d}" for day in (first.start_time, first.end_time))
    packed, left_out = Packed(), []
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as box:
        for log in LOGS:
            holders = set(store.accounts(log))
            with box.open(f"daily-{log}-{month}.csv", "w") as file:
                heading: Any = True
                for name in accounts:
                    if name not in holders:
                        continue
                    try:
                        frame = store.read(log, start, end, account=name, fields="daily")
                        table = daily(frame)
                    except EyelogError as error:
                        reason = str(error).replace(f"{archive}/", "")
                        left_out.append({"account": name, "log": log, "reason": reason})
                        continue
                    rows = pd.concat({name: table}, names=["account"])
                    file.write(rows.to_csv(header=heading).encode())
                    heading = False
                    if part := packed.take():
                        yield part
        reasons = pd.DataFrame(left_out, columns=["account", "log", "reason"])
        box.writestr("left_out.csv", reasons.to_csv(index=False))
    yield packed.take()
