"""Parameters of queries and forms by name, each at most once."""

from collections.abc import Iterable

from eyelog.service.responses import Problem

__all__ = ["by_name"]


def by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return parameters by name.

    Raises
    ------
    Problem
        400 ``invalid_request``, if one is repeated (RFC 6749, section 3.1).
    """
    parameters: dict[str, str] = {}
    for name, value in pairs:
        if name in parameters:
            raise Problem(
                400, "invalid_request", f"parameter {name[:64]!r} is given more than once"
            )
        parameters[name] = value
    return parameters
