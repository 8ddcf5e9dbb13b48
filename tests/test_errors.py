"""The error tree is the one that design and documents draw, and its errors read as sentences."""

import pytest

import eyelog as el

PARENTS = {
    "ConfigurationError": (el.EyelogError, ValueError),
    "FieldError": (el.EyelogError, KeyError),
    "MixedLogsError": (el.EyelogError, ValueError),
    "RequestError": (el.EyelogError,),
    "Unreachable": (el.RequestError,),
    "Refused": (el.RequestError,),
    "AuthorizationError": (el.RequestError,),
    "RateLimited": (el.RequestError,),
    "ServerFault": (el.RequestError,),
    "AnswerError": (el.EyelogError,),
    "NotCached": (el.EyelogError,),
    "ArchiveError": (el.EyelogError,),
    "EyelogError": (Exception,),
    "EyelogWarning": (UserWarning,),
}


@pytest.mark.parametrize(("name", "parents"), PARENTS.items())
def test_an_error_has_its_place_in_the_tree(name: str, parents: tuple[type, ...]) -> None:
    assert getattr(el, name).__bases__ == parents


def test_a_request_error_says_whether_and_when_to_try_again() -> None:
    error = el.RateLimited(
        "too many requests", status=429, retryable=True, retry_after=12.0, url="http://x/"
    )
    assert str(error) == "too many requests"
    assert (error.status, error.retryable, error.retry_after, error.url) == (
        429,
        True,
        12.0,
        "http://x/",
    )
    with pytest.raises(TypeError, match="RateLimited has no retry"):
        el.RateLimited("too many requests", retry=True)
    bare = el.Unreachable("no answer")
    assert (bare.status, bare.retryable, bare.retry_after, bare.url) == (None, False, None, None)


def test_days_that_are_not_cached_are_named() -> None:
    error = el.NotCached("2 days are missing", missing=("2026-10-24", "2026-10-25"))
    assert error.missing == ("2026-10-24", "2026-10-25")
    assert el.NotCached("none").missing == ()


def test_a_field_error_reads_as_a_sentence_though_it_is_a_key_error() -> None:
    assert str(el.FieldError("unknown field 'x'")) == "unknown field 'x'"
    assert str(el.FieldError()) == ""
    assert repr(el.FieldError("no 'x'")) == "FieldError(\"no 'x'\")"
