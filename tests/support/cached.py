"""Cached days for tests: made, written and read back."""

import stat
import subprocess
import sys
import textwrap
from pathlib import Path

from eyelog.access.cache.day_file import Answer, DayFile, Entry, pack, unpack

URL = "http://127.0.0.1:1"


def entry(key: str = "k", *, fetched: float = 1000.0, expires: float | None = None) -> Entry:
    return Entry(key, "computed_data", "2026-10-24", fetched, expires)


def page(text: str = "body") -> bytes:
    return pack(Answer(200, "application/json", text.encode()))


def bodies(file: DayFile, key: str = "k") -> list[bytes]:
    answers = [unpack(blob) for blob in (file.pages(key) or {}).values()]
    return [answer.body for answer in answers if answer is not None]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def run_python(script: str, *arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout
