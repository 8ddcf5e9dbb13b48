"""The service inside a notebook: registered, started, logged in to and stopped by public names."""

from pathlib import Path

import pytest
import requests

import eyelog as el
from support.processes import python


@pytest.fixture(scope="module")
def day() -> "object":
    return el.simulate("2025-10-20", 1, log="standard_mode_logs", tz="Asia/Tokyo")


@pytest.mark.parametrize("kind", [str, Path, el.Archive])
def test_a_notebook_logs_in_and_fetches_what_the_archive_holds(tmp_path, day, kind) -> None:
    folder = tmp_path / "archive"
    el.Archive(folder).write("standard_mode_logs", day, account="anna")
    archive = kind(folder)
    application, code = el.register(archive, "anna")
    with el.serve(archive) as address:
        client = el.Client(
            address, application=application, account="anna", tz="Asia/Tokyo", home=tmp_path
        )
        client.exchange(code)
        fetched = client.standard_mode_logs("2025-10-20", "2025-10-20")
    # The record of midnight closes the day, so a fetch of the day leaves it to the next.
    assert fetched.equals(day[:-1])
    with pytest.raises(requests.ConnectionError):
        requests.get(address, timeout=5)


def test_each_registration_is_another_application_of_the_same_account(tmp_path) -> None:
    (first, one), (second, two) = (el.register(tmp_path, "anna") for _ in range(2))
    assert first.client_id != second.client_id
    assert one != two
    with el.serve(tmp_path) as address:
        for application, code in ((first, one), (second, two)):
            home = tmp_path / application.client_id
            client = el.Client(address, application=application, account="anna", home=home)
            assert client.exchange(code).access_token


def test_a_registration_shows_neither_the_secret_nor_the_code(tmp_path) -> None:
    registered = el.register(tmp_path, "anna")
    assert registered.application.client_secret not in repr(registered)
    assert registered.code not in repr(registered)


def test_an_account_that_is_no_text_is_one_line(tmp_path) -> None:
    with pytest.raises(el.ConfigurationError, match="named by text"):
        el.register(tmp_path, 7)


def test_the_page_size_is_that_of_the_service(tmp_path) -> None:
    with el.serve(tmp_path, page_size=7) as address:
        assert "7" in str(requests.get(f"{address}/openapi.json", timeout=5).json())


def test_an_archive_that_does_not_exist_is_one_line(tmp_path) -> None:
    with pytest.raises(el.ConfigurationError, match="there is no archive folder"):
        el.serve(tmp_path / "none").__enter__()


def test_without_the_extra_the_names_load_and_a_call_says_what_to_install() -> None:
    done = python(
        "import sys; sys.modules['starlette'] = None\n"
        "from eyelog import *\n"
        "for call in (serve('x').__enter__, lambda: register('x', 'anna')):\n"
        "    try:\n"
        "        call()\n"
        "    except ConfigurationError as error:\n"
        "        print(error)\n"
    )
    line = "the service needs the package 'starlette': pip install 'eyelog[service]'"
    assert done.stdout.splitlines() == [line] * 2
