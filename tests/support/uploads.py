"""What tests send to a service, and what it then has."""

from pathlib import Path
from typing import Any

import pandas as pd

import eyelog as el
from support import live
from support.packets import CURRENT
from support.records import records

FIFTEEN, SIXTY = live.COMPUTED, live.STANDARD


def csv(log: str = SIXTY, start: str = "2026-10-24 00:01", n: int = 60, **more: Any) -> bytes:
    """Return records as the CSV file of a log."""
    return records(log, start, n, **more).to_csv().encode()


def stored(there: live.Live, account: str = "ada") -> dict[str, int]:
    archive = el.Archive(there.archive)
    return {
        log: len(archive.read(log, account=account, tz="UTC"))
        for log in (FIFTEEN, SIXTY, CURRENT)
        if account in archive.accounts(log)
    }


def frame(there: live.Live, log: str = SIXTY, account: str = "ada") -> pd.DataFrame:
    return el.Archive(there.archive).read(log, account=account, tz="UTC")


def spooled(there: live.Live) -> list[Path]:
    """Return the files of uploads that are kept anywhere in the archive's folder."""
    return [path for path in there.archive.rglob(".uploads/*/**/*") if path.is_file()]
