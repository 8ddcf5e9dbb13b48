"""Keywords that are handed on show in a signature, and are refused where nobody takes them."""

import inspect
from pathlib import Path
from typing import Never, TypedDict, Unpack

import pytest

import eyelog as el
from eyelog.keywords import hands_on_to, refuse_unknown
from support.public import public_names


class Options(TypedDict, total=False):
    unit: str | None
    digits: int


def shown(value: float, *, unit: str | None = None, digits: int = 2, **unknown: Never) -> str:
    refuse_unknown(unknown, "length")
    return f"{value:.{digits}f} {unit}"


@hands_on_to(shown)
def length(value: float, *, scale: float = 1.0, **options: Unpack[Options]) -> str:
    return shown(value * scale, **options)


def test_the_signature_names_what_is_handed_on_with_its_type_and_default() -> None:
    assert str(inspect.signature(length)) == (
        "(value: float, *, scale: float = 1.0, unit: str | None = None, digits: int = 2) -> str"
    )


def test_what_is_handed_on_arrives() -> None:
    assert length(2.0, scale=2.0, unit="m", digits=1) == "4.0 m"
    assert length(2.0) == "2.00 None"


def test_a_keyword_that_nobody_takes_is_refused_by_the_name_of_the_function_called() -> None:
    with pytest.raises(TypeError, match=r"^length\(\) got an unexpected keyword argument 'units'$"):
        length(2.0, units="m")  # type: ignore[call-arg]


HANDING_ON = {
    name: thing
    for name, thing in public_names().items()
    if inspect.isfunction(thing) and hasattr(thing, "__signature__")
}


@pytest.mark.parametrize("name", HANDING_ON)
def test_every_function_of_the_package_that_hands_on_refuses_a_keyword_by_its_own_name(
    name: str, tmp_path: Path
) -> None:
    parameters = inspect.signature(HANDING_ON[name]).parameters.values()
    assert all(each.kind is not each.VAR_KEYWORD for each in parameters)
    needed = [each for each in parameters if each.default is each.empty]
    frame = el.sample().iloc[:10]
    given = {"frame": frame, "series": frame["stp"], "states": frame["stp"] > 0, "every": "1min"}
    archive = el.Archive("memory://no-keyword")
    given |= {"archive": archive, "function": len, "log": "computed_data"}
    given["self"] = el.Client("http://localhost:1", application=None, home=tmp_path)
    with pytest.raises(TypeError, match=rf"^({name}|{name.split('.')[-1]})\(\) got an unexpected"):
        HANDING_ON[name](**{each.name: given.get(each.name, frame) for each in needed}, limts=None)
