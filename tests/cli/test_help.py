"""The first page of help: five usual jobs, every command in a group, on one screen."""

import re

import pytest

from support.command import main


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(["--help"]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_first_page_fits_a_screen(page) -> None:
    assert len(page) <= 34
    assert max(map(len, page)) <= 80


def test_the_version_is_that_of_the_package(capsys) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"eyelog \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)


MISTYPED = {
    "a command": (["dayly", "x"], "(did you mean 'daily'?)"),
    "an action": (["archive", "verfy"], "verfy"),
    "an option": (["daily", "x.csv", "--colums", "a"], "--columns"),
    "a figure": (["plot", "overveiw", "x.csv", "-o", "a.png"], "(did you mean 'overview'?)"),
    "a path in place of a command": (["folder"], "type eyelog daily folder"),
    "no file to draw into": (["plot", "overview", "x.csv"], "'--output'"),
    "no file to report into": (["report", "x.csv"], "'--output'"),
    "no figure": (["plot", "-o", "a.png"], "FIGURE"),
}


@pytest.mark.parametrize("case", MISTYPED)
def test_a_mistyped_command_is_told_what_to_type(capsys, monkeypatch, tmp_path, case) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    words, says = MISTYPED[case]
    assert main(words) == 2
    assert says in capsys.readouterr().err.splitlines()[-1]
