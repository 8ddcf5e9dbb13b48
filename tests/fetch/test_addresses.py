"""The addresses a user configures."""

import pytest

import eyelog as el
from eyelog.fetch.session import base_url_from_environment, check_base_url, warn_of_plain_http


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://API.Example.org/", "https://api.example.org"),
        ("https://api.example.org:443/lab/", "https://api.example.org/lab"),
        ("https://host\n", "https://host"),
        (" http://127.0.0.1:8765 ", "http://127.0.0.1:8765"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_address_has_one_spelling(given, kept):
    assert check_base_url(given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        "api.example.org",
        "ftp://host",
        "https://",
        "https://host?x=1",
        "https://host#x",
        "https://ho st",
        "https://host:port",
        "https://[::1",
        None,
        7,
        "https://us\u200ber.org",
        "javascript:alert(1)",
        "https://*.example",
        "https://.example",
    ],
)
def test_what_is_no_address_is_refused(given):
    with pytest.raises(el.ConfigurationError, match="base_url"):
        check_base_url(given)


def test_credentials_in_an_address_are_refused_without_being_shown():
    with pytest.raises(el.ConfigurationError) as caught:
        check_base_url("https://user:hunter2@host")
    assert "hunter2" not in str(caught.value)


def test_plain_http_to_another_machine_warns_where_a_token_would_be_sent():
    with pytest.warns(el.EyelogWarning, match="lab.example is used over plain http"):
        warn_of_plain_http("http://lab.example")
    for quiet in ("http://127.0.0.1:8765", "http://localhost", "https://lab.example"):
        warn_of_plain_http(quiet)


@pytest.mark.parametrize(
    "given",
    [
        "http://127.0.0.1:9/callback",
        "https://host/cb?x=1",
        "com.example.app:/oauth",
        "http://[::1]/",
    ],
)
def test_a_redirect_uri_is_kept_letter_by_letter(given):
    assert el.Application("id", "secret", given).redirect_uri == given


@pytest.mark.parametrize(
    "given", ["", "/callback", "http:///cb", "https://h/cb#x", "http://u:p@h/"]
)
def test_what_is_no_redirect_uri_is_refused(given):
    with pytest.raises(el.ConfigurationError, match="redirect_uri"):
        el.Application("id", "secret", given)


def test_the_base_url_comes_from_the_environment(monkeypatch):
    with pytest.raises(el.ConfigurationError, match="EYELOG_BASE_URL is not set"):
        base_url_from_environment()
    monkeypatch.setenv("EYELOG_BASE_URL", "ftp://x")
    with pytest.raises(el.ConfigurationError, match="EYELOG_BASE_URL must be an http"):
        base_url_from_environment()
    monkeypatch.setenv("EYELOG_BASE_URL", "https://x/")
    assert base_url_from_environment() == "https://x"
