"""A file with the rows of several wearers: whose they are is asked, never guessed."""

import json
from pathlib import Path

import numpy as np
import pytest

import eyelog as el
from support.importing import import_files
from support.loggerfiles import Put
from support.logs import LOGS

FIFTEEN = LOGS[0]
IDS = ("ada", "Bob/../x", "7")


def table(ids: tuple[str, ...] = IDS, *, column: str = "user_id", rows: int = 20) -> str:
    """Return rows of several wearers on the same stamps, in turn."""
    lines = [f"{column},date,stp,bk_n"]
    for row in range(rows):
        stamp = f"2026-10-21T00:{row // 4:02d}:{row % 4 * 15:02d}Z"
        lines += [f"{each},{stamp},{row},{at}" for at, each in enumerate(ids)]
    return "\n".join(lines) + "\n"


def steps(archive: el.Archive, account: str) -> list[float]:
    frame = archive.read(FIFTEEN, "2026-10-21", "2026-10-21", account=account)
    assert frame["bk_n"].nunique() == 1
    return frame["stp"].tolist()


@pytest.mark.parametrize("column", ["user_id", "userId", "WEARER", "participant_id", "subject_id"])
def test_several_wearers_are_refused_with_their_names(
    archive: el.Archive, put: Put, column: str
) -> None:
    path = put(table(column=column))
    with pytest.raises(el.ArchiveError, match=rf"{column}' is '7', 'Bob/../x', 'ada'.*wearer="):
        el.read(path)
    (report,) = import_files(archive, [path])
    assert (report.status, report.kept) == ("refused", 0)
    assert "--split-wearers" in report.reason
    assert not Path(archive.path).exists()


@pytest.mark.parametrize("chosen", [{"split_wearers": True}, {"wearer": "ada"}])
def test_rows_below_a_header_without_wearers_are_nobodys_and_counted(
    archive: el.Archive, put: Put, chosen: dict[str, object]
) -> None:
    rows = "".join(f"2026-10-22T00:{row:02d}:15Z,1\n" for row in range(20))
    path = put(table(("ada",)) + "date,stp\n" + rows)
    with pytest.warns(el.EyelogWarning, match="line 23: it does not name its wearer"):
        reports = import_files(archive, [path], account="me", **chosen)
    assert sum(report.read for report in reports) == 40
    assert sum(report.kept for report in reports) == 20
    assert sum(report.refused for report in reports) == 20
    assert archive.accounts() == ["ada" if "split_wearers" in chosen else "me"]


def test_two_spellings_of_a_wearer_in_one_file_are_one_account(
    archive: el.Archive, put: Put
) -> None:
    first, second = table(("jos\u00e9",)), table(("jose\u0301",)).replace("-21T", "-22T")
    reports = import_files(archive, [put(first + second)], split_wearers=True)
    assert sum(report.kept for report in reports) == 40
    (account,) = archive.accounts()
    assert len(archive.read(FIFTEEN, "2026-10-21", "2026-10-22", account=account)) == 40


def test_each_wearer_goes_into_an_account_of_that_name(archive: el.Archive, put: Put) -> None:
    plain = put("date,stp\n2026-10-22T00:00:15Z,3\n", "plain.csv")
    reports = import_files(archive, [put(table()), plain], account="me", split_wearers=True)
    assert [(each.account, each.read, each.kept) for each in reports] == [
        ("7", 20, 20), ("Bob/../x", 20, 20), ("ada", 20, 20), ("me", 1, 1)
    ]  # fmt: skip
    assert archive.accounts() == sorted([*IDS, "me"])
    for name in IDS:
        assert steps(archive, name) == list(range(20))
    inside = {path.relative_to(archive.path).parts[0] for path in Path(archive.path).rglob("*")}
    assert inside == {f"log={FIFTEEN}", ".months"}


