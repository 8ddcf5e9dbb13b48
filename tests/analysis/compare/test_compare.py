"""What all comparisons keep to: names, inputs that stay as they were, a light import."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el

FIXED = {
    "events": ["frame", "times", "before", "after"],
    "standardised_mean": ["series"],
    "agreement": ["fifteen", "sixty"],
    "mixed_table": ["frames"],
}
START = "2026-10-19"


@pytest.mark.parametrize("name", FIXED)
def test_the_fixed_names_take_what_was_promised(name: str) -> None:
    parameters = inspect.signature(getattr(el.compare, name)).parameters
    assert list(parameters)[: len(FIXED[name])] == FIXED[name]
    assert all(p.default is not p.empty for p in list(parameters.values())[len(FIXED[name]) :])


@pytest.mark.parametrize(  # group_rates is read like a sentence: counts per exposure, by groups
    "name", [n for n in el.compare.__all__ if n[0].islower() and n != "group_rates"]
)
def test_a_comparison_takes_at_most_two_tables_and_the_rest_by_keyword(name: str) -> None:
    parameters = list(inspect.signature(getattr(el.compare, name)).parameters.values())
    assert sum(p.kind is not p.KEYWORD_ONLY for p in parameters) <= 2
    text = inspect.getdoc(getattr(el.compare, name)) or ""
    assert [
        part for part in ("Parameters\n", "Returns\n", "Raises\n", "Notes\n") if part not in text
    ] == []


def test_every_result_shows_how_much_data_it_is_based_on() -> None:
    for name in el.compare.__all__:
        thing = getattr(el.compare, name)
        if inspect.isclass(thing):
            assert "reason" in thing._fields, name
            assert any(field == "n" or field.startswith("n_") for field in thing._fields), name
            # Bare pairs of numbers have neither a length nor a span.
            if name != "AgreementLimits":
                assert "coverage" in thing._fields, name
                assert any(field.startswith("exposure") for field in thing._fields), name


def _halves(frame: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    stamps = frame["hm_yo"].iloc[::60]
    return stamps.iloc[:40], stamps.iloc[40:80]


def _pair(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    if "isl" in frame:
        return frame, el.simulate(START, 1, log="standard_mode_logs", seed=3)
    return el.simulate(START, 1, seed=3), frame


CALLS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "events": lambda f: el.compare.events(f, f.index[::200], before="2min", after="2min"),
    "standardised_mean": lambda f: el.compare.standardised_mean(f["hm_yo"]),
    "agreement": lambda f: el.compare.agreement(*_pair(f)),
    "wear_diagnostic": lambda f: el.compare.wear_diagnostic(f["hm_yo"], f["tl_yav"] > -45),
    "two_periods": lambda f: el.compare.two_periods(*_halves(f)),
    "mixed_table": lambda f: el.compare.mixed_table({"a": f, "b": f.iloc[:100]}),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_the_input_stays_as_it_was(name: str, log: str) -> None:
    frame = el.simulate(START, 1, log=log, seed=3)
    before, attrs = frame.copy(deep=True), dict(frame.attrs)
    CALLS[name](frame)
    pd.testing.assert_frame_equal(frame, before)
    assert frame.attrs == attrs


@pytest.mark.parametrize(
    "call",
    [
        lambda: el.compare.events([1, 2], [], before="1min", after="1min"),
        lambda: el.compare.standardised_mean([1, 2]),
        lambda: el.compare.agreement(el.sample()["stp"], el.sample()),
        lambda: el.compare.wear_diagnostic([1, 2], [True, False]),
        lambda: el.compare.two_periods([1, 2], [3]),
        lambda: el.compare.rate_ratio(3, 4),
        lambda: el.compare.group_difference(3, {}, outcome="x"),
        lambda: el.compare.fit_mixed(None, "y"),
        lambda: el.compare.mixed_table(el.sample()),
    ],
)
def test_anything_but_a_table_is_refused_in_one_sentence(call: Callable[[], Any]) -> None:
    with pytest.raises(el.ConfigurationError, match=r"takes|needs"):
        call()


def test_comparing_loads_neither_figures_nor_the_packages_of_the_extras() -> None:
    code = "import eyelog.analysis.compare, sys; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"matplotlib", "statsmodels", "dask"}


def test_a_week_can_be_walked_through_from_the_log_to_a_comparison() -> None:
    frame = el.sample("standard_mode_logs")
    days = el.daily(frame)
    change = el.compare.two_periods(days["steps"].iloc[:3], days["steps"].iloc[3:])
    wear = el.compare.wear_diagnostic(days["steps"], days["worn_h"])
    assert change.n_before + change.n_after == wear.n == 7
    assert np.isfinite([change.difference, wear.rho]).all()
