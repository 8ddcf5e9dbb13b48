"""Random tokens, and the hashes that are all that is stored of secrets."""

from eyelog_service.state import (
    check_password,
    hash_password,
    pkce_challenge,
)


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
