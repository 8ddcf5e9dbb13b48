"""The README: its blocks run as a new user pastes them, and the page stays short."""

import shlex
import shutil

import pytest

from eyelog_docs.blocks import Block, Session, blocks_of, commands_of
from support.parsers import parsed
from support.paths import ROOT

README = ROOT / "README.md"
BLOCKS = blocks_of(README.read_text())
# What a second terminal has: the lines that were pasted, and a service that runs.
IN_BETWEEN = Block(
    "setup",
    "export EYELOG_BASE_URL=http://127.0.0.1:8765\n"
    "eyelog service add-application --archive archive --redirect-uri http://127.0.0.1/callback"
    " > printed && . ./printed\n"
    "eyelog serve --archive archive --port 8765 > service.log 2>&1 &\n"
    "until curl --silent --fail http://127.0.0.1:8765/openapi.json > /dev/null; do sleep 0.2; done",
    *(0, 0, 0),
)


def test_the_python_runs() -> None:
    (block,) = [block for block in BLOCKS if block.language == "python"]
    with Session("README", block.code) as session:
        printed = session.run(block)
    assert "NaN" not in printed


@pytest.mark.slow("all commands of the README run")
@pytest.mark.timeout(900)
def test_the_commands_run_from_top_to_bottom() -> None:
    files, prepared, fetched = [block for block in BLOCKS if block.language == "sh"]
    with Session("README") as session:
        shutil.copytree(ROOT / "datasets", session.work / "datasets")
        printed = [session.run(block) for block in (files, prepared, IN_BETWEEN, fetched)]
        assert all((session.work / name).exists() for name in ("week.png", "week.parquet"))
    assert "Sun 25 Oct" in printed[0]
    assert "\nexport EYELOG_BASE_URL=http://127.0.0.1:8765\n" in f"\n{printed[1]}"
    assert "anna" in printed[3]


def test_the_commands_are_ones_that_eyelog_takes_and_a_shell_pastes() -> None:
    commands = [
        line
        for block in BLOCKS
        if block.language in ("sh", "text")
        for line in commands_of(block.code)
    ]
    assert not [line for line in commands if "#" in line]  # zsh takes a comment for words
    ours = [shlex.split(line.split("| ")[-1]) for line in commands if "eyelog " in line]
    for words in ours:
        parsed(words[1:])


def test_the_page_fits_a_few_screens_and_its_picture_is_there() -> None:
    text = README.read_text()
    assert len(text.splitlines()) < 150
    assert "](docs/overview.png)" in text
    assert (ROOT / "docs" / "overview.png").stat().st_size > 10_000
