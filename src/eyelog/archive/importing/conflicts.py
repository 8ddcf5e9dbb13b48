"""Where in a file the values are that differ from stored ones; the file is read once more."""

from typing import NamedTuple

import numpy as np

from eyelog.archive.importing.formats import reading
from eyelog.archive.importing.intake import FileReport
from eyelog.archive.importing.sources import InputFile
from eyelog.clock import Zones

__all__ = ["Conflict", "conflicts_of"]


class Conflict(NamedTuple):
    """One value that differs from a stored one."""

    line: int | None  # of the file, if it has lines
    stamp: int  # microseconds since 1970, UTC
    field: str

    @property
    def date(self) -> str:
        """The stamp as RFC 3339."""
        text = str(np.datetime64(self.stamp, "us"))
        return f"{text.removesuffix('.000000')}Z"


def conflicts_of(
    file: InputFile, report: FileReport, zones: Zones | str | None, most: int
) -> tuple[list[Conflict], int]:
    """Return the first conflicts of a file that was imported, and how many more there are.

    `zones` are those with which it was imported, where stored values were kept.
    """
    cells = sorted(
        (int(stamp), field)
        for field, parts in report.differing.items()
        for stamp in np.concatenate(parts).tolist()
    )
    more = max(0, len(cells) - most)
    cells = cells[:most]
    wanted = np.unique([stamp for stamp, _ in cells])
    lines: dict[int, int] = {}
    with reading(file, tz=zones, log=report.log) as log:
        for page in log.pages() if log is not None else ():
            if page.lines is not None:
                stamps = page.stamps.view(np.int64)
                hit = np.isin(stamps, wanted)
                lines |= dict(zip(stamps[hit].tolist(), page.lines[hit].tolist(), strict=True))
    return [Conflict(lines.get(stamp), stamp, field) for stamp, field in cells], more
