"""Keywords that a function passes on unchanged: stated once, and shown in its signature.

    @hands_on_to(open_frame)
    def pace(frame, *, by=None, **options: Unpack[FrameOptions]):
        opened = open_frame(frame, "gait.pace", **options)

The names and types are in `FrameOptions`, the defaults in `open_frame`. `help`, completion in a
notebook and the documentation show them as keywords of `pace`; type checkers read `FrameOptions`.
"""

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from typing import Any, TypeVar, cast, get_args, get_type_hints

__all__ = ["hands_on_to", "refuse_unknown", "show_options"]

Function = TypeVar("Function", bound=Callable[..., Any])


def hands_on_to(taker: Callable[..., Any]) -> Callable[[Function], Function]:
    """Let the signature of a function show what it passes on to another, instead of `**options`."""
    taken = signature(taker).parameters

    def with_keywords(function: Function) -> Function:
        return show_options(function, {name: given.default for name, given in taken.items()})

    return with_keywords


def show_options(function: Function, defaults: Mapping[str, Any] | None = None) -> Function:
    """Let a signature show the keywords of `**options`; without defaults they are None."""
    whole = signature(function)
    *own, handed_on = whole.parameters.values()
    (options,) = get_args(handed_on.annotation)
    named = get_type_hints(options)
    given = dict.fromkeys(named) if defaults is None else defaults
    shared = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=given[name], annotation=kind)
        for name, kind in named.items()
    ]
    cast(Any, function).__signature__ = whole.replace(parameters=[*own, *shared])
    return function


def refuse_unknown(unknown: Mapping[str, Any], what: str) -> None:
    """Raise `TypeError`, as Python does, for a keyword that was passed on from `what`."""
    for name in unknown:
        raise TypeError(f"{what}() got an unexpected keyword argument {name!r}")
