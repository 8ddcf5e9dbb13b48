"""`eyelog fields`: the catalogue in the terminal, and the fields that are about something."""

import json

import pytest

import eyelog as el
from eyelog.catalogue import LOGS
from eyelog.cli import main


def test_the_whole_catalogue_is_printed(capsys) -> None:
    assert main(["fields", "standard_mode_logs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 46
    assert rows[1]["name"] == "val_s"


def test_a_field_is_described(capsys) -> None:
    assert main(["fields", "computed_data", "stp", "sc_fcs"]) == 0
    steps, focus = capsys.readouterr().out.split("\n\n")
    assert steps.startswith("stp: Steps. Steps taken in the interval.\n")
    assert "    values:          from 0 to 255\n" in steps
    assert "    in Logger files: stepCount\n" in steps
    assert "written as -1" in focus
    assert main(["fields", "computed_data", "stq"]) == 1
    assert "did you mean 'stp'" in capsys.readouterr().err


@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_the_list_of_fields_fits_a_terminal(capsys, log: str) -> None:
    assert main(["fields", log]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    shown = {line.split()[0] for line in lines if not line.startswith(" ")}
    assert shown == set(el.fields(log).index)


FOUND = {
    "steps": ("stp", "stp_fst"),
    "stepCount": ("stp",),
    "blinks": ("bk_n", "sc_bk_n"),
    "posture": ("tl_yav", "tl_xav"),
    "saccades": ("re_u", "eml_ud"),
    "stress": ("sc_tsn",),
    "wear time": ("wea_s",),
    "noise": ("nis_time", "nis_s"),
    "Tilt SD": ("tl_ysd", "tl_xsd"),
    "lean": ("tl_yav",),
}


def listed(text: str) -> list[str]:
    """Return the names of the fields in a list: a line each, whose further lines are indented."""
    lines = [line for line in text.splitlines() if line and not line.startswith((" ", *LOGS))]
    return [line.split()[0] for line in lines]


@pytest.mark.parametrize("asked", FOUND)
def test_fields_are_found_by_meaning_in_both_logs(asked, capsys) -> None:
    assert main(["fields", *asked.split()]) == 0
    printed = capsys.readouterr()
    assert set(listed(printed.out)) >= set(FOUND[asked])
    assert printed.err.startswith("`eyelog fields ")
    assert max(map(len, printed.out.splitlines())) <= 80


def test_the_nearest_field_comes_first(capsys) -> None:
    assert main(["fields", "steps"]) == 0
    fifteen, sixty, rows = capsys.readouterr().out.split("\n\n")
    assert listed(fifteen)[0] == "stp"
    assert listed(sixty)[0].startswith("stp_")
    assert rows.startswith("current_data (20 Hz log)\n")
    assert listed(rows)[1] == "walking"
    assert "bk_n" not in listed(fifteen)


@pytest.mark.slow
def test_every_field_is_found_by_its_name_and_by_its_label(capsys) -> None:
    for log in LOGS:
        for name, row in el.fields(log).iterrows():
            for asked in (name, row["label"]):
                assert main(["fields", str(asked)]) == 0
                assert name in listed(capsys.readouterr().out), asked


def test_what_is_found_can_be_read_by_a_program(capsys) -> None:
    assert main(["fields", "cadence", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert ("computed_data", "cad") in {(row["log"], row["name"]) for row in rows}


def test_a_word_that_no_field_is_about_is_one_line_with_the_nearest(capsys) -> None:
    assert main(["fields", "cadense"]) == 1
    error = capsys.readouterr().err
    assert "no field of a log is about 'cadense' (did you mean 'cadence'?)" in error
    assert error.count("\n") == 1


def test_a_column_of_a_result_is_explained(capsys) -> None:
    assert main(["fields", "worn_h"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("worn_h: Worn, h per day. Hours in which the eyewear was on the nose")
    assert "worn_h (in weekly): Worn, h per week." in text
    assert max(map(len, text.splitlines())) <= 80
    assert main(["fields", "sc_fcs_mean", "n", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["column"] == "sc_fcs_mean"
    assert {"", "blinks.rate"} <= {row["table"] for row in rows if row["column"] == "n"}
    assert all(row["meaning"] for row in rows)


def test_a_misspelt_column_has_a_hint_and_a_word_of_both_kinds_shows_both(capsys) -> None:
    assert main(["fields", "worn_hh"]) == 1
    assert "did you mean 'worn_h'" in capsys.readouterr().err
    assert main(["fields", "steps"]) == 0
    printed = capsys.readouterr()
    assert "stp" in listed(printed.out)
    assert "'steps' is also a column of results: Steps that were counted" in printed.err
