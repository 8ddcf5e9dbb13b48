"""Whatever happens to the files of an archive: nothing wrong is read, by any reader."""

import os
import random
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.command import main
from support.logs import LOGS
from support.parquet import MARK, month_file, of_third_release, seal
from support.records import records

FIFTEEN, SIXTY = LOGS


def whole(archive: el.Archive, account: str = "ada", log: str = SIXTY) -> pd.DataFrame:
    return archive.read(log, account=account, tz="UTC")


def with_days(path: Path) -> el.Archive:
    """Two wearers, two logs, two months, and in the second of them files of a day."""
    return el.Archive(shutil.copytree(_made().name, path))


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    folder = tempfile.TemporaryDirectory()
    archive = el.Archive(folder.name)
    for seed, account in enumerate(("ada", "bea")):
        archive.write(SIXTY, records(SIXTY, "2026-10-30", 2880, seed=seed), account=account)
        each = {day: records(SIXTY, f"2026-11-{day:02}", 300, seed=seed) for day in (1, 2, 3, 4)}
        archive.write(SIXTY, pd.concat([each[1], each[4]]), account=account)
        for day in (2, 3):
            archive.write(SIXTY, each[day], account=account)
        archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 2880, seed=seed), account=account)
    return folder


READERS: dict[str, Callable[[el.Archive, Path], object]] = {
    "a frame": lambda archive, _: whole(archive),
    "six fields": lambda archive, _: archive.read(SIXTY, account="ada", tz="UTC", fields=["bl"]),
    "a table": lambda archive, _: archive.read_arrow(
        SIXTY, "2026-10-01", "2026-11-30", account="ada", fields=["bl"]
    ),
    "an export": lambda archive, tmp_path: archive.export(
        SIXTY, "2026-10-01", "2026-11-30", tmp_path / "a.csv", account="ada", tz="UTC"
    ),
    "a write": lambda archive, _: [
        archive.write(SIXTY, records(SIXTY, day, 3, seed=9), account="ada", replace=True)
        for day in ("2026-10-30", "2026-11-02")
    ],
}


def exchange(one: Path, other: Path) -> None:
    aside = one.with_suffix(".aside")
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def of(
    archive: el.Archive, month: str, begins: str = "", *, account: str = "ada", log: str = SIXTY
) -> Path:
    home = Path(archive.path, f"log={log}", f"account={account}", f"month={month}")
    (path,) = home.glob(f"{begins or month}*.parquet")
    return path


def moved(path: Path, archive: el.Archive) -> None:
    """Leave a link in place of a file or a folder."""
    elsewhere = Path(archive.path).parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


def homes(archive: el.Archive) -> list[Path]:
    return [Path(archive.path, f"log={SIXTY}", f"account={name}") for name in ("ada", "bea")]


def lists(archive: el.Archive) -> list[Path]:
    return [Path(archive.path, ".months", f"account={name}.v1.csv") for name in ("ada", "bea")]


OCTOBER, DAY = ("2026-10",), ("2026-11", "2026-11-02")
MISHAPS: dict[str, Callable[[el.Archive], object]] = {
    "two wearers": lambda a: exchange(of(a, *OCTOBER), of(a, *OCTOBER, account="bea")),
    "two months": lambda a: exchange(of(a, *OCTOBER), of(a, "2026-11", "2026-11.")),
    "two days": lambda a: exchange(of(a, *DAY), of(a, "2026-11", "2026-11-03")),
    "two logs": lambda a: exchange(of(a, *OCTOBER), of(a, *OCTOBER, log=FIFTEEN)),
    "folders of wearers": lambda a: exchange(*homes(a)),
    "all of two wearers": lambda a: (exchange(*homes(a)), exchange(*lists(a))),
    "a link": lambda a: moved(of(a, *OCTOBER), a),
    "a link of a folder": lambda a: moved(of(a, *OCTOBER).parent, a),
    "a pipe": lambda a: replaced(of(a, *DAY), os.mkfifo),
    "a pipe for the list": lambda a: replaced(lists(a)[0], os.mkfifo),
    "a folder": lambda a: replaced(of(a, *DAY), Path.mkdir),
    "one is gone": lambda a: of(a, *DAY).unlink(),
    "a month is gone": lambda a: shutil.rmtree(of(a, *OCTOBER).parent),
    "the log is gone": lambda a: shutil.rmtree(Path(a.path, f"log={SIXTY}")),
    "the list is gone": lambda a: lists(a)[0].unlink(),
}


@pytest.mark.parametrize("mishap", MISHAPS)
def test_what_is_not_in_its_place_is_an_error_for_every_reader(tmp_path: Path, mishap: str) -> None:
    archive = with_days(tmp_path / "archive")
    MISHAPS[mishap](archive)
    for name, read in READERS.items():
        with pytest.raises(el.ArchiveError, match=r"cannot read ") as caught:
            read(archive, tmp_path)
        assert "\n" not in str(caught.value), name
    assert len(archive.verify()) > 0


def test_a_repair_follows_from_every_mishap(tmp_path: Path) -> None:
    for mishap in ("two wearers", "two days", "one is gone", "a month is gone", "the list is gone"):
        archive = with_days(tmp_path / mishap)
        MISHAPS[mishap](archive)
        assert main(["archive", "verify", "--archive", archive.path]) == 1
        archive.repair()
        assert len(archive.verify()) == 0
        assert len(whole(archive)) > 0


