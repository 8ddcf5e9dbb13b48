"""The extra `[service]`: what to install without it, and that nobody else loads it."""

import pytest

from support.processes import python


@pytest.mark.parametrize(
    "package", ["anyio", "itsdangerous", "python_multipart", "sqlalchemy", "starlette", "uvicorn"]
)
def test_the_public_names_say_what_to_install_where_a_package_of_the_extra_is_missing(
    package: str,
) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "import eyelog as el\n"
        "served = el.serve('archive')\n"
        "for run in (served.__enter__, lambda: el.register('archive', 'ada')):\n"
        "    try:\n"
        "        run()\n"
        "    except el.ConfigurationError as error:\n"
        "        print(error)\n"
    )
    done = python(program)
    message = f"the service needs the package {package!r}: pip install 'eyelog[service]'"
    assert done.stdout.splitlines() == [message] * 2


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