def test_wearers_that_are_numbers_are_names_whatever_the_format(
    archive: el.Archive, put: Put, tmp_path: Path
) -> None:
    frame = el.simulate("2026-10-21", 1, log=FIFTEEN).iloc[:40][["stp"]]
    frame["user_id"] = np.arange(40) % 2 * 12.0
    frame.to_parquet(parquet := tmp_path / "log.parquet")
    rows = [
        {"date": stamp.isoformat(), "stp": int(stp), "user_id": user}
        for stamp, stp, user in frame.itertuples()
    ]
    saved = put(json.dumps({FIFTEEN: {"0": rows}, "cursor": None}), "log.json")
    for path in (parquet, saved):
        reports = import_files(archive, [path], split_wearers=True)
        assert [(each.account, each.read) for each in reports] == [("0", 20), ("12", 20)]
        assert el.read(path, wearer="12")["stp"].tolist() == frame["stp"].iloc[1::2].tolist()


def test_a_text_field_of_numbers_holds_texts(tmp_path: Path) -> None:
    frame = el.simulate("2026-10-21", 1, log=FIFTEEN).iloc[:4]
    frame.assign(gw=7.0).to_parquet(tmp_path / "log.parquet")
    assert el.read(tmp_path / "log.parquet")["gw"].tolist() == ["7"] * 4


def test_a_row_of_nobody_is_a_line_left_out(archive: el.Archive, put: Put) -> None:
    path = put(table(("ada", "")))
    with pytest.warns(
        el.EyelogWarning, match=r"20 of 40 lines.*line 3: it does not name its wearer"
    ):
        reports = import_files(archive, [path], split_wearers=True)
    assert [(each.account, each.read, each.kept, each.refused) for each in reports] == [
        ("ada", 40, 20, 20)
    ]


def test_a_file_of_nobody_is_refused_and_rows_of_nobody_are_said(
    archive: el.Archive, put: Put
) -> None:
    nobodys, mixed = put(table(("",))), put(table(("bob", "")), "mixed.csv")
    with pytest.raises(el.ArchiveError, match=r"20 of its 20 lines.*line 2: it does not name its"):
        el.read(nobodys, wearer="ada")
    (report,) = import_files(archive, [nobodys], split_wearers=True)
    assert (report.status, report.refused) == ("refused", 0)
    assert "line 2: it does not name its wearer" in report.reason
    own = put(table(("ada",)), "own.csv")
    with pytest.warns(el.EyelogWarning, match=r"mixed\.csv: left out 20 of 40 lines"):
        assert len(el.read([own, mixed], wearer="ada")) == 20


def test_a_wearer_that_is_not_there_is_an_error(archive: el.Archive, put: Put) -> None:
    path = put(table(("ada", "bob")))
    with pytest.raises(el.ConfigurationError, match=r"no file has rows of .* 'eve', only"):
        el.read(path, wearer="eve")
    with pytest.raises(
        el.ConfigurationError, match=r"no file has rows of the wearer 'eve', only of 'ada'"
    ):
        import_files(archive, [path], wearer="eve")
    plain = put("date,stp\n2026-10-22T00:00:15Z,3\n", "plain.csv")
    with pytest.raises(el.ConfigurationError, match="no column that names each row's wearer"):
        el.read(plain, wearer="ada")
    assert "leave out wearer=" in import_files(archive, [plain], wearer="ada")[0].reason
    with pytest.raises(el.ConfigurationError, match="--split-wearers all: give one"):
        import_files(archive, [path], wearer="ada", split_wearers=True)


@pytest.fixture
def exports(tmp_path: Path) -> Path:
    """A folder with one Parquet file of each of two accounts, on the same stamps."""
    kept = el.Archive(tmp_path / "kept")
    (tmp_path / "exports").mkdir()
    for seed, account in enumerate(("ada", "ben")):
        frame = el.simulate("2026-10-21", 1, log=FIFTEEN, seed=seed).iloc[:50]
        kept.write(FIFTEEN, frame, account=account)
        path = tmp_path / "exports" / f"{account}.parquet"
        kept.export(FIFTEEN, "2026-10-21", "2026-10-21", path, account=account, location=True)
    return tmp_path / "exports"


def test_exports_of_several_accounts_are_not_put_into_one(
    archive: el.Archive, exports: Path
) -> None:
    with pytest.raises(
        el.ConfigurationError, match=r"several accounts \(ada, ben\).*split_wearers=True"
    ):
        import_files(archive, [exports])
    assert not Path(archive.path).exists()
    (report,) = import_files(archive, [exports / "ada.parquet"], account="anna")
    assert report.kept == 50  # one account may have another name here