def spoilt(archive: el.Archive, path: Path, change: Callable[[bytearray], object]) -> None:
    """Change the bytes of a file, and expect that nobody reads them."""
    before = path.read_bytes()
    body = bytearray(before)
    change(body)
    if bytes(body) == before:
        return
    path.write_bytes(body)
    with pytest.raises(el.ArchiveError, match="cannot read"):
        whole(archive)
    with pytest.raises(el.ArchiveError, match="cannot read"):
        archive.read(SIXTY, account="ada", tz="UTC", fields=["bl"])
    path.write_bytes(before)


def flip(body: bytearray, dice: random.Random) -> None:
    body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)


def run_of_damage(archive: el.Archive, files: list[Path], times: int) -> None:
    """Flip one bit, two bits, and cut: `times`, half as often, and a third as often."""
    dice = random.Random(38)
    for _ in range(times):
        spoilt(archive, dice.choice(files), lambda body: flip(body, dice))
    for _ in range(times // 2):
        spoilt(archive, dice.choice(files), lambda body: (flip(body, dice), flip(body, dice)))
    for _ in range(times // 3):
        spoilt(
            archive,
            dice.choice(files),
            lambda body: body.__delitem__(slice(dice.randrange(len(body)), None)),
        )


@pytest.mark.parametrize(
    "times",
    [pytest.param(30), pytest.param(500, marks=pytest.mark.slow("hundreds of damaged files"))],
)
def test_no_damaged_file_is_read(tmp_path: Path, times: int) -> None:
    archive = with_days(tmp_path / "archive")
    before = whole(archive)
    files = [*Path(archive.path, f"log={SIXTY}", "account=ada").rglob("*.parquet")]
    run_of_damage(archive, [*files, Path(archive.path, ".months", "account=ada.v1.csv")], times)
    pd.testing.assert_frame_equal(whole(archive), before)


# Files of older releases


@pytest.fixture
def old(tmp_path: Path) -> el.Archive:
    archive = el.Archive(tmp_path / "archive")
    for seed, account in enumerate(("ada", "bea")):
        archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440, seed=seed), account=account)
    of_third_release(archive.path)
    return archive


def test_files_of_the_third_release_are_read_and_written_anew(
    old: el.Archive, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = records(SIXTY, "2026-10-30", 4 * 1440)
    pd.testing.assert_frame_equal(whole(old), frame)
    assert old.verify()["problem"].str.startswith("of an older eyelog").tolist() == [True] * 4
    assert main(["archive", "verify", "--archive", old.path]) == 0
    out, err = capsys.readouterr()
    assert out.count("of an older eyelog: it is written anew") == 4
    assert "4 files are in the archive" in err
    assert "No damage found" in err
    old.write(SIXTY, records(SIXTY, "2026-11-02", 3, seed=4), account="ada", replace=True)
    assert old.verify()["month"].tolist() == ["2026-10", "2026-10", "2026-11"]
    assert month_file(old.path, "2026-11", account="ada").name.startswith("2026-11.1.")
    old_month = Path(old.path, f"log={SIXTY}", "account=ada", "month=2026-10", "data.parquet")
    old_month.unlink()  # the list knows it by now
    with pytest.raises(el.ArchiveError, match="it is gone"):
        whole(old)


@pytest.mark.parametrize(
    "times",
    [pytest.param(20), pytest.param(200, marks=pytest.mark.slow("hundreds of damaged files"))],
)
def test_no_damaged_file_of_the_third_release_is_read(old: el.Archive, times: int) -> None:
    files = [*Path(old.path, f"log={SIXTY}", "account=ada").rglob("data.parquet")]
    run_of_damage(old, files, times)
    assert MARK in files[0].read_bytes()


def test_exchanged_files_of_the_third_release_are_not_read(old: el.Archive) -> None:
    for mine, other in ((("ada", "10"), ("bea", "10")), (("ada", "10"), ("ada", "11"))):
        one, two = (
            Path(old.path, f"log={SIXTY}", f"account={name}", f"month=2026-{month}", "data.parquet")
            for name, month in (mine, other)
        )
        exchange(one, two)
        with pytest.raises(el.ArchiveError, match=r"its metadata says|stamps of another month"):
            whole(old)
        exchange(one, two)
    assert len(whole(old)) == 4 * 1440


def test_files_of_the_first_releases_are_read(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 4 * 1440), account="ada")
    of_third_release(archive.path, sealed=False)
    pd.testing.assert_frame_equal(whole(archive), records(SIXTY, "2026-10-30", 4 * 1440))
    assert archive.verify()["problem"].str.startswith("of an older eyelog").all()


def test_a_file_of_a_newer_release_is_refused_with_a_sentence(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path)
    archive.write(SIXTY, records(SIXTY, "2026-10-30", 100), account="ada")
    (path,) = of_third_release(archive.path, sealed=False)
    seal(path, version=2)
    with pytest.raises(el.ArchiveError, match="written by a newer version of eyelog: update it"):
        whole(archive)
