"""Computations side by side give what they give one after another."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog import cores


@pytest.fixture
def four_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable_cores", lambda: 4)


@pytest.mark.parametrize("log", ["computed_data", "standard_mode_logs"])
def test_tables_do_not_depend_on_the_number_of_cores(
    log: str, four_cores: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    week = el.sample(log)
    weeks = range(70_000 // len(week) + 1)  # more records than are judged at once
    frame = pd.concat([week.set_axis(week.index + pd.Timedelta(7 * n, "D")) for n in weeks])

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
