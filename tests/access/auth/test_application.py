"""An application, and the address of its login page."""

import pytest

from eyelog.access.auth.application import Application, authorize_url
from eyelog.access.environment import login_page_from_environment
from eyelog.access.http import adapter
from eyelog.errors import (
    ConfigurationError,
)
from support import authority
from support.access import APPLICATION


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(adapter, "BACKOFF", 0.01)


def test_an_application_hides_its_secret():
    assert authority.CLIENT_SECRET not in repr(APPLICATION)


@pytest.mark.parametrize(
    "values", [("", "s", "http://127.0.0.1/"), ("i", " ", "http://127.0.0.1/")]
)
def test_an_application_needs_all_its_parts(values):
    with pytest.raises(ConfigurationError, match="is empty"):
        Application(*values)


def test_the_authorization_address_carries_state_and_challenge():
    url = authorize_url("https://h", APPLICATION, state="a b", code_challenge="c")
    assert url == (
        "https://h/v1/oauth/authorize?response_type=code&client_id=client-of-tests"
        "&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&state=a+b&code_challenge=c"
        "&code_challenge_method=S256"
    )


def test_the_authorization_page_and_its_extra_parameters_are_configurable(monkeypatch):
    monkeypatch.setenv("EYELOG_AUTHORIZE_URL", "https://login.example/go?service_id=s%26t&v")
    page = login_page_from_environment()
    url = authorize_url("https://h", APPLICATION, state="s", code_challenge="c", page=page)
    assert url.startswith("https://login.example/go?response_type=code&")
    assert url.endswith("&service_id=s%26t&v=")


@pytest.mark.parametrize("page", ["https://l/?state=x", "ftp://l", "nonsense", "https://u:p@l/"])
def test_an_invalid_authorization_page_is_refused(page):
    with pytest.raises(ConfigurationError):
        authorize_url("https://h", APPLICATION, state="s", code_challenge="c", page=page)
