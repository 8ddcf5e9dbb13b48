"""What a message says to type works when it is typed."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el

FRAME = el.simulate("2026-10-19", 3, log="standard_mode_logs", seed=1, tz="Europe/Berlin")
DAYS = el.daily(FRAME)
STEPS = DAYS["steps"].copy()
STEPS.attrs = {}
# Code in a message: from a name of what was passed, or of eyelog, to the last bracket.
CODE = r"((?:~?frame|table|series|eyelog|pd)\b[\w.]*[.\[(].*[)\]])"


def as_text(table: Any) -> Any:
    return table.set_axis(table.index.astype(str))


def of_two(table: Any) -> Any:
    return pd.concat({"ann": table, "bob": table}, names=["account"])


def with_columns(table: pd.DataFrame, **columns: Any) -> pd.DataFrame:
    made = table.assign(**columns)
    made.attrs = table.attrs
    return made


Case = tuple[Any, Callable[[Any], Any]]
CASES: dict[str, Case] = {
    "records without an index": (FRAME.reset_index(), el.daily),
    "records with stamps as text": (as_text(FRAME), el.daily),
    "records of a file": (FRAME.reset_index().astype({"date": str}), el.daily),
    "records without a zone": (FRAME.tz_localize(None), el.daily),
    "records with times without a zone": (FRAME.tz_localize(None).reset_index(), el.daily),
    "records of two wearers": (of_two(FRAME), el.daily),
    "a column of records of a file": (
        FRAME.reset_index().astype({"date": str}),
        lambda table: el.rhythm.profile(table, "stp_s"),
    ),
    "a column of records of two wearers": (
        of_two(FRAME),
        lambda table: el.rhythm.profile(table, "stp_s"),
    ),
    "days without an index": (DAYS.reset_index(), lambda table: el.baseline.trend(table, "steps")),
    "days of a merge": (
        DAYS.reset_index().merge(pd.DataFrame({"day": DAYS.index, "mood": 1.0})),
        el.weekly,
    ),
    "days of a merge, as text": (DAYS.reset_index().astype({"day": str}), el.weekly),
    "days of two wearers": (of_two(DAYS), el.weekly),
    "a column of days of two wearers": (
        of_two(DAYS),
        lambda table: el.baseline.personal(table, "steps"),
    ),
    "days out of order": (STEPS.iloc[::-1], el.baseline.trend),
    "days twice": (pd.concat([STEPS, STEPS]).sort_index(), el.baseline.trend),
    "days with a missing date": (
        STEPS.set_axis(STEPS.index.where(np.arange(len(STEPS)) > 0)),
        el.baseline.trend,
    ),
    "values as text": (STEPS.astype(str), el.baseline.trend),
    "a field as text": (
        with_columns(FRAME, stp_s=FRAME["stp_s"].astype(str)),
        el.daily,
    ),
    "records out of order in a figure": (
        FRAME.iloc[::-1],
        lambda frame: el.plot_timeline(frame, ["stp_s"]),
    ),
    "a Series of records": (FRAME["stp_s"], el.rhythm.profile),
    "a masked Series": (el.mask(FRAME, el.flag(FRAME))["stp_s"], el.rhythm.cosinor),
    "values by the thousand": (
        el.simulate("2026-10-19", 5, log="standard_mode_logs", seed=1),
        lambda frame: el.baseline.personal(frame, "stp_s"),
    ),
    "a summary of bins": (el.resample(FRAME, "10min"), el.daily),
    "a column of bins in a summary by hour": (el.resample(FRAME, "1h"), el.blinks.rate),
}


def typed(message: str, table: Any) -> Any:
    """Return what the code in a message makes of the table; numbers become a column of it."""
    code = re.search(CODE, message)
    assert code, f"says nothing to type: {message}"
    here = {"pd": pd, "pandas": pd, "eyelog": el, "frame": table, "table": table, "series": table}
    if "eyelog." in code[1] and "resample" not in message:
        here["frame"] = FRAME
    found = eval(code[1], here)
    column = re.search(r"to_numeric\(frame\['(\w+)'\]", code[1])
    return with_columns(table, **{column[1]: found}) if column else found


@pytest.mark.parametrize("name", CASES)
def test_what_a_message_says_to_type_works(name: str) -> None:
    table, call = CASES[name]
    for _ in range(3):
        try:
            answered = call(table)
        except el.EyelogError as error:
            message = str(error)
        else:
            break
        whole = re.search(r"(profile|cosinor)\(frame, '(\w+)'\)", message)
        if whole:  # the whole call, with the frame that the Series is of
            answered = getattr(el.rhythm, whole[1])(FRAME, whole[2])
            break
        days = re.search(r"personal\(eyelog\.daily\(frame\), 'steps'\)", message)
        if days:
            answered = el.baseline.personal(el.daily(table), "steps")
            break
        if "take records" in message or "takes records" in message:
            table = el.intervals(FRAME, "10min")
            continue
        table = typed(message, table)
    else:
        pytest.fail(f"{name}: three times advised, and still: {message}")
    assert answered is not None
    index = getattr(table, "index", None)
    if isinstance(index, pd.DatetimeIndex) and len(index):
        assert index.max().year == 2026


def test_the_days_that_are_typed_from_text_are_those_that_were() -> None:
    table = DAYS.reset_index().astype({"day": str})
    with pytest.raises(el.ConfigurationError) as caught:
        el.weekly(table)
    again = typed(str(caught.value), table)
    assert again.index.tolist() == DAYS.index.tolist()
