"""`eyelog fields`: the catalogue in the terminal, and the fields that are about something."""

import json

import pytest

import eyelog as el
from support.command import main
from support.logs import LOGS


def test_the_whole_catalogue_is_printed(capsys) -> None:
    assert main(["fields", "standard_mode_logs", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 46
    assert rows[1]["name"] == "val_s"


def test_a_field_is_described(capsys) -> None:
    assert main(["fields", "computed_data", "stp", "sc_fcs"]) == 0
    steps, focus, _ = capsys.readouterr().out.split("\n\n")
    assert steps.startswith("stp: Steps. Steps taken in the interval.\n")
    said = " ".join(steps.split())
    assert "min: 0 max: 255 " in said
    assert "long_name: stepCount " in said
    assert "invalid_value: -1 " in " ".join(focus.split())
    assert main(["fields", "computed_data", "stq"]) == 1
    assert "did you mean 'stp'" in capsys.readouterr().err


def listed(text: str) -> list[str]:
    """Return the names of the fields in a list: a line each, whose further lines are indented."""
    lines = [line for line in text.splitlines() if line and not line.startswith((" ", *LOGS))]
    return [line.split()[0] for line in lines]


@pytest.mark.slow("many fields are asked for by command")
def test_a_field_is_found_by_its_name_and_by_its_label(capsys) -> None:
    for log in LOGS:
        for name, row in el.fields(log)[::4].iterrows():
            for asked in (name, row["label"]):
                assert main(["fields", str(asked)]) == 0
                assert name in listed(capsys.readouterr().out), asked


def test_a_column_of_a_result_is_found_by_its_label(capsys) -> None:
    assert main(["fields", "Usable"]) == 0
    out, err = capsys.readouterr()
    assert "valid_h" in out + err


def test_python_finds_fields_as_the_command_does(capsys) -> None:
    assert main(["fields", "cadence", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert el.fields("cadence").index.tolist() == [(row["log"], row["name"]) for row in rows]
    assert el.fields("tl_yav").index.get_level_values("name").unique().tolist() == ["tl_yav"]
    with pytest.raises(el.FieldError, match="did you mean 'cadence'"):
        el.fields("cadense")


def test_a_word_that_no_field_is_about_is_one_line_with_the_nearest(capsys) -> None:
    assert main(["fields", "cadense"]) == 1
    error = capsys.readouterr().err
    assert "no field of a log is about 'cadense' (did you mean 'cadence'?)" in error
    assert error.count("\n") == 1


def test_a_column_of_a_result_is_explained(capsys) -> None:
    assert main(["fields", "worn_h"]) == 0
    text = capsys.readouterr().out
    said = " ".join(text.split())
    assert said.startswith("worn_h: Worn, h per day. Hours in which the eyewear was on the nose")
    assert "worn_h (in weekly): Worn, h per week." in said
    assert max(map(len, text.splitlines())) <= 80
    assert main(["fields", "sc_fcs_mean", "n", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[0]["column"] == "sc_fcs_mean"
    assert {"", "blinks.rate"} <= {row["table"] for row in rows if row["column"] == "n"}
    assert all(row["meaning"] for row in rows)
