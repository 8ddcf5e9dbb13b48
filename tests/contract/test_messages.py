"""A wrong argument gets one clear line, and `messages.txt` has every one of them in one place.

Each public function is called with wrong tables and wrong values, one argument at a time. Where a
text changes on purpose: ``python tests/contract/test_messages.py --write``.
"""

import inspect
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import eyelog as el
from support.examples import EXAMPLES, FOLDER, answer, is_table
from support.kindsoftables import held
from support.paths import ROOT
from support.public import resolve
from support.treatments import cleared

MESSAGES = Path(__file__).with_name("messages.txt")
ANSWER = "an answer"
TABLES = {
    "records": "records of 60 s",
    "bins": "bins of 60 s",
    "reasons": "reasons",
    "days": "days",
    "a field": "a field",
    "a raw score": "a raw score",
}
VALUES = {"an array": np.arange(5.0), "text": "week.csv", "nothing": None}
# Any text is right for these, and any value is true or false.
FREE = {"title", "subject", "name", "dated", "judge"}


class Call(NamedTuple):
    """What is wrong with a call: which argument of which function, and what it is."""

    function: str
    parameter: str
    wrong: str

    def __str__(self) -> str:
        return f"{self.function}({self.parameter}: {self.wrong})"


def wrong_calls(function: str) -> Iterator[tuple[Call, dict[str, Any]]]:
    """Return calls with one wrong argument each, and the arguments."""
    example, signature = EXAMPLES[function], inspect.signature(resolve(function)).parameters
    given = example.arguments(resolve(function))
    first = next(iter(signature))
    for name, parameter in signature.items():
        is_first = name == first and parameter.kind is not parameter.KEYWORD_ONLY
        if is_first or is_table(given.get(name)):
            wrong = {each: held(kind) for each, kind in TABLES.items()} | VALUES
            wrong["a raw score"] = cleared(wrong["a raw score"])
            if is_first and example.kinds:
                wrong |= spoiled(given[first])
        elif name in FREE or parameter.annotation is bool:
            continue
        else:
            wrong = {"'nonsense'": "nonsense", "-1": -1}
        yield from ((Call(function, name, x), given | {name: wrong[x]}) for x in wrong)


def spoiled(table: Any) -> dict[str, Any]:
    """Return a table with fewer rows or values than it needs, or with other stamps."""
    found = {"no rows": table[:0], "one row": table[:1], "rows twice": pd.concat([table, table])}
    if getattr(table.index, "tz", None) is not None:
        found["no zone"] = table.tz_localize(None)
    if isinstance(table, pd.DataFrame):
        numbers = table.select_dtypes("float")
        found["no values"] = table.assign(**dict.fromkeys(numbers, np.nan))
    elif table.dtype.kind == "f":
        found["no values"] = table * np.nan
    return found


def messages(function: str) -> dict[Call, str]:
    """Return what a function says to each wrong call.

    Raises
    ------
    AssertionError
        If it is no error of eyelog's, or more than a line.
    """
    found = {}
    for call, arguments in wrong_calls(function):
        got = answer(function, arguments)
        if not isinstance(got, Exception):
            found[call] = ANSWER
            continue
        text = f"{type(got).__name__}: {got}"
        assert isinstance(got, el.EyelogError), f"{call} raises a bare {text}"
        assert "\n" not in text, f"{call} raises an error of several lines: {text}"
        found[call] = _placeless(text)
    return found


def _placeless(text: str) -> str:
    """Return a message without the folders of this run."""
    text = text.replace(f"{Path.cwd()}/", "").replace(f"{ROOT}/", "")
    return re.sub(re.escape(FOLDER.name) + r"(/tmp\w+)?/", "", text)


@cache
def written() -> dict[Call, str]:
    """Return the messages of `messages.txt`."""
    found = {}
    for block in MESSAGES.read_text().split("\n\n"):
        text, *lines = block.splitlines()
        for line in lines:
            function, parameter, wrong = re.split(r"[(:] ?", line.strip(" )"))
            found |= {Call(function, parameter, each): text for each in wrong.split(", ")}
    return found


def write() -> None:
    said: dict[str, dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for function in EXAMPLES:
        os.chdir(tempfile.mkdtemp(dir=FOLDER.name))  # a wrong path may be written to
        for call, text in messages(function).items():
            said[text][call[:2]].append(call.wrong)
    blocks = []
    for text, calls in sorted(said.items()):
        lines = [f"  {Call(*names, ', '.join(wrong))}" for names, wrong in sorted(calls.items())]
        blocks.append("\n".join([text, *lines]))
    MESSAGES.write_text("\n\n".join(blocks) + "\n")


@pytest.mark.parametrize("function", EXAMPLES)
def test_a_wrong_argument_gets_the_line_that_is_written_down(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a wrong path may be written to
    now = messages(function)
    before = {call: text for call, text in written().items() if call.function == function}
    differences = [
        f"{call}: {before.get(call, 'not tried')!r} is {now.get(call, 'not tried')!r}"
        for call in sorted(before.keys() | now.keys())
        if before.get(call) != now.get(call)
    ]
    meant = "if this is meant: python tests/contract/test_messages.py --write"
    assert not differences, "\n".join([*differences, meant])


def test_no_message_of_a_function_that_is_gone_is_kept() -> None:
    assert {call.function for call in written()} <= set(EXAMPLES)


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    os.environ["EYELOG_TZ"] = "UTC"
    os.environ["EYELOG_HOME"] = f"{FOLDER.name}/home"
    write()
