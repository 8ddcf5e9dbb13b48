"""The real service in a process of its own, started as an operator starts it."""

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from support import live
from support.live import Live


@contextmanager
def served(
    folder: Path,
    wearers: Mapping[str, Sequence[pd.DataFrame]],
    *,
    password: str | None = None,
    before: str = "",
    **options: Any,
) -> Iterator[tuple[subprocess.Popen[str], Live]]:
    """Serve an archive of `wearers`; `before` is a program text that runs first in the process."""
    _, *application = live.make(folder, wearers, password=password)
    options = {"port": 0, "requests_per_hour": 0, **options}
    program = (
        f"{before}\nfrom eyelog_service.app import serve; serve({str(folder)!r}, **{options!r})"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            url = process.stderr.readline().strip()
            yield process, Live(url, folder, *application)
            process.terminate()
            assert process.wait(timeout=30) == 0
            assert (left := process.stderr.read()) == "", left
        finally:
            process.kill()
