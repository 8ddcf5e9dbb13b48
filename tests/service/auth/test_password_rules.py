"""Passwords that are guessed first are refused when they are chosen."""

from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.errors import ConfigurationError
from eyelog.service.auth.password_rules import check_password_rules


@pytest.mark.parametrize(
    "good",
    [
        *["a good password", "correct horse", "Tr0ub4dor&3", "ü" * 8, "        x", "x" * 1024],
        "password of my own",
    ],
)
def test_a_password_of_at_least_8_characters_can_be_chosen(good: str) -> None:
    check_password_rules(good, account="anna")


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
    with pytest.raises(ConfigurationError, match=why):
        check_password_rules(bad, account="Anna-Lena")


def test_the_message_names_the_account_where_it_is_known() -> None:
    with pytest.raises(ConfigurationError, match=r"^the password of account 'anna' is too short"):
        check_password_rules("short", account="anna")
    with pytest.raises(ConfigurationError, match=r"^the password is too short"):
        check_password_rules("short")


@given(st.text(max_size=30))
def test_no_message_contains_the_password(password: str) -> None:
    refused = ""
    try:
        check_password_rules("\x00" + password, account="x")
    except ConfigurationError as error:
        refused = str(error)
    assert "\x00" not in refused
    assert bool(refused) == (len(password) < 7)


def test_the_list_holds_passwords_that_only_it_refuses() -> None:
    text = files("eyelog.service.auth").joinpath("common_passwords.txt").read_text()
    listed = text.split()
    assert len(set(listed)) == len(listed) >= 200
    assert listed == sorted(listed)
    assert all(len(word) >= 8 and word == word.casefold() for word in listed)
