"""The extra `[service]`: what to install without it, and that nobody else loads it."""

import pytest

from support.processes import python

MODULES = ("app", "server", "bounds", "openapi", "responses", "auth.registry", "records.paging")


@pytest.mark.parametrize(
    "package", ["anyio", "h11", "itsdangerous", "python_multipart", "starlette", "uvicorn"]
)
def test_every_module_says_what_to_install_where_a_package_of_the_extra_is_missing(
    package: str,
) -> None:
    program = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from eyelog.errors import ConfigurationError\n"
        f"for module in {MODULES}:\n"
        "    try:\n"
        "        __import__(f'eyelog.service.{module}')\n"
        "    except ConfigurationError as error:\n"
        "        print(error)\n"
    )
    done = python(program)
    message = f"the service needs the package {package!r}: pip install 'eyelog[service]'"
    assert done.stdout.splitlines() == [message] * len(MODULES)


def test_importing_eyelog_loads_nothing_of_the_service() -> None:
    program = (
        "import sys, eyelog, eyelog.errors\n"
        "print([m for m in ('starlette', 'uvicorn', 'jinja2', 'eyelog.service') if m in"
        " sys.modules])"
    )
    done = python(program)
    assert done.stdout.strip() == "[]"
