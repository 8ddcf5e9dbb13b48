"""A format is one subclass of `LogFile` and one line in `FORMATS`; everything else follows."""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.arrow_tables import STAMP
from eyelog.read import head as formats
from eyelog.read.files import Source
from eyelog.read.format import LogFile
from support.loggerfiles import zipped
from support.logs import LOGS, columns

FIFTEEN = LOGS[0]


class TrialLog(LogFile):
    """A format of the tests: a mark, the wearer's name, and pairs of UNIX seconds and steps."""

    pandas: ClassVar[str] = "read_trial"

    @staticmethod
    def recognises(start: bytes) -> bool:
        return start.startswith(b"TRIAL")

    def __init__(self, source: Source) -> None:
        super().__init__(FIFTEEN, source)
        _, name, pairs = source.whole().split(b"\n", 2)
        self.names = frozenset({"stp"})
        self.owner, self._pairs = name.decode(), list(struct.iter_unpack("<qd", pairs))
        self.zones = {"+09:00"}
        self.notes.append("it is a trial")

    def tables(self) -> Iterator[pa.Table]:
        stamps = pa.array([at * 1_000_000 for at, _ in self._pairs]).cast(STAMP)
        steps = pa.array([steps for _, steps in self._pairs])
        yield self.records({"date": stamps, "stp": steps}, np.arange(40))


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
    with pytest.raises(el.ConfigurationError, match=r"several accounts \(ada, bob\)"):
        el.read(folder)
    files = [path for path in folder.iterdir() if path.suffix != ".zip"]
    frame = el.read(files)
    assert list(frame.columns) == [name for name in columns(FIFTEEN) if name in ("stp", "bk_n")]
    assert frame["stp"].sum() == sum(range(40))
    assert str(frame.index.tz) == "UTC+09:00"
    trials = [each for each in folder.iterdir() if each.suffix != ".csv"]
    assert_frame_equal(el.read(trials, wearer="bob"), el.read(folder / "more.zip"))
    assert len(el.read(trials, device="CDC000000001")) == 40
    with pytest.raises(el.ConfigurationError, match=r"no file has rows .*'eve', only of 'ada'"):
        el.read(trials, wearer="eve")
