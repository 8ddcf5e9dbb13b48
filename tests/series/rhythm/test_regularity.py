"""How regularly states repeat from one day to the next."""

import numpy as np
import pandas as pd

import eyelog as el


def hourly(values, *, start: str = "2026-10-19", tz: str = "UTC") -> pd.Series:
    index = pd.date_range(start, periods=len(values), freq="h", tz=tz)
    return pd.Series(np.asarray(values, dtype="float64"), index=index)


def test_missing_states_are_left_out_of_regularity() -> None:
    states = hourly(([1.0] * 8 + [0.0] * 16) * 3)
    states.iloc[30:40] = np.nan
    found = el.rhythm.sleep_regularity(states, night_worn=True)
    assert found.sri == 100
    assert found.pairs == 48 - 20


def test_opposite_days_have_the_lowest_regularity() -> None:
    states = hourly([1.0] * 24 + [0.0] * 24)
    assert el.rhythm.sleep_regularity(states, night_worn=True).sri == -100
