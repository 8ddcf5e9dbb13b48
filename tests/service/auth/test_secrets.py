"""Random tokens, and the hashes that are all that is stored of secrets."""

import secrets

import pytest

from eyelog.service.auth.secrets import (
    check_password,
    digest,
    hash_password,
    new_token,
    pkce_challenge,
)


def test_a_token_can_be_an_argument_on_a_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-looks-like-an-option", "-x", "plain"])
    monkeypatch.setattr(secrets, "token_urlsafe", lambda _: next(drawn))
    assert new_token() == "plain"


def test_a_code_challenge_is_that_of_the_standard() -> None:
    # The example of RFC 7636, appendix B.
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    assert pkce_challenge(verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


def test_a_password_matches_its_own_hash_alone_and_each_hash_is_salted() -> None:
    stored = hash_password("correct horse")
    assert stored != hash_password("correct horse")
    assert b"correct horse" not in stored
    assert check_password("correct horse", stored)
    assert not check_password("correct horsf", stored)


def test_no_password_matches_where_none_is_stored() -> None:
    assert not check_password("", None)
    assert not check_password("\x00", None)


@pytest.mark.parametrize("odd", ["", "\ud800", "é" * 1000])
def test_any_text_can_be_hashed(odd: str) -> None:
    assert len(digest(odd)) == 32
    assert check_password(odd, hash_password(odd))
