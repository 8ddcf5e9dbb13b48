"""One file as one frame: CSV of the Logger app or the vendor's sample, or saved answers."""

import os
import re
import warnings

import pandas as pd

from eyelog import provenance
from eyelog.answers.page import Page, join_pages, joined_pages
from eyelog.archive.importing.chosen_files import ChosenFiles, asked_zones
from eyelog.archive.importing.log_file import LogFile, own_columns
from eyelog.archive.importing.sources import input_file
from eyelog.catalogue import known_logs, log_named
from eyelog.clock import Zone, Zones, known_zones
from eyelog.disk.files import path_of
from eyelog.errors import (
    ArchiveError,
    ConfigurationError,
    EyelogWarning,
    MixedLogsError,
    listed,
    marked,
)
from eyelog.frame import in_own_offsets, in_zones

__all__ = ["read_answer", "read_logger_csv"]


def read_logger_csv(
    path: str | os.PathLike[str], *, tz: Zone | None = None, wearer: str | None = None
) -> pd.DataFrame:
    r"""Read one CSV file of a log, as the Logger app or the vendor's sample script saves it.

    The kind of file is recognised from its header, not from its name. Cells may be separated by
    commas, semicolons or tabs, and the text may be UTF-8, UTF-16 or cp932 (Shift JIS).

    Parameters
    ----------
    path : str or path
        A CSV file of the 15-second or the 60-second log, also packed with gzip.
    tz : str, Zones, or a table or .csv file of zones, optional
        The wearer's zone or zones (`eyelog.Zones`), for dates that have no offset and for the
        index; ``"file"`` takes the offset that each date is written in. By default that of the
        setting EYELOG_TZ, otherwise UTC, for the index alone. If the zone changes, the last column
        is ``utc_offset_min``, minutes east of UTC of the wearer's clock.
    wearer : str, optional
        The wearer whose rows to return, if a column (``user_id``, ``wearer``) names the wearer of
        each row. A file with the rows of several wearers is not read without it.

    Returns
    -------
    DataFrame
        Index ``date`` (aware in `tz`, sorted, unique, microseconds); the fields that the file has,
        as `eyelog.read` returns them, in the order of the catalogue with its dtypes; unknown
        columns last. A file without records gives an empty frame with every field. Of several rows
        with the same stamp the last one is kept. The provenance has the number of ``rows`` in the
        file, of ``refused`` lines that are not records, of ``repeated`` rows left out because their
        stamp was repeated, and of ``conflicts`` (stamps with different rows).

    Raises
    ------
    ArchiveError
        If the file cannot be read, is of another kind (the message says which), has lines but no
        record, has the rows of several wearers and `wearer` does not say which, or is a 15-second
        log whose dates have lost their seconds.
    ConfigurationError
        If dates have no offset and `tz` is not given.
    MixedLogsError
        If the header has fields of both logs.

    Warns
    -----
    EyelogWarning
        If lines are not records (junk, truncated): which ones, and why. The others are kept. Also
        if the text is not UTF-8, or its numbers have decimal commas.

    Notes
    -----
    Column names, their misprints and the kinds of files follow the vendor's data definition.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> lines = ["date,stepCount,isStill,", "2026-10-24T00:00:15+0900, 12,0"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "20261024-000000_CDC000000001_logicIndexData.csv"
    ...     _ = path.write_text("\n".join(lines))
    ...     frame = el.read_logger_csv(path, tz="Asia/Tokyo")
    >>> frame["stp"].tolist(), frame["isl"].tolist()
    ([12.0], [False])
    """
    return _one_file(path, "read_logger_csv", tz, wearer)


def _one_file(
    path: str | os.PathLike[str], what: str, tz: Zone | None, wearer: str | None = None
) -> pd.DataFrame:
    """Return the frame of one file of the format that the function `what` reads."""
    file = path_of(path, what=what)
    zones = asked_zones(tz)
    files = ChosenFiles(zones, wearer=wearer, reader=what)
    frames: list[pd.DataFrame] = []

    def keep(log: LogFile, _: str, pages: list[Page]) -> None:
        frame = joined_pages(pages, log.log, spend=True).frame
        frames.append(own_columns(frame, log) if len(frame) else frame)

    try:
        log = files.take(input_file(file, file.name), keep).log
        if log is None:
            return _nothing(file.name, zones, what)
        if not frames:
            raise ConfigurationError(
                f"it has no row of the wearer {wearer!r}, only of"
                f" {listed(map(repr, sorted(files.wearers)))}"
            )
        frame = _on_clock(frames[0], zones, file.name)
    except (ArchiveError, ConfigurationError, MixedLogsError) as error:
        raise type(error)(f"{file.name}: {marked(error)}") from error
    for note in log.report(file.name):
        warnings.warn(note, EyelogWarning, stacklevel=3)
    return provenance.record(
        frame, "import", file=file.name, rows=log.rows, refused=log.faults.count
    )


def _on_clock(frame: pd.DataFrame, zones: Zones | str | None, name: str) -> pd.DataFrame:
    """Return records on the wearer's clock; with "file", on the clock that each date shows."""
    if isinstance(zones, str):
        return in_own_offsets(frame)
    return in_zones(frame, known_zones(zones, whose=name, stacklevel=5))


def _nothing(name: str, zones: Zones | str | None, what: str) -> pd.DataFrame:
    """Return the frame of an empty file, which the Logger app leaves if it had no record."""
    if what != "read_logger_csv":
        raise ArchiveError("the file is empty")
    for log in known_logs():  # nothing is known about an empty file except its name
        look = log_named(log).file_name
        if look and re.search(look, name):
            warnings.warn(f"{name}: the file is empty", EyelogWarning, stacklevel=4)
            home = "UTC" if isinstance(zones, str) else known_zones(zones, whose=name).home
            frame = join_pages([], log, tz=home)
            return provenance.record(frame, "import", file=name, rows=0, refused=0)
    raise ArchiveError("the file is empty: it has no header that shows which log it is of")


def read_answer(path: str | os.PathLike[str], *, tz: Zone | None = None) -> pd.DataFrame:
    """Read saved answers of the service from one file.

    Parameters
    ----------
    path : str or path
        JSON: one answer, a list of answers, or one answer per line (the pages of a walk, in their
        order), also packed with gzip.
    tz : str, Zones, or a table or .csv file of zones, optional
        As for `read_logger_csv`.

    Returns
    -------
    DataFrame
        Index ``date`` (aware in `tz`, sorted, unique, microseconds); the fields that the answers
        have, as `eyelog.read` returns them, in the order of the catalogue with its dtypes; unknown
        fields last.

    Raises
    ------
    ArchiveError
        If the file cannot be read.
    AnswerError
        If it has no answer, or one that is not of the documented shape: the message names the
        file, the hour, the record and the field.
    MixedLogsError
        If it has answers of both logs.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> body = '{"computed_data": {"9": [{"date": "2026-10-24T09:00:00Z", "stp": 3}]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "answer.json"
    ...     _ = path.write_text(body)
    ...     frame = el.read_answer(path, tz="Asia/Tokyo")
    >>> frame["stp"].tolist()
    [3.0]
    """
    return _one_file(path, "read_answer", tz)
