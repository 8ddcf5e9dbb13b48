"""The extra `[service]`: what to install without it, and that nobody else loads it."""

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
