"""Computations side by side give what they give one after another."""

import threading

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog import cores
from eyelog.cores import LEAST_VALUES, on_cores


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: 4)


def test_results_stand_in_the_order_of_the_calls(four_cores: None) -> None:
    calls = [lambda i=i: i * i for i in range(50)]
    assert on_cores(calls, values=LEAST_VALUES) == [i * i for i in range(50)]


def test_an_error_in_one_call_reaches_the_caller(four_cores: None) -> None:
    def fail() -> None:
        raise el.ConfigurationError("no such thing")

    with pytest.raises(el.ConfigurationError, match="no such thing"):
        on_cores([fail, *[lambda: None] * 20], values=LEAST_VALUES)


def test_what_the_caller_has_told_numpy_holds_in_every_call(four_cores: None) -> None:
    together = threading.Barrier(4, timeout=30)

    def divide() -> float:
        together.wait()
        return float(np.float64(1.0) / np.float64(0.0))

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        on_cores([divide] * 4, values=LEAST_VALUES)


@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_tables_do_not_depend_on_the_number_of_cores(
    log: str, four_cores: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = el.sample(log)

    def tables() -> list[pd.DataFrame]:
        reasons = el.flag(frame)
        masked = el.mask(frame, reasons)
        bins = el.resample(masked, "10min")
        return [reasons, masked, bins, el.daily(masked), el.resample(frame, "1h")]

    alone = tables()
    monkeypatch.setattr(cores, "LEAST_VALUES", 0)
    for one, several in zip(alone, tables(), strict=True):
        assert_frame_equal(one, several, check_exact=True)
        assert one.attrs == several.attrs
