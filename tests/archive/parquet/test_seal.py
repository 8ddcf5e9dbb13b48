"""A wrong bit anywhere in a month file is found, or does not matter."""

import random
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.archive.damage import is_damage
from eyelog.archive.parquet.seal import MARK, SEALED
from eyelog.catalogue import LOGS
from support.parquet import sealed_by_0_2_0, without_seal
from support.records import records

SIXTY = LOGS[1]


@pytest.fixture
def path(archive: el.Archive) -> Path:
    frame = records(SIXTY, "2026-10-01", 12 * 1440).iloc[::10]
    archive.write(SIXTY, frame, account="me")
    (path,) = Path(archive.path).rglob("*.parquet")
    return path


def flip(path: Path, content: bytes, at: int, bit: int) -> None:
    changed = bytearray(content)
    changed[at] ^= 1 << bit
    path.write_bytes(changed)


def found_by(archive: el.Archive, expected: pd.DataFrame) -> str:
    """Return whether a read gave the records or an error; anything else fails the test."""
    try:
        frame = archive.read(SIXTY)
    except el.ArchiveError as error:
        message = str(error)
    else:
        assert_frame_equal(frame, expected)
        return "equal"
    assert "data.parquet: " in message
    assert "`eyelog archive repair`" in message
    return "refused"


def flip_many(archive: el.Archive, path: Path, times: int, seed: int) -> Counter[str]:
    content, expected = path.read_bytes(), archive.read(SIXTY)
    footer = len(content) - content.index(MARK)
    draw = random.Random(seed)
    seen: Counter[str] = Counter()
    for number in range(times):
        # Every other one hits the footer or the seal, which are a small part of the file.
        low = 0 if number % 2 else len(content) - footer - 4000
        at = draw.randrange(low, len(content))
        flip(path, content, at, draw.randrange(8))
        seen[found_by(archive, expected)] += 1
    path.write_bytes(content)
    return seen


def test_no_wrong_bit_gives_wrong_records(archive: el.Archive, path: Path) -> None:
    assert flip_many(archive, path, 400, seed=1)["refused"] > 390


@pytest.mark.slow
def test_no_wrong_bit_of_ten_thousand_gives_wrong_records(archive: el.Archive, path: Path) -> None:
    seen = flip_many(archive, path, 10_000, seed=2)
    sys.stdout.write(f"{dict(seen)}\n")
    assert seen["refused"] > 9_900


