"""The extra `[service]`: what to install without it, and that nobody else loads it."""

from pathlib import Path

import pytest

from support.processes import python

PACKAGES = ["anyio", "itsdangerous", "python_multipart", "sqlalchemy", "starlette", "uvicorn"]
CALLED = f"""
import sys
import eyelog as el

for package in {PACKAGES}:
    sys.modules[package] = None
    served = el.serve("archive")
    for run in (served.__enter__, lambda: el.register("archive", "ada")):
        try:
            run()
        except el.ConfigurationError as error:
            print(error)
    del sys.modules[package]
"""


def test_the_public_names_say_what_to_install_where_a_package_of_the_extra_is_missing() -> None:
    said = "the service needs the package {!r}: pip install 'eyelog[service]'"
    messages = [said.format(package) for package in PACKAGES for _ in range(2)]
    assert python(CALLED).stdout.splitlines() == messages


@pytest.mark.parametrize(
    "program",
    [
        "import eyelog as el; el.serve, el.register",
        "from eyelog.cli import main; main(['fields', 'stp'])",
    ],
)
def test_the_toolkit_loads_nothing_of_the_service(program: str) -> None:
    loaded = "print([m for m in ('starlette', 'uvicorn', 'eyelog_service') if m in sys.modules])"
    done = python(f"import sys\n{program}\n{loaded}")
    assert done.stdout.splitlines()[-1] == "[]"


def test_without_the_extra_a_command_says_in_one_line_what_to_install(tmp_path: Path) -> None:
    need = [["serve"], ["service", "add-account", "ada"], ["demo", "--output", "out"]]
    wearer = ["simulate", "--archive", "archive", "--start", "2025-10-20", "--days", "1"]
    program = (
        "import sys; sys.modules['starlette'] = None\n"
        "from eyelog.cli import main\n"
        f"print([main(words) for words in {[*need, wearer]!r}])"
    )
    done = python(program, cwd=tmp_path)
    assert done.stdout == "[1, 1, 1, 0]\n"
    said = "eyelog: error: the service needs the package 'starlette': pip install 'eyelog[service]'"
    assert done.stderr.splitlines()[:3] == [said] * 3
    assert list(tmp_path.rglob("*.sqlite")) == []
