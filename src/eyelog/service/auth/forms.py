"""Parameters of the OAuth endpoints: each at most once; an empty one counts as missing."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from eyelog.service.parameters import by_name
from eyelog.service.responses import Problem

__all__ = ["FORM", "empty_fields", "filled", "read_form", "require"]

FORM = "application/x-www-form-urlencoded"
_MOST_FIELDS = 50


async def read_form(request: Request) -> dict[str, str]:
    """Return the parameters of a form-encoded body.

    Raises
    ------
    Problem
        400 ``invalid_request``, if the body is not form-encoded or repeats a parameter.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise Problem(400, "invalid_request", f"the body must be a form: Content-Type {FORM}")
    body = await request.body()
    try:
        return filled(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST_FIELDS))
    except ValueError:
        raise Problem(400, "invalid_request", "the body is not a readable form") from None


def filled(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return the parameters that have a value, by name; none may be repeated."""
    return {name: value for name, value in by_name(pairs).items() if value}


def require(form: dict[str, str], *names: str) -> list[str]:
    """Return the values of `names`; refuse a form that lacks any, naming them."""
    missing = [name for name in names if name not in form]
    if missing:
        raise Problem(400, "invalid_request", f"missing from the form: {', '.join(missing)}")
    return [form[name] for name in names]


def empty_fields(name: str, form: dict[str, str]) -> dict[str, str]:
    """Return texts for the empty fields of a login, which is not counted as a guess."""
    wrong = {} if name else {"name": "Enter your name."}
    return wrong if form.get("password") else wrong | {"password": "Enter your password."}
