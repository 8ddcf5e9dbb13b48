"""Records wait in memory or on the disk, and nobody sees which."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.archive.importing.layers import Layer, layer_of
from eyelog.archive.importing.waiting import Waiting
from support.loggerfiles import FIFTEEN, HOURS


def part(low: int, high: int) -> Layer:
    return layer_of(HOURS[FIFTEEN].iloc[low:high], FIFTEEN)


def same(one: Layer, other: Layer) -> bool:
    assert one.columns.keys() == other.columns.keys()
    return bool((one.stamps == other.stamps).all()) and all(
        list(map(str, one.columns[name])) == list(map(str, other.columns[name]))
        for name in one.columns
    )


@given(
    st.lists(st.tuples(st.integers(0, 200), st.integers(1, 60)), min_size=1, max_size=6),
    st.integers(1, 100),
    st.tuples(st.integers(0, 250), st.integers(0, 250)),
)
def test_what_waits_on_the_disk_comes_back_as_from_memory(parts, most, edges) -> None:
    layers = [part(low, low + length) for low, length in parts]
    memory: Waiting[int] = Waiting(10**9)
    disk: Waiting[int] = Waiting(most)
    for at, layer in enumerate(layers):
        memory.add(at, layer)
        disk.add(at, layer)
    first, after = (int(HOURS[FIFTEEN].index.asi8[edge]) for edge in sorted(edges))
    wanted, found = memory.between(first, after), disk.between(first, after)
    assert [at for at, _ in found] == [at for at, _ in wanted]
    assert all(same(one, other) for (_, one), (_, other) in zip(found, wanted, strict=True))
    assert (disk.stamps() == memory.stamps()).all()
    disk.close()


def test_a_damaged_file_is_dropped_and_nothing_stays_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    waiting: Waiting[str] = Waiting(50)
    names = [str(at) for at in range(3)]
    for at, name in enumerate(names):
        waiting.add(name, part(40 * at, 40 * at + 40))
    [folder] = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    waiting.drop(names[0])
    kept = part(40, 120)
    assert (waiting.stamps() == kept.stamps).all()
    found = waiting.between(0, int(np.iinfo(np.int64).max))
    assert [name for name, _ in found] == names[1:]
    waiting.close()
    assert list(tmp_path.iterdir()) == []
