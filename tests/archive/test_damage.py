"""Whatever happens to the files of an archive: nothing wrong is read, by any reader."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.export import csv_pieces
from eyelog.archive.place import open_place
from support.command import main
from support.logs import LOGS
from support.parquet import MARK, month_file, of_third_release, seal
from support.records import records

FIFTEEN, SIXTY = LOGS


def whole(archive: el.Archive, account: str = "ada", log: str = SIXTY) -> pd.DataFrame:
    return archive.read(log, account=account, tz="UTC")


def with_days(path: Path) -> el.Archive:
    """Two wearers, two logs, two months, and in the second of them files of a day."""
    archive = el.Archive(path)
    for seed, account in enumerate(("ada", "bea")):
        archive.write(SIXTY, records(SIXTY, "2026-10-30", 2880, seed=seed), account=account)
        for day in ("2026-11-01", "2026-11-02", "2026-11-03"):
            archive.write(SIXTY, records(SIXTY, day, 300, seed=seed), account=account)
        archive.write(FIFTEEN, records(FIFTEEN, "2026-10-30", 2880, seed=seed), account=account)
    return archive


READERS: dict[str, Callable[[el.Archive, Path], object]] = {
    "a frame": lambda archive, _: whole(archive),
    "six fields": lambda archive, _: archive.read(SIXTY, account="ada", tz="UTC", fields=["bl"]),
    "a table": lambda archive, _: archive.read_arrow(
        SIXTY, "2026-10-01", "2026-11-30", account="ada", fields=["bl"]
    ),
    "an export": lambda archive, tmp_path: archive.export(
        SIXTY, "2026-10-01", "2026-11-30", tmp_path / "a.csv", account="ada", tz="UTC"
    ),
    "a download": lambda archive, _: [
        list(csv_pieces(open_place(archive.path), SIXTY, "ada", month, el.Zones("UTC")))
        for month in ("2026-10", "2026-11")
    ],
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


def two_wearers(archive: el.Archive) -> None:
    exchange(of(archive, "2026-10"), of(archive, "2026-10", account="bea"))


def two_months(archive: el.Archive) -> None:
    exchange(of(archive, "2026-10"), of(archive, "2026-11", "2026-11."))


def two_days(archive: el.Archive) -> None:
    exchange(of(archive, "2026-11", "2026-11-02"), of(archive, "2026-11", "2026-11-03"))


def two_logs(archive: el.Archive) -> None:
    exchange(of(archive, "2026-10"), of(archive, "2026-10", log=FIFTEEN))


def folders_of_wearers(archive: el.Archive) -> None:
    root = Path(archive.path, f"log={SIXTY}")
    exchange(root / "account=ada", root / "account=bea")


def all_of_two_wearers(archive: el.Archive) -> None:
    folders_of_wearers(archive)
    root = Path(archive.path, ".months")
    exchange(root / "account=ada.v1.csv", root / "account=bea.v1.csv")


def a_link(archive: el.Archive) -> None:
    path = of(archive, "2026-10")
    shutil.copy(path, Path(archive.path).parent / "elsewhere")
    path.unlink()
    path.symlink_to(Path(archive.path).parent / "elsewhere")


def a_link_of_a_folder(archive: el.Archive) -> None:
    home = of(archive, "2026-10").parent
    home.rename(Path(archive.path).parent / "elsewhere")
    home.symlink_to(Path(archive.path).parent / "elsewhere")


def a_pipe(archive: el.Archive) -> None:
    path = of(archive, "2026-11", "2026-11-02")
    path.unlink()
    os.mkfifo(path)


def a_pipe_for_the_list(archive: el.Archive) -> None:
    path = Path(archive.path, ".months", "account=ada.v1.csv")
    path.unlink()
    os.mkfifo(path)


def a_folder(archive: el.Archive) -> None:
    path = of(archive, "2026-11", "2026-11-02")
    path.unlink()
    path.mkdir()


def one_is_gone(archive: el.Archive) -> None:
    of(archive, "2026-11", "2026-11-02").unlink()


def a_month_is_gone(archive: el.Archive) -> None:
    shutil.rmtree(of(archive, "2026-10").parent)


def the_log_is_gone(archive: el.Archive) -> None:
    shutil.rmtree(Path(archive.path, f"log={SIXTY}"))


def the_list_is_gone(archive: el.Archive) -> None:
    Path(archive.path, ".months", "account=ada.v1.csv").unlink()


def of(
    archive: el.Archive, month: str, begins: str = "", *, account: str = "ada", log: str = SIXTY
) -> Path:
    home = Path(archive.path, f"log={log}", f"account={account}", f"month={month}")
    (path,) = home.glob(f"{begins or month}*.parquet")
    return path


MISHAPS = (
    two_wearers,
    two_months,
    two_days,
    two_logs,
    folders_of_wearers,
    all_of_two_wearers,
    a_link,
    a_link_of_a_folder,
    a_pipe,
    a_pipe_for_the_list,
    a_folder,
    one_is_gone,
    a_month_is_gone,
    the_log_is_gone,
    the_list_is_gone,
)


@pytest.mark.parametrize("mishap", MISHAPS, ids=lambda mishap: mishap.__name__)
def test_what_is_not_in_its_place_is_an_error_for_every_reader(
    tmp_path: Path, mishap: Callable[[el.Archive], None]
) -> None:
    archive = with_days(tmp_path / "archive")
    mishap(archive)
    for name, read in READERS.items():
        with pytest.raises(el.ArchiveError, match=r"cannot read ") as caught:
            read(archive, tmp_path)
        assert "\n" not in str(caught.value), name
    assert len(archive.verify()) > 0


def test_a_repair_follows_from_every_mishap(tmp_path: Path) -> None:
    for mishap in (two_wearers, two_days, one_is_gone, a_month_is_gone, the_list_is_gone):
        archive = with_days(tmp_path / mishap.__name__)
        mishap(archive)
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
