"""Who takes part: the table of wearers, their zones, and accounts of any name."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.cohorts import SIXTY, days_of
from support.command import main


def of(archive: el.Archive, table: pd.DataFrame, **more: object) -> pd.DataFrame:
    """Return the first row of each wearer."""
    settings = {"wearers": table, "workers": 1, **more}
    return el.cohort.daily(archive, SIXTY, **settings).groupby(level="account").first()  # type: ignore[arg-type]


def test_the_zone_of_the_table_goes_before_the_common_one(
    kept: el.Archive, wearers: pd.DataFrame
) -> None:
    wearers.loc[2, "tz"] = None
    people = of(kept, wearers, tz="Asia/Seoul")
    assert people["tz"].to_dict() == {
        "ann": "Asia/Tokyo", "../bob": "America/New_York", "Ann": "Asia/Seoul"
    }  # fmt: skip
    assert people.loc["Ann", ["group", "age"]].tolist() == ["a", 50]
    indexed = of(kept, wearers.set_index("account"), tz="Asia/Seoul")
    pd.testing.assert_frame_equal(indexed, people)


def test_each_wearer_has_the_zone_that_the_archive_keeps(archive: el.Archive) -> None:
    for account, tz in (("ann", "Asia/Tokyo"), ("../bob", "Europe/Berlin"), ("Ann", "UTC")):
        archive.set_zones(tz, account=account)
    table = el.cohort.daily(archive, SIXTY, workers=1)
    for account in ("ann", "../bob"):
        alone = el.daily(archive.read(SIXTY, "2026-09-01", "2026-10-31", account=account))
        assert table.loc[account, "steps"].tolist() == alone["steps"].tolist()


def test_a_wearer_without_a_row_is_named(kept: el.Archive, wearers: pd.DataFrame) -> None:
    with pytest.warns(el.EyelogWarning, match=r"1 wearer\(s\) without a row .*: 'ann'"):
        people = of(kept, wearers[wearers["account"] != "ann"])
    assert people["group"].isna().to_dict() == {"ann": True, "../bob": False, "Ann": False}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"name": ["ann"]}), "no column 'account'"),
        (pd.DataFrame({"account": ["ann", "ann"]}), "several rows for 'ann'"),
        (pd.DataFrame({"account": ["ann", None]}), "a row without an account"),
        (pd.DataFrame({"account": ["ann", ""]}), "the table of wearers has a"),
        (pd.DataFrame({"account": ["ann"], "tz": ["Mars"]}), "'ann': unknown time zone"),
        (pd.DataFrame([["ann", 1]], columns=["account", 7]), "need one name each"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*without a row")
def test_a_table_that_cannot_be_used_is_one_line(
    kept: el.Archive, table: pd.DataFrame, said: str
) -> None:
    with pytest.raises(el.ConfigurationError, match=said):
        of(kept, table)


# Accounts are names and never paths, whatever they look like.

ODD = (
    *("..", "a/b", "%2e", "con", "_ann", ".hidden", "/etc/x", "..\\up", "x\x00y", "a\nb"),
    *("account=1", "Ünï\u202ecode", " ", "all", "-o"),
)
NOT_THERE = ("../../etc", "%2e%2e", "nul\x00", "x" * 300)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an archive of odd accounts and the days of them, two levels down."""
    inner = tmp_path_factory.mktemp("odd") / "one" / "two"
    archive = el.Archive(inner / "archive")
    for account in ODD:
        archive.write(SIXTY, days_of(0).iloc[500:800], account=account)
    report = el.cohort.daily(archive, SIXTY, out=inner / "days", workers=1)
    assert report["account"].tolist() == sorted(ODD)
    assert set(report["state"]) == {"done"}
    return inner


def inside(folder: Path) -> set[str]:
    """Return what lies in the outer folder and beside the archive."""
    outer = folder.parents[1]
    return {
        str(p.relative_to(outer)) for at in (outer, folder.parent, folder) for p in at.iterdir()
    }


def test_no_function_leaves_the_folder(folder: Path, tmp_path: Path) -> None:
    archive = el.Archive(folder / "archive")
    days = pd.read_parquet(folder / "days")
    assert set(days.index.get_level_values("account")) == set(ODD)
    again = el.cohort.daily(archive, SIXTY, out=folder / "days", workers=1)
    assert set(again["state"]) == {"unchanged"}
    wearers = pd.DataFrame({"account": ODD, "group": (["a", "b", "c"] * 9)[: len(ODD)]})
    days = el.cohort.daily(archive, SIXTY, wearers=wearers, workers=1)
    out = tmp_path / "n"
    counted = el.cohort.apply(archive, len, log=SIXTY, fields="wea_s", out=out, workers=1)
    assert counted["days"].gt(0).all()
    assert len(pd.read_parquet(out)) == len(ODD)
    assert el.cohort.summary(days, by="group").attrition["wearers"].iloc[0] == len(ODD)
    found = el.cohort.differences(days, by="group", outcomes="worn_h")
    assert found["wearers_group"].tolist() == [5, 5]
    hidden = el.cohort.pseudonymise(days, key_file=tmp_path / "key")
    assert hidden.index.get_level_values("account").str.fullmatch("[0-9a-f]{16}").all()
    assert inside(folder) == {"one", "one/two", "one/two/archive", "one/two/days"}
    assert {path.name for path in tmp_path.iterdir()} == {"n", "key"}


@pytest.mark.slow("a cohort's report is made")
def test_the_report_escapes_every_account(folder: Path, tmp_path: Path) -> None:
    page = el.report_cohort(folder / "days", tmp_path / "r.html").read_text()
    assert "15 of 15 wearers" in page
    assert "x\\x00y" in page
    assert not {"\x00", "\u202e"} & set(page)


def test_an_account_that_is_not_there_is_named_and_nothing_is_written(
    folder: Path, tmp_path: Path
) -> None:
    archive, before = el.Archive(folder / "archive"), inside(folder)
    report = el.cohort.daily(archive, SIXTY, accounts=NOT_THERE, out=tmp_path / "out", workers=1)
    assert report["account"].tolist() == sorted(NOT_THERE)
    assert set(report["state"]) == {"failed"}
    assert report["reason"].str.contains("no standard_mode_logs records").all()
    written = {path.name for path in tmp_path.glob("*/*")}
    assert written <= {"_recipe.json", "_report.parquet", ".lock"}
    assert inside(folder) == before


@pytest.mark.parametrize("account", ["", "\ud800", 3, None])
def test_what_is_no_name_is_one_line(folder: Path, account: object) -> None:
    archive = el.Archive(folder / "archive")
    for call in (el.cohort.daily, lambda *a, **b: el.cohort.apply(*a, len, **b)):
        with pytest.raises(el.ConfigurationError, match="accounts must be names"):
            call(archive, log=SIXTY, accounts=[account])  # type: ignore[operator]


def test_the_command_takes_names_and_not_paths(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, out = inside(folder), str(tmp_path / "out")
    daily = ["cohort", "daily", SIXTY, "--archive", str(folder / "archive"), "-o", out]
    assert main([*daily, "--workers", "1", "--accounts", "..,a/b,%2e"]) == 0
    assert set(pd.read_parquet(out).index.get_level_values("account")) == {"..", "a/b", "%2e"}
    for names, status in (("../../etc,..", 1), ("x" * 300, 1), ("\udcff", 1), (",", 2)):
        assert main([*daily, "--workers", "1", "--accounts", names]) == status
        assert "Traceback" not in capsys.readouterr().err
    assert inside(folder) == before
    assert {path.name for path in tmp_path.iterdir()} == {"out"}
