"""Passwords that are guessed first are refused when they are chosen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog_service.accounts import check_password_rules


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ("", "is empty"),
        ("1234567", "too short: choose one of at least 8 characters"),
        ("x" * 1025, "too long"),
        ("password", "most common"),
        ("PassWord1", "most common"),
        ("\uff50assword", "most common"),  # a letter of full width
        ("1q2w3e4r", "most common"),
        ("Anna-Lena", "the account's own name"),
        ("anna-lena1999!", "the account's own name"),
        ("eyelog12", "'eyelog', which is guessed first"),
        ("!!EyeLog!!", "'eyelog', which is guessed first"),
    ],
)
def test_a_password_that_is_guessed_first_is_refused(bad: str, why: str) -> None:
    with pytest.raises(el.ConfigurationError, match=why):
        check_password_rules(bad, account="Anna-Lena")


@given(st.text(max_size=30))
def test_no_message_contains_the_password(password: str) -> None:
    refused = ""
    try:
        check_password_rules("\x00" + password, account="x")
    except el.ConfigurationError as error:
        refused = str(error)
    assert "\x00" not in refused
    assert bool(refused) == (len(password) < 7)
