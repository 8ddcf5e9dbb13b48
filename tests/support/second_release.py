"""The files that eyelog 0.2.0 wrote: an archive that a sync filled, and a service's state.

``second_release.zip`` has them as that release left them on 2026-11-23, and in ``known.json`` what
the wearers and the application know, and what its service answered. Anna (synced) and Bea have
records and tokens; Cyd's access token was revoked, and the account Gone is disabled.
"""

import json
import sqlite3
import time
import zipfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.first_release import as_of_0_3

_FILES = Path(__file__).with_name("second_release.zip")


@dataclass(frozen=True)
class SecondRelease:
    """The two folders, and what is known about them."""

    logs: Path
    state: Path
    known: dict[str, Any]

    @property
    def file(self) -> Path:
        return self.state / "_service.sqlite"


def second_release(folder: Path) -> SecondRelease:
    """Unpack the files as if they had been written a day ago; eyelog 0.3 has used the state."""
    with zipfile.ZipFile(_FILES) as packed:
        packed.extractall(folder)
    known = json.loads((folder / "known.json").read_text())
    made = SecondRelease(folder / "logs", folder / "state", known)
    later = time.time() - 86400 - known["at"]
    with closing(sqlite3.connect(made.file)) as db, db:
        db.execute(
            "UPDATE token SET issued = issued + ?1, used = used + ?1, expires = expires + ?1",
            (later,),
        )
    as_of_0_3(made.file)
    for path in (made.logs, made.state, *folder.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    return made
