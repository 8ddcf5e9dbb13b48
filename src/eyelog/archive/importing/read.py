"""Logs from files: CSV of the Logger app and of the vendor's sample, and saved answers."""

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pandas as pd

from eyelog import provenance
from eyelog.answers.page import join_pages
from eyelog.archive.importing.log_file import UNFINISHED, SavedLog, reading
from eyelog.archive.importing.sources import input_file
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS
from eyelog.errors import ArchiveError, ConfigurationError, EyelogWarning, MixedLogsError

__all__ = ["read_answer", "read_logger_csv"]

# Only where a file is empty: then nothing but its name can tell.
_NAMES: Final = {
    COMPUTED_DATA: re.compile(r"_logicIndexData|15s_interval_data"),
    STANDARD_MODE_LOGS: re.compile(r"_summaryData|60s_interval_data"),
}


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Put the name of the file before the message of an error."""
    try:
        yield
    except (ArchiveError, ConfigurationError, MixedLogsError) as error:
        raise type(error)(f"{name}: {error}") from error


def read_logger_csv(path: str | os.PathLike[str], *, tz: str | None = None) -> pd.DataFrame:
    r"""Read one CSV file of a log, as the Logger app or the vendor's sample script saves it.

    What the file is, is told from its header, not from its name.

    Parameters
    ----------
    path : str or path
        A CSV file of the 15-second or the 60-second log, also packed with gzip.
    tz : str, optional
        IANA zone of dates that have no offset, and of the index; default UTC.

    Returns
    -------
    DataFrame
        Index ``date`` (aware in `tz`, sorted, unique, microseconds); all fields of the catalogue
        in its order with its dtypes, missing where the file lacks them; unknown columns last. Of
        several rows on one stamp the last one stays. The provenance counts ``rows`` of the file,
        ``refused`` lines that are no records, ``repeated`` rows left out because their stamp came
        again and ``conflicts`` (stamps on which different rows met).

    Raises
    ------
    ArchiveError
        If the file cannot be read, or is of another kind; the message says of which.
    ConfigurationError
        If dates have no offset and `tz` is not given.
    MixedLogsError
        If the header has fields of both logs.

    Warns
    -----
    EyelogWarning
        If lines are no records (junk, cut short): which ones, and why. The others are kept.

    Notes
    -----
    Names, their misprints and the kinds of files are those of the vendor's data definition.

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
    source = Path(path)
    with _named(source.name), reading(input_file(source, source.name), tz=tz) as log:
        if isinstance(log, SavedLog):
            raise ArchiveError("it is a saved answer: read_answer reads it")
        if log is None:
            return _nothing(source.name, tz)
        frame = join_pages(list(log.pages()), log.log, tz=tz or "UTC")
    if log.faults.count:
        warnings.warn(log.faults.report(source.name, log.rows), EyelogWarning, stacklevel=2)
    return provenance.record(
        frame, "import", file=source.name, rows=log.rows, refused=log.faults.count
    )


def _nothing(name: str, tz: str | None) -> pd.DataFrame:
    """Return the frame of a file of 0 bytes, which the Logger app leaves where it had no record."""
    for log, pattern in _NAMES.items():
        if pattern.search(name):
            warnings.warn(f"{name}: the file is empty", EyelogWarning, stacklevel=3)
            frame = join_pages([], log, tz=tz or "UTC")
            return provenance.record(frame, "import", file=name, rows=0, refused=0)
    raise ArchiveError("the file is empty: not even a header says which log it is of")


def read_answer(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read saved answers of the service from one file.

    Parameters
    ----------
    path : str or path
        JSON: one answer, a list of answers, or one answer a line (the pages of a walk, in their
        order), also packed with gzip.

    Returns
    -------
    DataFrame
        Index ``date`` (UTC, sorted, unique, microseconds); all fields of the catalogue in its
        order with its dtypes; unknown fields last.

    Raises
    ------
    ArchiveError
        If the file cannot be read.
    AnswerError
        If it holds no answer, or one that is not the documented shape: the message names the
        file, the hour, the record and the field.
    MixedLogsError
        If answers of both logs are in it.

    Examples
    --------
    >>> import eyelog as el, pathlib, tempfile
    >>> body = '{"computed_data": {"9": [{"date": "2026-10-24T09:00:00Z", "stp": 3}]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "answer.json"
    ...     _ = path.write_text(body)
    ...     frame = el.read_answer(path)
    >>> frame["stp"].tolist()
    [3.0]
    """
    source = Path(path)
    with _named(source.name), reading(input_file(source, source.name), tz=None) as saved:
        if not isinstance(saved, SavedLog):
            what = "the file is empty" if saved is None else "it is CSV: read_logger_csv reads it"
            raise ArchiveError(what)
        frame = join_pages(list(saved.pages()), saved.log)
    if saved.unfinished:
        warnings.warn(f"{source.name}: {UNFINISHED}", EyelogWarning, stacklevel=2)
    return provenance.record(frame, "import", file=source.name, rows=saved.rows, refused=0)
