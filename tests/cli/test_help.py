"""The first page of help: five usual jobs, every command in a group, on one screen."""

import re
import shlex

import pytest

from eyelog.cli import main
from eyelog.cli.help import _GROUPS, _JOBS
from eyelog.cli.main import build_parser


@pytest.fixture
def page(capsys: pytest.CaptureFixture[str]) -> list[str]:
    with pytest.raises(SystemExit) as stop:
        main(["--help"])
    assert stop.value.code == 0
    return capsys.readouterr().out.splitlines()


def test_the_first_page_fits_a_screen(page) -> None:
    assert len(page) <= 34
    assert max(map(len, page)) <= 80


def test_every_command_is_in_one_group_with_its_line(page) -> None:
    grouped = [name for names in _GROUPS.values() for name in names]
    parser = build_parser()
    assert sorted(grouped) == sorted(parser.commands)
    for name, line in parser.commands.items():
        assert [shown for shown in page if re.search(rf"\s{name}\s+{re.escape(line)}$", shown)]


def test_the_usual_jobs_come_first_and_can_be_typed(page) -> None:
    assert page.index("Five usual jobs:") < page.index(
        "Commands (eyelog COMMAND --help explains each):"
    )
    assert len(_JOBS) == 5
    for line in _JOBS.values():
        for part in re.split(r", then | && ", line):
            words = shlex.split(part)
            assert words[0] == "eyelog"
            build_parser().parse_args(words[1:])


def test_options_may_stand_between_the_words_of_a_command() -> None:
    args = build_parser().parse_args(["plot", "timeline", "-o", "a.png", "week.csv"])
    assert args.words == ["week.csv"]
    assert args.parser.prog == "eyelog plot"


def test_the_version_is_that_of_the_package(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert re.fullmatch(r"eyelog \d+\.\d+\.\d+\S*\n", capsys.readouterr().out)


MISTYPED = {
    "a command": (["dayly", "x"], "(did you mean 'daily'?)"),
    "a figure": (["plot", "overveiw", "x.csv", "-o", "a.png"], "(did you mean 'overview'?)"),
    "a figure before the file to draw": (["plot", "overvew"], "(did you mean 'overview'?)"),
    "a path in place of a command": (["folder"], "type eyelog daily folder"),
    "no file to draw into": (["plot", "overview", "x.csv"], "missing -o FILE: the .png, .svg"),
    "no file to report into": (["report", "x.csv"], "missing -o FILE: the .html file to write"),
    "no figure": (["plot", "-o", "a.png"], "missing FIGURE"),
    "no command": ([], "missing COMMAND"),
}


@pytest.mark.parametrize("case", MISTYPED)
def test_a_mistyped_command_is_told_what_to_type(capsys, monkeypatch, tmp_path, case) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    words, says = MISTYPED[case]
    with pytest.raises(SystemExit) as stop:
        main(words)
    assert stop.value.code == 2
    assert says in capsys.readouterr().err.splitlines()[-1]


def test_missing_words_are_named_in_one_line(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["archive", "set-zone"])
    assert capsys.readouterr().err.endswith("error: missing ACCOUNT and ZONE\n")
