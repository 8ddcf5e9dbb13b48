"""The Tab key: a real bash completes what the script of `eyelog completion bash` holds."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from eyelog.cli import main
from eyelog.cli.main import build_parser
from support.parsers import commands

BASH = shutil.which("bash")
ZSH = shutil.which("zsh")


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "eyelog.bash"
    with pytest.MonkeyPatch.context() as patched, path.open("w") as file:
        patched.setattr("sys.stdout", file)
        assert main(["completion", "bash"]) == 0
    return path


def completed(script: Path, lines: list[list[str]], folder: Path) -> list[list[str]]:
    """Return what bash offers at the end of each line, its last word being the begun one."""
    program = [
        f"source {shlex.quote(str(script))}",
        'at() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _shtab_eyelog;'
        " (IFS=$'\\t'; echo \"${COMPREPLY[*]}\"); }",
        *(f"at {shlex.join(line)}" for line in lines),
    ]
    done = subprocess.run(
        [str(BASH), "--norc", "-c", "\n".join(program)],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    assert done.stderr == ""
    return [line.split("\t") if line else [] for line in done.stdout.splitlines()]


OFFERED = {
    "eyelog da": ["daily"],
    "eyelog archive ": [
        "erase",
        "inventory",
        "verify",
        "protect",
        "repair",
        "set-zone",
        "export",
    ],
    "eyelog archive verify --js": ["--json"],
    "eyelog --archive": [],
    "eyelog plot ti": ["timeline"],
    "eyelog plot timeline --width ": ["single", "double", "page"],
    "eyelog fetch c": ["computed_data"],
    "eyelog archive export c": ["computed_data", "current_data"],
    "eyelog fetch standard_mode_logs 2025-10-20 --off": ["--offline"],
    "eyelog daily --log s": ["standard_mode_logs"],
    "eyelog daily my": ["my week.csv"],
    "eyelog daily x --columns ": ["c-data", "my week.csv"],
    "eyelog daily c": ["computed_data", "current_data", "c-data"],
    "eyelog completion ": ["bash", "zsh"],
}


@pytest.mark.skipif(BASH is None, reason="there is no bash")
def test_bash_completes_commands_options_logs_and_files(script, tmp_path) -> None:
    (tmp_path / "my week.csv").touch()
    (tmp_path / "c-data").touch()
    lines = [line.split(" ") for line in OFFERED]
    for line, offered in zip(OFFERED, completed(script, lines, tmp_path), strict=True):
        assert sorted(offered) == sorted(OFFERED[line]), line


@pytest.mark.skipif(BASH is None, reason="there is no bash")
def test_bash_offers_every_command_and_every_option(script, tmp_path) -> None:
    table = commands()
    lines = [["eyelog", ""], *(["eyelog", *command, "--"] for command in table)]
    first, *others = completed(script, lines, tmp_path)
    assert sorted(first) == sorted(build_parser().commands)
    for (command, (_, parser)), offered in zip(table.items(), others, strict=True):
        options = [name for action in parser._actions for name in action.option_strings]
        assert sorted(offered) == sorted(n for n in options if n.startswith("--")), command


@pytest.mark.skipif(ZSH is None, reason="there is no zsh")
def test_zsh_takes_its_script_from_a_start_file(capsys, tmp_path) -> None:
    assert main(["completion", "zsh"]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out)
    ask = (
        'eval "$(<script)"; print -r -- $_comps[eyelog];'
        " print -r -- ${(M)_shtab_eyelog_plot_options:#*--width*};"
        " print -r -- ${(M)_shtab_eyelog_daily_options:#*--log*}"
    )
    done = subprocess.run(
        [str(ZSH), "-f", "-c", ask],
        capture_output=True, text=True, check=True, cwd=tmp_path,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    function, width, log = done.stdout.splitlines()
    assert function == "_shtab_eyelog"
    assert "(single double page)" in width
    assert "(computed_data standard_mode_logs current_data" in log


def test_another_shell_is_wrong_usage(capsys) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["completion", "fish"])
    assert stop.value.code == 2
    assert "choose from bash, zsh" in capsys.readouterr().err
