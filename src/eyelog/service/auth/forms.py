"""Parameters of the OAuth endpoints: each at most once, an empty one is as good as none."""

from urllib.parse import parse_qsl

from starlette.requests import Request

from eyelog.service.responses import Problem

__all__ = ["FORM", "once", "read_form", "require"]

FORM = "application/x-www-form-urlencoded"
_MOST = 50


async def read_form(request: Request) -> dict[str, str]:
    """Return the parameters of a form-encoded body.

    Raises
    ------
    Problem
        400 ``invalid_request``, if the body is no such form or repeats a parameter.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != FORM:
        raise Problem(400, "invalid_request", f"the body must be a form: Content-Type {FORM}")
    body = await request.body()
    try:
        return once(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=_MOST))
    except ValueError:
        raise Problem(400, "invalid_request", "the body is not a readable form") from None


def once(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return parameters by name; RFC 6749, section 3.1: none may be repeated."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise Problem(
                400, "invalid_request", f"parameter {name[:64]!r} is given more than once"
            )
        found[name] = value
    return {name: value for name, value in found.items() if value}


def require(form: dict[str, str], *names: str) -> list[str]:
    """Return the values of `names`, or refuse with the names that are missing."""
    missing = [name for name in names if name not in form]
    if missing:
        raise Problem(400, "invalid_request", f"missing from the form: {', '.join(missing)}")
    return [form[name] for name in names]
