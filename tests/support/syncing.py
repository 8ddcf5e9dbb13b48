"""Syncing from a scripted service: what the tests of a sync share."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd

import eyelog as el
from support import faulty
from support.logs import LOGS

FIFTEEN, SIXTY = LOGS
START, END = "2024-03-01", "2024-03-05"  # long settled
TOKEN = el.Token("access-token-of-tests", "refresh-token-of-tests")


def client_of(server: faulty.Server, home: Path, **options: Any) -> el.Client:
    return el.Client(server.url, **{"application": None, "token": TOKEN, "home": home, **options})


def ago(days: int) -> str:
    return str((datetime.now(UTC) - timedelta(days=days)).date())


def asked_days(server: faulty.Server, since: int = 0) -> list[str]:
    return sorted(seen.query["date_from"][:10] for seen in server.requests[since:])


def states(report: pd.DataFrame) -> dict[str, str]:
    return dict(zip(report["day"], report["state"], strict=True))


def files(archive: el.Archive) -> dict[Path, tuple[bytes, int]]:
    found = sorted(Path(archive.path).rglob("*.parquet"))
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in found}


def ledger(archive: el.Archive, log: str = SIXTY) -> Path:
    return Path(archive.path) / f"log={log}" / "account=me" / ".synced.v1.json"
