"""What a page names of all that it looks at."""

import numpy as np
import pandas as pd

from eyelog.reports.findings import LEAST_DAYS, findings, stands


def test_what_stands_out_is_corrected_for_all_that_was_looked_at() -> None:
    # Holm: 0.001 * 4, 0.02 * 3 fails, and what follows fails with it; a missing p is no look.
    found = stands(np.array([0.02, np.nan, 0.001, 0.03, 0.3]), 0.05)
    assert found.tolist() == [False, False, True, False, False]
    assert stands(np.array([0.01, 0.024, 0.04]), 0.05).all()
    assert not stands(np.array([0.01, 0.024, 0.04]), 0.035).all()


def test_a_quantity_with_too_few_days_is_not_looked_at() -> None:
    index = pd.date_range("2026-10-01", periods=20, name="day")
    noise = np.random.default_rng(1).normal(0, 1, 20)
    table = pd.DataFrame({"worn_h": 12.0 + noise, "steps": 6000 + 500 * noise}, index=index)
    table.loc[index[LEAST_DAYS - 1 :], "steps"] = np.nan
    found = findings(table)
    assert list(found.trends) == ["worn_h"]
    assert found.looks == 1
