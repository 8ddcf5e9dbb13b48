"""What both logs share: the blink buffer and the gait of the two feet; and how far they agree."""

import pandas as pd
import pytest

from support.wearers import FIFTEEN, hourly, steps_of, truth_of_sample


def test_both_logs_count_the_same_steps(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    truth = truth_of_sample(FIFTEEN)
    whole = truth.index[truth["recorded_min"] == 60]
    one, other = (
        hourly(steps_of(frame)).reindex(whole, fill_value=0) for frame in (fifteen, sixty)
    )
    walked = one > 200
    assert walked.sum() > 15
    # They differ by the edges: an interval of 15 s may run over the end of the hour.
    assert ((one - other).abs() <= 30).all()
    assert other.sum() / one.sum() == pytest.approx(1, abs=0.01)


def test_both_logs_see_the_same_wear_and_blinks(fifteen: pd.DataFrame, sixty: pd.DataFrame) -> None:
    truth = truth_of_sample(FIFTEEN)
    whole = truth.index[truth["recorded_min"] == 60]
    worn = hourly((~fifteen["isl"]).astype(float) * 15).reindex(whole, fill_value=0)
    also = hourly(sixty["wea_s"]).reindex(whole, fill_value=0)
    assert (worn - also).abs().max() < 150
    blinks = hourly(fifteen["bk_n"]).reindex(whole, fill_value=0)
    others = hourly(sixty["lc_bk_n"]).reindex(whole, fill_value=0)
    assert blinks.sum() / others.sum() == pytest.approx(1, abs=0.05)
