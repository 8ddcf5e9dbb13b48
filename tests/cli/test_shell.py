"""A message of the library names an argument; on the command line it names the option."""

import argparse
from pathlib import Path

import pytest

import eyelog as el
from eyelog.cli import main
from eyelog.cli.shell import in_a_shell, options_of
from eyelog.errors import argument, call, days_of_frame
from support.commands import DAY

OPTIONS = {"--tz", "--wearer", "--field", "--offline", "--split-wearers", "--log", "--account",
           "--dayfirst", "--no-dayfirst"}  # fmt: skip

SAID = {
    f"the zone, such as {argument('tz', 'Europe/Berlin')}": "the zone, such as --tz Europe/Berlin",
    f"choose one with {argument('wearer')}, or": "choose one with --wearer, or",
    f"{argument('wearer')} or {argument('split_wearers')}": "--wearer or --split-wearers",
    f"with {argument('split_wearers', True)}; nothing": "with --split-wearers; nothing",
    f"name them in {argument('fields')}": "name them in --field",
    f"pass {argument('log', 'computed_data')} (the": "pass --log computed_data (the",
    f"{argument('account', 'anna b')} is": "--account 'anna b' is",
    f"{argument('dayfirst', True)} or {argument('dayfirst', False)}": "--dayfirst or --no-dayfirst",
    f"{call('fields', 'computed_data')} lists them": "`eyelog fields computed_data` lists them",
    f"tz=5.csv: give {argument('tz')}": "tz=5.csv: give --tz",
}
KEPT = [
    argument("night_worn", True),  # the command has no such option
    argument("offline", False),
    call("states", "frame"),  # there is no such command
    "tz=5.csv",
    "/data/computed_data/account=anna/month=2026-10/part.parquet",
    "a file tz='Asia/Tokyo', offline=True",
    "frame[~frame.index.duplicated(keep='last')]",
]


@pytest.mark.parametrize("text", SAID)
def test_an_argument_becomes_the_option_to_type(text: str) -> None:
    assert in_a_shell(text, options=OPTIONS, commands={"fields"}) == SAID[text]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_argument_of_the_command_stays(text: str) -> None:
    assert in_a_shell(text, options=OPTIONS, commands={"fields"}) == text.replace("\0", "")


def test_days_of_a_frame_become_the_command_with_these_days() -> None:
    text = f"choose some, such as {days_of_frame('2026-10-05', '2026-10-06')}, or draw less"
    said = in_a_shell(text, options=OPTIONS, commands=(), typed="eyelog plot day gap.parquet")
    assert "such as `eyelog plot day gap.parquet 2026-10-05 2026-10-06`, or" in said
    assert 'such as frame["2026-10-05":"2026-10-06"], or' in in_a_shell(
        text, options=OPTIONS, commands=()
    )


def test_a_file_is_named_as_it_is_whatever_it_is_called(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = Path("tz=5.csv")
    name.write_text(f"date,stp,cad\n{DAY} 10:00:00,3,110\n")
    assert main(["daily", str(name)]) == 1
    said = capsys.readouterr().err
    assert "tz=5.csv" in said
    assert "such as --tz Asia/Tokyo" in said


def test_the_options_of_a_parser_are_its_long_ones() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output")
    parser.add_argument("file")
    assert options_of(parser) == {"--help", "--output"}


@pytest.fixture
def naive(tmp_path: Path) -> Path:
    path = tmp_path / "naive.csv"
    path.write_text(f"date,stp,cad\n{DAY} 10:00:00,3,110\n{DAY} 10:00:15,3,110\n")
    return path


def test_the_library_names_the_argument_and_the_command_the_option(naive, capsys) -> None:
    with pytest.raises(el.EyelogError, match=r"such as tz='Asia/Tokyo'$"):
        el.read(naive, log="computed_data")
    assert main(["daily", str(naive), "--log", "computed_data"]) == 1
    error = capsys.readouterr().err
    assert error.endswith("such as --tz Asia/Tokyo\n")
    assert "tz=" not in error


def test_a_function_that_is_a_command_is_named_as_one(naive, capsys) -> None:
    command = ["plot", "heatmap", str(naive), "--tz", "UTC", "--log", "computed_data"]
    assert main([*command, "--field", "stq", "-o", str(naive.with_suffix(".png"))]) == 1
    assert "`eyelog fields computed_data` lists them" in capsys.readouterr().err


@pytest.mark.filterwarnings("default:left out")
def test_a_warning_is_in_the_words_of_the_shell_too(naive, capsys) -> None:
    archive = str(naive.parent / "archive")
    kept = naive.with_name("with-place.csv")
    kept.write_text("date,stp,lat,lng\n2025-10-20T10:00:00+09:00,3,35.0,139.0\n")
    assert main(["import", str(kept), "--archive", archive]) == 0
    target = str(naive.with_name("out.csv"))
    days = ["archive", "export", "computed_data", DAY, DAY]
    assert main([*days, "--archive", archive, "-o", target]) == 0
    assert "ask for it with --location" in capsys.readouterr().err
