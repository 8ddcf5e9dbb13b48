"""Random tokens that survive the ways they are handed on."""

import secrets

from eyelog.service.auth.secrets import new_token


def test_a_token_can_be_an_argument_on_a_command_line(monkeypatch) -> None:
    drawn = iter(["-looks-like-an-option", "-x", "plain"])
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: next(drawn))
    assert new_token() == "plain"
