"""Archives of several wearers."""

from functools import lru_cache
from pathlib import Path

import pandas as pd

import eyelog as el

SIXTY = "standard_mode_logs"
ACCOUNTS = ("ann", "../bob", "Ann")  # "Ann" and "ann" are two wearers, and no account is a path
START, DAYS = "2026-09-28", 6


@lru_cache
def days_of(seed: int) -> pd.DataFrame:
    """Return some days of a wearer in Tokyo, on either side of the end of a month."""
    return el.simulate(START, DAYS, log=SIXTY, seed=seed, tz="Asia/Tokyo")


def fill(archive: el.Archive) -> el.Archive:
    """Write the records of the wearers into an archive."""
    for seed, account in enumerate(ACCOUNTS):
        archive.write(SIXTY, days_of(seed), account=account)
    return archive


def damage(archive: el.Archive, account: str) -> None:
    """Cut the first month file of an account short."""
    path = min(Path(archive.path).glob(f"log={SIXTY}/account={account}/month=*/*.parquet"))
    path.write_bytes(path.read_bytes()[:-100])


def files_of(out: Path) -> dict[str, tuple[int, int]]:
    """Return the files of a result, and what changes when one is written again."""
    return {
        str(path.relative_to(out)): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in sorted(out.glob("*/*.parquet"))
    }
