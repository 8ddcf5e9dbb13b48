"""Damage is what keeps a month from being read or written, and nothing else."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el
from eyelog.archive.months import damaged_months, month_problems
from eyelog.catalogue import LOGS
from support.parquet import flip_byte, spoil_chunks
from support.records import records

SIXTY = LOGS[1]
MONTH = "2026-10"


@pytest.fixture
def path(archive: el.Archive) -> Path:
    archive.write(SIXTY, records(SIXTY, "2026-10-01", 8000), account="me")
    (path,) = Path(archive.path).rglob("*.parquet")
    return path


def damage(archive: el.Archive) -> dict[str, str]:
    return damaged_months(archive._place, SIXTY, "me", [MONTH])


def test_a_sound_month_has_no_problem(archive: el.Archive, path: Path) -> None:
    assert month_problems(archive._place, SIXTY, "me", MONTH) == []
    assert damage(archive) == {}


@pytest.mark.parametrize("name", ["bl", "stp_s"])
def test_one_changed_byte_of_any_column_is_damage(
    archive: el.Archive, path: Path, name: str
) -> None:
    flip_byte(path, name)
    assert list(damage(archive)) == [MONTH]


def test_a_group_that_cannot_be_read_is_damage(archive: el.Archive, path: Path) -> None:
    spoil_chunks(path, lambda group, name: group == 1 and name == "bl")
    assert list(damage(archive)) == [MONTH]


def test_a_file_of_another_account_is_damage_and_one_of_another_program_is_not(
    archive: el.Archive, path: Path
) -> None:
    other = Path(str(path).replace("account=me", "account=eve"))
    other.parent.mkdir(parents=True)
    other.write_bytes(path.read_bytes())
    place = archive._place
    assert "'me'" in damaged_months(place, SIXTY, "eve", [MONTH])[MONTH]
    pd.read_parquet(path).reset_index().to_parquet(path, index=False)
    assert len(month_problems(place, SIXTY, "me", MONTH)) >= 1
