"""A format is one subclass of `LogFile` and one line in `FORMATS`; everything else follows."""

import ast
import io
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.answers.page import Page
from eyelog.archive.importing import formats
from eyelog.archive.importing.intake import import_files
from eyelog.archive.importing.log_file import LogFile, Source
from eyelog.catalogue import LOGS, columns
from support.loggerfiles import zipped

FIFTEEN = LOGS[0]


class TrialLog(LogFile):
    """A format of the tests: a mark, the wearer's name, and pairs of UNIX seconds and steps."""

    what: ClassVar[str] = "a trial"
    reader: ClassVar[str] = "eyelog.read"
    pandas: ClassVar[str] = "read_trial"

    @staticmethod
    def recognises(start: bytes) -> bool:
        return start.startswith(b"TRIAL")

    def __init__(self, source: Source) -> None:
        super().__init__(FIFTEEN)
        _, name, pairs = source.stream.read().split(b"\n", 2)
        self.names = frozenset({"stp"})
        self.names_wearers = True
        self._name, self._pairs = name.decode(), list(struct.iter_unpack("<qd", pairs))
        self.rows = len(self._pairs)
        self.zones = {"+09:00"}
        self.notes.append("it is a trial")

    def pages(self) -> Iterator[Page]:
        stamps = np.array([at for at, _ in self._pairs], "M8[s]").astype("M8[us]")
        steps = np.array([steps for _, steps in self._pairs])
        yield Page(self.log, None, stamps, {"stp": steps}, ())

    def pages_by_wearer(self) -> Iterator[tuple[str, Page]]:
        yield from ((self._name, page) for page in self.pages())


def trial(name: str, *, day: int = 0) -> bytes:
    begins = 1_792_800_000 + day * 86_400
    rows = [struct.pack("<qd", begins + 15 * at, at) for at in range(40)]
    return b"TRIAL\n" + name.encode() + b"\n" + b"".join(rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of the trial format, which is one more line of `FORMATS`."""
    monkeypatch.setattr(formats, "FORMATS", [TrialLog, *formats.FORMATS])
    made = tmp_path / "files"
    made.mkdir()
    (made / "20261024-000000_CDC000000001_trial").write_bytes(trial("ada"))
    (made / "more.zip").write_bytes(zipped({"x": trial("bob", day=1)}))
    (made / "plain.csv").write_text("date,bk_n\n2026-10-30T00:00:15+0900,7\n")
    return made


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")
def test_a_new_format_is_read_like_every_other_one(folder: Path) -> None:
    frame = el.read(folder)
    assert list(frame.columns) == [name for name in columns(FIFTEEN) if name in ("stp", "bk_n")]
    assert frame["stp"].sum() == 2 * sum(range(40))
    assert str(frame.index.tz) == "UTC+09:00"
    trials = [each for each in folder.iterdir() if each.suffix != ".csv"]
    assert_frame_equal(el.read(trials, wearer="bob"), el.read(folder / "more.zip"))
    assert len(el.read(trials, device="CDC000000001")) == 40
    with pytest.raises(el.ConfigurationError, match=r"no file has rows .*'eve', only of 'ada'"):
        el.read(trials, wearer="eve")
    with pytest.raises(el.ArchiveError, match=r"it is a trial: eyelog\.read reads it"):
        el.read_logger_csv(trials[0] if trials[0].suffix != ".zip" else trials[1])


def test_a_new_format_is_imported_like_every_other_one(folder: Path, tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    with pytest.warns(el.EyelogWarning, match="it is a trial"):
        reports = import_files(archive, [folder], split_wearers=True)
    with pytest.warns(el.EyelogWarning, match="it is a trial"):
        again = import_files(archive, [folder], split_wearers=True)
    assert [(each.account, each.kept) for each in reports] == [("ada", 40), ("bob", 40), ("me", 1)]
    assert [each.kept for each in again] == [0, 0, 0]


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (b'\xef\xbb\xbf {"a"', "SavedLog"),
        (b"[", "SavedLog"),
        (b"PAR1\x15\x04", "ParquetLog"),
        (b"date,", "CsvLog"),
        (b"\xef\xbb\xbfdate,", "CsvLog"),
    ],
)
def test_a_format_is_recognised_from_the_first_bytes(content: bytes, form: str) -> None:
    found = next(each for each in formats.FORMATS if each.recognises(content))
    assert getattr(found, "__name__", "") == form


def test_no_code_asks_which_format_a_file_has() -> None:
    names = {getattr(form, "__name__", "") for form in formats.FORMATS} | {"LogFile"}
    asking = []
    for path in Path(formats.__file__).parents[2].rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                kinds = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                asking += [f"{path.name}:{node.lineno}"] if kinds & names else []
    assert not asking


def test_a_format_that_names_no_wearers_says_so() -> None:
    log = TrialLog(Source(io.BytesIO(trial("ada"))))
    with pytest.raises(el.ConfigurationError, match=r"no column .* leave out wearer="):
        LogFile.pages_by_wearer(log)
