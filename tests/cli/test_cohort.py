"""The cohort on the command line: a report on stdout, reasons on stderr, a status."""

import json
from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from support.cohorts import SIXTY, damage, fill
from support.command import main


@pytest.fixture
def archive(tmp_path: Path) -> el.Archive:
    return fill(el.Archive(tmp_path / "archive"))


@pytest.fixture
def arguments(archive: el.Archive, tmp_path: Path) -> list[str]:
    out = str(tmp_path / "out")
    return ["cohort", "daily", SIXTY, "--archive", archive.path, "-o", out, "--workers", "1"]


def test_a_failed_wearer_is_named_and_makes_the_status(archive, arguments, capsys) -> None:
    damage(archive, "ann")
    assert main([*arguments, "--json"]) == 1
    out, err = capsys.readouterr()
    assert {row["account"]: row["state"] for row in json.loads(out)}["ann"] == "failed"
    assert "error: 1 of 3 wearers failed" in err
    assert main(arguments) == 1
    assert "ann failed: 2026-09: cannot read" in capsys.readouterr().err


def test_wearers_come_from_a_file(arguments, tmp_path, capsys) -> None:
    path = tmp_path / "wearers.csv"
    path.write_text("account,tz,group\nann,Asia/Tokyo,a\nAnn,Asia/Tokyo,b\n")
    assert main([*arguments, "--wearers", str(path), "--accounts", "ann,Ann"]) == 0
    table = pd.read_parquet(tmp_path / "out")
    assert table.groupby("group").size().to_dict() == {"a": 6, "b": 6}
    capsys.readouterr()
    for name, text in (("no.txt", ""), ("no.parquet", "x"), ("empty.csv", "")):
        (tmp_path / name).write_text(text)
        assert main([*arguments, "--wearers", str(tmp_path / name)]) == 1
        assert f"cannot read {tmp_path / name}" in capsys.readouterr().err


def test_the_default_archive_is_that_of_the_home(home, tmp_path, capsys) -> None:
    assert main(["cohort", "daily", SIXTY, "-o", str(tmp_path / "out")]) == 1
    assert f"the archive {home / 'archive'} has no '{SIXTY}'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_simulated_cohort_is_summarised_with_its_own_table(tmp_path, capsys) -> None:
    people, archive = str(tmp_path / "people.csv"), str(tmp_path / "simulated")
    words = "--wearers 2 --days 1 --start 2026-10-19 --tz Asia/Tokyo,UTC --effect 1.2 --workers 1"
    simulate = ["cohort", "simulate", "--archive", archive, "--log", SIXTY, *words.split()]
    assert main([*simulate, "-o", people]) == 0
    assert "2 wearers with 1 days each" in capsys.readouterr().err
    out = str(tmp_path / "out")
    daily = ["cohort", "daily", SIXTY, "--archive", archive, "-o", out, "--workers", "1"]
    assert main([*daily, "--wearers", people]) == 0
    table = pd.read_parquet(out)
    assert sorted(table["group"]) == ["control", "treated"]
    capsys.readouterr()
    assert main([*simulate, "--json"]) == 0
    assert [row["group"] for row in json.loads(capsys.readouterr().out)] == ["control", "treated"]
