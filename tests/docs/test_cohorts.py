"""The page about studies runs, its commands too, and what it says of the result is so."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import eyelog as el
from support.command import main
from support.pages import python_blocks, run_blocks
from support.paths import ROOT

PAGE = ROOT / "docs" / "cohorts.md"
SHELL = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)

pytestmark = [
    pytest.mark.slow("a study runs from its first command to its report"),
    pytest.mark.timeout(600),
]


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return run_blocks(PAGE, python_blocks(PAGE))


def test_the_planted_effect_is_in_the_interval(names: dict[str, Any]) -> None:
    row = names["blinks"]
    truth = names["truth"].groupby("group")["blinks_per_min"].mean()
    assert row["low"] < truth["treated"] - truth["control"] < row["high"]
    assert names["states"].to_dict() == {"done": 8}
    assert len(names["days"]) == 24
    assert names["excluded"].empty
    assert "group[treated]" in names["model"].index
    assert "steps_within" in names["long"]


def test_what_is_given_away_names_no_account(names: dict[str, Any]) -> None:
    assert "w0001" in names["page"].read_text()
    shared = names["shared"].read_text()
    assert not re.search(r"w000\d", re.sub(r"base64,[\w+/=]+", "", shared))
    assert not names["table"].index.get_level_values("account").str.startswith("w0").any()


def test_the_commands_of_the_page_run(
    names: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(names["folder"])
    lines = [line for block in SHELL.findall(PAGE.read_text()) for line in block.splitlines()]
    ran = [line for line in lines if line.startswith("eyelog ")]
    assert len(ran) == 6
    for line in ran:
        words = shlex.split(line)[1:]
        if words[:2] != ["cohort", "simulate"]:
            assert main([*words, *(["--workers", "1"] if "daily" in words else [])]) == 0, line
    assert Path("shared.html").exists()
    assert "24 days written to days" in capsys.readouterr().err


def test_positions_are_in_no_result(names: dict[str, Any]) -> None:
    assert not {"lat", "lng"} & {*names["days"].columns, *el.fields(names["log"], of="daily").index}
