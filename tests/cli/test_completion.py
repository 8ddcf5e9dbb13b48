"""The Tab key: a real bash completes commands, options, logs and files."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash")


def completed(line: list[str], folder: Path, home: Path) -> list[str]:
    """Return what bash offers at the end of a line, its last word being the begun one."""
    program = [
        f'PATH={shlex.quote(str(Path(sys.executable).parent))}:"$PATH"',
        'eval "$(_EYELOG_COMPLETE=bash_source eyelog)"',
        "compopt() { COMPREPLY+=( $(compgen -f -- \"$BEGUN\" | tr ' ' _) ); }",
        f"COMP_WORDS=({shlex.join(line)}); COMP_CWORD={len(line) - 1}; BEGUN={line[-1]!r}",
        "_eyelog_completion eyelog",
        'for word in "${COMPREPLY[@]}"; do echo "$word"; done',
    ]
    done = subprocess.run(
        [str(BASH), "--norc", "-c", "\n".join(program)],
        capture_output=True, text=True, check=True, cwd=folder,
        env={**os.environ, "EYELOG_HOME": str(home)},
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout.splitlines()


OFFERED = {
    "eyelog da": ["daily"],
    "eyelog archive ": ["erase", "export", "list", "repair", "set-zone", "verify"],
    "eyelog archive verify --js": ["--json"],
    "eyelog plot ti": ["timeline"],
    "eyelog plot timeline --width ": ["single", "double", "page"],
    "eyelog fetch comp": ["computed_data"],
    "eyelog daily --log s": ["standard_mode_logs"],
    "eyelog daily my": ["my_week.csv"],
    "eyelog daily c": ["computed_data", "current_data"],
    "eyelog daily c-": ["c-data"],
}


@pytest.mark.skipif(BASH is None, reason="there is no bash")
@pytest.mark.parametrize("line", OFFERED)
def test_bash_completes_commands_options_logs_and_files(tmp_path, home, line: str) -> None:
    (tmp_path / "my_week.csv").touch()
    (tmp_path / "c-data").touch()
    assert sorted(completed(line.split(" "), tmp_path, home)) == sorted(OFFERED[line])