def flip_pairs(archive: el.Archive, path: Path, times: int, seed: int) -> None:
    """Flip a bit of the mark and one anywhere: no read may be wrong, and verify must see each."""
    content, expected = path.read_bytes(), archive.read(SIXTY)
    mark = content.index(MARK)
    draw = random.Random(seed)
    for number in range(times):
        changed = bytearray(content)
        changed[mark + draw.randrange(len(MARK))] ^= 1 << draw.randrange(8)
        # Every other one hits the footer or the seal.
        low = 0 if number % 2 else mark - 4000
        changed[draw.randrange(low, len(changed))] ^= 1 << draw.randrange(8)
        if changed == content:  # twice the same bit
            continue
        path.write_bytes(changed)
        assert found_by(archive, expected) == "refused"
        (problem,) = archive.verify()["problem"]
        assert is_damage(problem)
        if number % 10 == 0:
            assert len(archive.protect()) == 0
            assert path.read_bytes() == changed
    path.write_bytes(content)
    assert_frame_equal(archive.read(SIXTY), expected)


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True])
def test_no_pair_of_wrong_bits_makes_a_sealed_file_look_old(
    archive: el.Archive, path: Path, old: bool
) -> None:
    if old:
        sealed_by_0_2_0(path)
    flip_pairs(archive, path, 300, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("old", [False, True])
def test_no_pair_of_ten_thousand_makes_a_sealed_file_look_old(
    archive: el.Archive, path: Path, old: bool
) -> None:
    if old:
        sealed_by_0_2_0(path)
    flip_pairs(archive, path, 10_000, seed=5)


def test_a_file_of_0_2_0_is_read_and_checked_as_it_is(archive: el.Archive, path: Path) -> None:
    expected = archive.read(SIXTY)
    sealed_by_0_2_0(path)
    before = path.read_bytes()
    assert SEALED not in before
    assert_frame_equal(archive.read(SIXTY), expected)
    assert len(archive.verify()) == len(archive.protect()) == 0
    assert path.read_bytes() == before


@pytest.mark.parametrize("old", [False, True])
def test_a_mark_that_is_destroyed_whole_is_damage(
    archive: el.Archive, path: Path, old: bool
) -> None:
    if old:
        sealed_by_0_2_0(path)
    content = path.read_bytes()
    path.write_bytes(content.replace(MARK, bytes(len(MARK))))
    with pytest.raises(el.ArchiveError, match="eyelog archive repair"):
        archive.read(SIXTY)
    (problem,) = archive.verify()["problem"]
    assert problem == "it has the rest of a damaged seal"
    assert len(archive.protect()) == 0
    assert archive.repair()["month"].tolist() == ["2026-10"]


def test_a_seal_that_was_cut_out_is_damage(archive: el.Archive, path: Path) -> None:
    content = path.read_bytes()
    footer = content[content.index(MARK) + len(MARK) :]
    path.write_bytes(content[: content.rindex(b'{"version":1,"columns"')] + footer)
    with pytest.raises(el.ArchiveError, match="its metadata says that it is sealed"):
        archive.read(SIXTY)
    assert len(archive.protect()) == 0


@pytest.mark.slow
def test_each_of_the_last_and_first_bytes_is_covered(archive: el.Archive, path: Path) -> None:
    content, expected = path.read_bytes(), archive.read(SIXTY)
    mark = content.index(MARK)
    for at in [*range(12), *range(mark - 12, mark + 20), *range(len(content) - 40, len(content))]:
        for bit in range(8):
            flip(path, content, at, bit)
            found = found_by(archive, expected)
            # Nothing reads the PAR1 at the beginning.
            assert found == ("equal" if at < 4 else "refused"), (at, bit)


def test_a_damaged_footer_is_found_by_every_way_to_the_records(
    archive: el.Archive, path: Path, tmp_path: Path
) -> None:
    content = path.read_bytes()
    flip(path, content, len(content) - 3000, 2)
    damaged = path.read_bytes()
    frame = records(SIXTY, "2026-10-20", 3)
    day = "2026-10-02"
    for way in (
        lambda: archive.read(SIXTY, day, day, fields=["bl"]),
        lambda: archive.read_arrow(SIXTY, day, day, fields=["bl"]),
        lambda: archive.export(SIXTY, day, day, tmp_path / "out.csv"),
        lambda: archive.write(SIXTY, frame, account="me"),
    ):
        with pytest.raises(el.ArchiveError, match=r"data\.parquet: .*`eyelog archive repair`"):
            way()
    with pytest.warns(el.EyelogWarning, match="2026-10 is damaged"):
        assert archive.inventory()["damaged"].tolist() == [1]
    assert archive.verify()["problem"].tolist() == ["its footer is not the one that was sealed"]
    assert path.read_bytes() == damaged
    assert archive.repair()["month"].tolist() == ["2026-10"]


def test_a_write_that_would_copy_a_damaged_group_raises(archive: el.Archive, path: Path) -> None:
    content = path.read_bytes()
    flip(path, content, 2000, 3)  # in the first group; the write concerns the last
    damaged = path.read_bytes()
    with pytest.raises(el.ArchiveError, match="row group 0"):
        archive.write(SIXTY, records(SIXTY, "2026-10-12 23:59", 1, seed=3), account="me")
    assert path.read_bytes() == damaged


def test_other_tools_read_a_sealed_file_and_write_one_without_a_seal(
    archive: el.Archive, path: Path
) -> None:
    expected = archive.read(SIXTY)
    table = pq.read_table(path, partitioning=None)
    assert table.num_rows == len(expected)
    assert pd.read_parquet(path)["bl"].equals(expected["bl"].reset_index(drop=True))
    pq.write_table(table, path)
    assert MARK not in path.read_bytes()
    assert_frame_equal(archive.read(SIXTY), expected)


def test_a_column_whose_name_begins_like_another_is_checked_and_read(archive: el.Archive) -> None:
    frame = records(SIXTY, "2026-10-01", 50).assign(**{"bl.x": 1.5})
    with pytest.warns(el.EyelogWarning, match="unknown"):
        archive.write(SIXTY, frame, account="me")
    found = archive.read(SIXTY, "2026-10-01", "2026-10-01", fields=["bl"])
    assert_frame_equal(found, frame[["bl"]])


def test_an_old_file_is_read_and_a_bare_error_never_leaves_it(
    archive: el.Archive, path: Path
) -> None:
    expected = archive.read(SIXTY)
    without_seal(path)
    assert_frame_equal(archive.read(SIXTY), expected)
    content = path.read_bytes()
    start = len(content) - 8 - pq.read_metadata(path).serialized_size
    draw = random.Random(3)
    for _ in range(200):
        flip(path, content, draw.randrange(start, len(content)), draw.randrange(8))
        with suppress(el.ArchiveError, el.EyelogWarning):
            archive.read(SIXTY)


def test_wrong_limits_of_an_old_file_are_found_by_verify(archive: el.Archive, path: Path) -> None:
    without_seal(path)
    content = path.read_bytes()
    limit = pq.read_metadata(path).row_group(0).column(0).statistics.max_raw
    stored = limit.to_bytes(8, "little")
    path.write_bytes(content.replace(stored, (limit + 60_000_000).to_bytes(8, "little")))
    (problem,) = archive.verify()["problem"]
    assert problem.startswith("row group 0 has stamps from 2026-10-01T00:00:00")
    assert len(archive.protect()) == 0
    assert MARK not in path.read_bytes()


def test_a_reader_of_the_seal_finds_what_it_says(archive: el.Archive, path: Path) -> None:
    content = path.read_bytes()
    frame = archive.read(SIXTY)
    body = content[: content.index(MARK) - 8]
    seal = pa.py_buffer(body[body.rindex(b'{"version":1') :]).to_pybytes().decode()
    assert '["bl","double"]' in seal
    assert f'"first":{frame.index[0].value // 1000}' in seal
