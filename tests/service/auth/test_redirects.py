"""Which redirect addresses can be registered, and which match a registered one."""

import pytest

import eyelog as el
from eyelog_service.grants import Registry


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "callback",
        "/callback",
        "http://",
        "http://host/#part",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://user:word@host/",
        "http://host:port/",
        "http://host/ x",
        "http://höst/",
        "http://host/\r\nX: y",
    ],
)
def test_an_address_that_no_browser_could_follow_is_not_registered(
    registry: Registry, uri: str
) -> None:
    with pytest.raises(el.ConfigurationError, match="cannot be a redirect URI"):
        registry.applications.add(uri)


@pytest.mark.parametrize(
    ("registered", "requested", "same"),
    [
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", True),
        ("http://127.0.0.1:80/cb", "http://127.0.0.1:5000/cb", True),
        ("http://[::1]/cb", "http://[::1]:5000/cb", True),
        ("http://localhost/cb", "http://localhost:5000/cb", True),
        ("http://127.0.0.1/cb", "http://localhost/cb", False),
        ("http://127.0.0.1/cb", "https://127.0.0.1/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb2", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000/cb?x=1", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1:5000@evil.example/cb", False),
        ("http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", False),
        ("https://lab.example/cb", "https://lab.example:444/cb", False),
        ("https://lab.example/cb", "https://lab.example/cb", True),
        ("org.example.app:/cb", "org.example.app:/cb", True),
        ("org.example.app:/cb", "org.example.app:/cb/", False),
    ],
)
def test_only_a_loopback_address_may_have_another_port(
    registry: Registry, registered: str, requested: str, same: bool
) -> None:
    registry.accounts.add("ada")
    client_id, _ = registry.applications.add(registered)
    if same:
        assert registry.grants.issue_code("ada", client_id, requested)
    else:
        with pytest.raises(el.ConfigurationError, match="not registered"):
            registry.grants.issue_code("ada", client_id, requested)
