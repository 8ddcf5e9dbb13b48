"""Secrets in texts, URLs and logs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.fetch.session import SECRET_NAMES, redact, redact_url, short

SECRET = "aV3ry-S3cret_value.42"


@pytest.mark.parametrize("name", sorted(SECRET_NAMES))
@pytest.mark.parametrize(
    "shape",
    [
        "{}={}",
        "x=1&{}={}&y=2",
        '{{"{}": "{}", "n": 1}}',
        "{}: {}",
        "{}:{}",
        "{{'{}': '{}'}}",
        '{{"{}":"{}',
        "({}={})",
    ],
)
def test_the_value_of_a_secret_name_is_hidden_in_any_shape(name, shape):
    for each in (name, name.upper()):
        hidden = redact(shape.format(each, SECRET))
        assert SECRET not in hidden
        assert "***" in hidden


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "Basic"])
def test_an_authorization_header_is_hidden(scheme):
    assert SECRET not in redact(f"Authorization: {scheme} {SECRET}")
    assert SECRET not in redact(f"sent {scheme} {SECRET} to it")


@pytest.mark.parametrize(
    "text",
    [
        "the status code 404",
        "no token for account 'me'",
        "error_code=17",
        "unknown token type",
        "the bearer token has ended",
        'Bearer error="invalid_token"',
        "postcode: 12345",
    ],
)
def test_ordinary_sentences_stay(text):
    assert redact(text) == text


@given(st.text(min_size=8), st.text(), st.text())
def test_a_known_secret_is_hidden_wherever_it_stands(secret, before, after):
    assert secret not in redact(before + secret + after, [secret]).replace("***", "")


def test_a_url_keeps_what_is_no_secret():
    url = f"https://user:{SECRET}@h:1/p?code={SECRET}&date_from=2026-10-24&Access_Token={SECRET}"
    assert redact_url(url) == "https://h:1/p?code=***&date_from=2026-10-24&Access_Token=***"


def test_a_long_or_wild_text_becomes_one_short_line():
    assert short("a\r\n\tb\x1b[31m c") == "a b [31m c"
    assert len(short("x" * 10_000)) == 300
