"""Every spelling of a column leads to one field, and no misprint to the wrong one."""

import csv
from importlib.resources import files

import pytest

from eyelog.archive.importing.field_names import fields_of, own_fields, spellings
from eyelog.catalogue import LOGS, catalogue, fold
from eyelog.errors import ArchiveError

FIFTEEN, SIXTY = LOGS


@pytest.mark.parametrize("log", LOGS)
def test_short_and_long_names_lead_to_their_field_in_any_case(log: str) -> None:
    for field in catalogue(log).values():
        for name in filter(None, (field.name, field.long_name)):
            assert fields_of([f" {name.upper()} "], log) == [field.name]


@pytest.mark.parametrize("log", LOGS)
def test_no_spelling_leads_to_two_fields(log: str) -> None:
    names = [n for f in catalogue(log).values() for n in {f.name, f.long_name} if n]
    folded = [fold(name) for name in names]
    assert len(set(folded)) == len(folded)


def test_the_other_spellings_are_new_and_of_fields_in_the_catalogue() -> None:
    table = files("eyelog").joinpath("othernames.csv").read_text("utf-8")
    for row in csv.DictReader(table.splitlines()):
        known = catalogue(row["log"])
        assert row["name"] in known
        assert fold(row["spelling"]) not in {fold(f.long_name) for f in known.values()}
        assert row["source"]


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("cummulativeTime", "cum_time"),
        ("cumulativeTime", "cum_time"),
        ("blinkStrengtnSDWA", "bkh_sd_wa"),
        ("blinkStrengthSDWA", "bkh_sd_wa"),
        ("betteryLevel", "bl"),
        ("batteryLevel", "bl"),
        ("calmScore", "sc_clm"),
        ("stabilityScore", "sc_clm"),
        ("yMean", "tl_yav"),
        ("YMean", "tl_yav"),
        ("xMean", "tl_xav"),
        ("zRightStepAmplitudeCal", "sa_zrc"),
        ("zLeftStepAmplitudeCal", "sa_zlc"),
        ("capturedAt", "date"),
    ],
)
def test_misprints_and_older_names_of_the_15_second_log_are_resolved(
    spelling: str, name: str
) -> None:
    assert fields_of([spelling], FIFTEEN) == [name]


def test_the_same_name_is_another_field_in_the_other_log() -> None:
    assert fields_of(["powerLeft"], SIXTY) == ["bl"]
    assert fields_of(["powerLeft"], FIFTEEN) == ["powerLeft"]


@pytest.mark.parametrize("second", ["zLeftStepAmplitudeCal", "zLeftStepAmplitudeCal.1"])
def test_the_left_foots_name_given_twice_is_right_and_left(second: str) -> None:
    names = ["date", "zLeftStepAmplitudeCal", "stp", second]
    assert fields_of(names, FIFTEEN) == ["date", "sa_zrc", "stp", "sa_zlc"]


def test_two_columns_of_one_field_are_refused_with_both_names() -> None:
    with pytest.raises(ArchiveError, match=r"'calmScore' and 'stabilityScore'"):
        fields_of(["date", "calmScore", "stabilityScore"], FIFTEEN)
    with pytest.raises(ArchiveError, match="zLeftStepAmplitudeCal"):
        fields_of(["zRightStepAmplitudeCal", *["zLeftStepAmplitudeCal"] * 2], FIFTEEN)


def test_a_field_of_both_logs_identifies_neither() -> None:
    for log in LOGS:
        assert own_fields(log).isdisjoint({"date", "ut", "hm_po", "tl_xav", "bl"})
        assert own_fields(log) <= set(spellings(log))
