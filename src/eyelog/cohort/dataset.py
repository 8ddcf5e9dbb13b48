"""The result of a cohort as a Parquet dataset: one file per wearer and month, and its recipe.

::

    OUT/ACCOUNT/2026-10.parquet     rows of one wearer and one local month
    OUT/ACCOUNT/all.parquet         rows of a function of a wearer's whole range
    OUT/_recipe.json                what was computed, from what, with which versions
    OUT/_report.parquet             one row per wearer

Each file carries in its own metadata what it was computed from, so that a file and the state of
the run cannot disagree. Names that begin with a dot or an underscore are skipped by Parquet tools.
"""

import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from eyelog.archive.place import Place, archive_errors, check_account, open_place
from eyelog.errors import ArchiveError, ConfigurationError
from eyelog.home import make_folders, whole_file

RECIPE: Final = "_recipe.json"
REPORT: Final = "_report.parquet"
MADE: Final = b"eyelog.cohort"
ATTRS: Final = b"PANDAS_ATTRS"  # where pandas looks for the attrs of a table that it reads
WHOLE: Final = "all"
_PART: Final = re.compile(r"[^/]+/(?:\d{4}-\d{2}|all)\.parquet", re.ASCII)


@dataclass(frozen=True, slots=True)
class Dataset:
    """The folder or URL of a result.

    `attrs` is the provenance of its rows as JSON, kept in each file: what pandas reads from the
    dataset knows its log, and which columns are those of the wearers.
    """

    place: Place
    attrs: str = ""

    @property
    def name(self) -> str:
        """The place as a user types it, without credentials."""
        return self.place.name

    def path(self, account: str, month: str | None) -> str:
        """Return the path of one file; an account's name is escaped."""
        folder = check_account(account)
        if folder.startswith("_"):  # Parquet tools would skip it
            folder = f"%5F{folder[1:]}"
        return f"{self.place.root}/{folder}/{month or WHOLE}.parquet"

    def days_made_from(self, made_from: str, account: str, month: str | None) -> int | None:
        """Return how many days a file has that was made from this; None without such a file."""
        path = self.path(account, month)
        try:
            self.place.fs.invalidate_cache(path)
            with self.place.fs.open(path, "rb", cache_type="none") as source:
                kept = json.loads((pq.read_schema(source).metadata or {})[MADE])
            return int(kept["days"]) if kept["from"] == made_from else None
        except (FileNotFoundError, pa.ArrowInvalid, KeyError, TypeError, ValueError):
            return None  # missing, or not ours: it is computed again

    def write(
        self, account: str, month: str | None, rows: pd.DataFrame, made_from: str, days: int
    ) -> None:
        """Put the file of one wearer and month in place, as a whole."""
        table = pa.Table.from_pandas(rows)
        made = json.dumps({"from": made_from, "days": days}).encode()
        metadata = {**(table.schema.metadata or {}), MADE: made}
        if self.attrs:
            metadata[ATTRS] = self.attrs.encode()
        sink = io.BytesIO()
        pq.write_table(table.replace_schema_metadata(metadata), sink, compression="zstd")
        self._put(self.path(account, month), sink.getvalue())

    def keep_only(self, parts: Iterable[tuple[str, str | None]]) -> None:
        """Remove the files of wearers and months that the result no longer has."""
        wanted = {self.path(account, month) for account, month in parts}
        with archive_errors(f"write to {self.name}"):
            for path in self._files():
                if path not in wanted:
                    self.place.fs.rm_file(path)

    def _files(self) -> list[str]:
        self.place.fs.invalidate_cache(self.place.root)
        root = self.place.root.lstrip("/")
        paths = map(str, self.place.fs.find(self.place.root, maxdepth=2))
        return [
            path for path in paths if _PART.fullmatch(path.lstrip("/").removeprefix(f"{root}/"))
        ]

    def begin(self, recipe: Mapping[str, Any]) -> None:
        """Write the recipe of a run that begins.

        Raises
        ------
        ConfigurationError
            If the place holds something else: other files, or the result of another computation.
        """
        old = self.recipe()
        self.place.fs.invalidate_cache(self.place.root)
        try:
            names = [] if old else self.place.fs.ls(self.place.root, detail=False)
        except FileNotFoundError:
            names = []
        if any(not str(name).rsplit("/", 1)[-1].startswith(".") for name in names):
            raise ConfigurationError(
                f"{self.name} has other files: give the result a new or an empty folder"
            )
        for name in ("what", "log", "function"):
            if old is not None and old.get(name) != recipe.get(name):
                raise ConfigurationError(
                    f"{self.name} has the result of another computation ({name}:"
                    f" {old.get(name)}, not {recipe.get(name)}): choose another place"
                )
        self.finish(recipe, None)

    def recipe(self) -> dict[str, Any] | None:
        """Return the recipe, or None if there is none."""
        try:
            text = self.place.fs.cat_file(f"{self.place.root}/{RECIPE}")
            loaded: dict[str, Any] = json.loads(text)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except ValueError:
            raise ArchiveError(
                f"{self.name}/{RECIPE} is damaged: choose another place for the result"
            ) from None
        return loaded

    def finish(self, recipe: Mapping[str, Any], report: pd.DataFrame | None) -> None:
        """Write the report of a run that ended, then its recipe."""
        if report is not None:
            sink = io.BytesIO()
            report.to_parquet(sink)
            self._put(f"{self.place.root}/{REPORT}", sink.getvalue())
        text = json.dumps({**recipe, "complete": report is not None}, indent=1, ensure_ascii=False)
        self._put(f"{self.place.root}/{RECIPE}", f"{text}\n".encode())

    def report(self) -> pd.DataFrame | None:
        """Return the report of the last whole run, or None if there is none."""
        try:
            data = self.place.fs.cat_file(f"{self.place.root}/{REPORT}")
        except FileNotFoundError:
            return None
        return pd.read_parquet(io.BytesIO(data))

    def read(self) -> pd.DataFrame:
        """Return all rows, sorted, with their provenance."""
        tables = []
        for path in self._files():
            with self.place.fs.open(path, "rb") as source, archive_errors(f"read {path}"):
                # No threads: one that holds Python's memory when the program ends aborts it.
                tables.append(pq.ParquetFile(source).read(use_threads=False))
        if not tables:
            return pd.DataFrame()
        first = tables[0].schema
        if all(table.schema.equals(first) for table in tables):
            rows: pd.DataFrame = pa.concat_tables(tables).to_pandas()
        else:  # of a function that returned different columns
            rows = pd.concat([table.to_pandas() for table in tables])
        rows = rows.sort_index()
        rows.attrs = json.loads((first.metadata or {}).get(ATTRS, b"{}"))
        return rows

    def _put(self, path: str, data: bytes) -> None:
        with archive_errors(f"write {path}"):
            if self.place.local:
                with whole_file(Path(path)) as sink:
                    sink.write(data)
            else:  # an object store puts a whole object in place or none
                self.place.fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
                self.place.fs.pipe_file(path, data)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let one run at a time write here, if the disk can lock; clear what a killed run left.

        Raises
        ------
        ArchiveError
            If another run writes here.
        """
        if not self.place.local:
            yield
            return
        root = Path(self.place.root)
        with archive_errors(f"write to {self.name}"):
            make_folders(root)
        try:
            with FileLock(root / ".lock", timeout=0, mode=0o600):
                for leftover in [*root.glob(".*.tmp"), *root.glob("*/.*.tmp")]:
                    leftover.unlink(missing_ok=True)
                yield
        except Timeout:
            raise ArchiveError(
                f"another run writes to {self.name}: wait for it, or choose another place"
            ) from None


def open_dataset(out: str | os.PathLike[str], *, attrs: str = "") -> Dataset:
    """Return the dataset at a local path or any URL of fsspec.

    Raises
    ------
    ConfigurationError
        If it is not a path, or its kind of URL cannot be used.
    """
    if not isinstance(out, str | os.PathLike):
        raise ConfigurationError(f"out takes a path or a URL, not a {type(out).__name__}")
    try:
        place = open_place(out)
    except ConfigurationError as error:
        reason = str(error).removeprefix("the archive's path cannot be used: ")
        raise ConfigurationError(f"out={os.fspath(out)!r} cannot be used: {reason}") from None
    return Dataset(place, attrs)
