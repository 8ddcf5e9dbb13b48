"""Accounts are names and never paths, whatever they look like."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.cohorts import SIXTY, days_of
from support.command import main

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


def test_every_account_is_in_the_dataset_that_parquet_tools_read(folder: Path) -> None:
    days = pd.read_parquet(folder / "days")
    assert set(days.index.get_level_values("account")) == set(ODD)
    again = el.cohort.daily(
        el.Archive(folder / "archive"), log=SIXTY, out=folder / "days", workers=1
    )
    assert set(again["state"]) == {"unchanged"}
    assert inside(folder) == {"one", "one/two", "one/two/archive", "one/two/days"}


def test_no_function_leaves_the_folder(folder: Path, tmp_path: Path) -> None:
    archive, before = el.Archive(folder / "archive"), inside(folder)
    wearers = pd.DataFrame({"account": ODD, "group": (["a", "b", "c"] * 9)[: len(ODD)]})
    days = el.cohort.daily(archive, SIXTY, wearers=wearers, workers=1)
    counted = el.cohort.apply(
        archive, len, log=SIXTY, fields="wea_s", out=tmp_path / "n", workers=1
    )
    assert counted["days"].gt(0).all()
    assert len(pd.read_parquet(tmp_path / "n")) == len(ODD)
    assert el.cohort.summary(days, by="group").attrition["wearers"].iloc[0] == len(ODD)
    found = el.cohort.differences(days, by="group", outcomes="worn_h")
    assert found["wearers_group"].tolist() == [5, 5]
    hidden = el.cohort.pseudonymise(days, key_file=tmp_path / "key")
    assert hidden.index.get_level_values("account").str.fullmatch("[0-9a-f]{16}").all()
    assert inside(folder) == before
    assert {path.name for path in tmp_path.iterdir()} == {"n", "key"}


@pytest.mark.slow("a cohort's report is made")
def test_the_report_escapes_every_account(folder: Path, tmp_path: Path) -> None:
    page = el.report_cohort(folder / "days", tmp_path / "r.html").read_text()
    assert "15 of 15 wearers" in page
    assert "x\\x00y" in page
    assert not {"\x00", "\u202e"} & set(page)


@pytest.mark.parametrize("account", NOT_THERE)
def test_an_account_that_is_not_there_is_named_and_nothing_is_written(
    folder: Path, tmp_path: Path, account: str
) -> None:
    archive, before = el.Archive(folder / "archive"), inside(folder)
    report = el.cohort.daily(
        archive, log=SIXTY, accounts=[account], out=tmp_path / "out", workers=1
    )
    assert report["state"].tolist() == ["failed"]
    assert report["reason"].str.contains("no standard_mode_logs records").all()
    assert {path.name for path in tmp_path.glob("*/*")} <= {
        *("_recipe.json", "_report.parquet", ".lock"),
    }
    assert inside(folder) == before


@pytest.mark.parametrize("account", ["", "\ud800", 3, None])
def test_what_is_no_name_is_one_line(folder: Path, account: object) -> None:
    archive = el.Archive(folder / "archive")
    for call in (el.cohort.daily, lambda *a, **b: el.cohort.apply(*a, len, **b)):
        with pytest.raises(el.ConfigurationError, match="accounts must be names"):
            call(archive, log=SIXTY, accounts=[account])  # type: ignore[operator]
    wearers = pd.DataFrame({"account": pd.Series(["a", account], dtype=object)})
    if account != 3:
        with pytest.raises(el.ConfigurationError, match="the table of wearers has a"):
            el.cohort.daily(archive, SIXTY, wearers=wearers, workers=1)


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
