"""Logs from files: CSV of the Logger app and of the vendor's sample, and saved answers."""

import gzip
import os
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

import pandas as pd

from eyelog import provenance
from eyelog.access.columns import join_pages
from eyelog.archive.csvlog import CsvLog
from eyelog.archive.kinds import kind_of_bytes
from eyelog.archive.saved import answer_pages
from eyelog.errors import ArchiveError, EyelogWarning

__all__ = ["read_answer", "read_logger_csv"]


@contextmanager
def _opened(path: Path) -> Iterator[tuple[str, BinaryIO]]:
    """Open a file; give its kind and its bytes, those of a gzip file unpacked."""
    try:
        with path.open("rb") as raw:
            kind = kind_of_bytes(raw.peek(64))
            if kind == "gzip":
                with gzip.open(raw) as unpacked:
                    stream = cast(BinaryIO, unpacked)
                    yield kind_of_bytes(unpacked.peek(64)), stream
            else:
                yield kind, raw
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ArchiveError(f"cannot read {path}: {reason}") from error


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
    >>> frame[["stp", "isl"]].iloc[0].tolist()
    [12.0, False]
    """
    source = Path(path)
    with _opened(source) as (_, stream):
        log = CsvLog(stream, tz=tz)
        pages = list(log.pages())
    frame = join_pages(pages, log.header.log, tz=tz or "UTC")
    if log.faults.count:
        warnings.warn(f"{source.name}: {log.faults}", EyelogWarning, stacklevel=2)
    return provenance.record(
        frame, "import", file=source.name, rows=log.rows, refused=log.faults.count
    )


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
    with _opened(source) as (_, stream):
        pages = answer_pages(stream.read(), where=source.name)
    return join_pages(pages, pages[0].log)
