"""The course of each single event."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el

AROUND = {"before": "5min", "after": "5min"}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return el.simulate("2026-10-19", 1, log="standard_mode_logs", tz="Asia/Tokyo", seed=3)


@pytest.fixture(scope="module")
def walks(frame: pd.DataFrame) -> pd.Series:
    return el.gait.bouts(frame)["start"]


@pytest.mark.parametrize(("column", "mean"), [("value", "mean"), ("change", "change")])
def test_events_gives_the_mean_of_the_single_courses(frame, walks, column, mean) -> None:
    each = el.compare.event_courses(frame, walks, fields="hm_yo", **AROUND)
    table = el.compare.events(frame, walks, fields="hm_yo", **AROUND)
    means = each[column].groupby(level=["field", "offset"]).mean()
    pd.testing.assert_series_equal(means, table[mean], check_names=False)


def test_directions_change_along_the_shorter_arc(frame, walks) -> None:
    each = el.compare.event_courses(frame, walks, fields="tl_yav", **AROUND)
    assert each["change"].abs().max() <= 180
    assert each["change"].notna().any()


def test_each_event_has_all_offsets_and_its_own_time(frame, walks) -> None:
    each = el.compare.event_courses(frame, walks, fields=["hm_yo", "hm_po"], **AROUND)
    assert list(each.index.names) == ["field", "event", "offset"]
    assert len(each) == 2 * len(walks) * 10
    assert list(each.index.unique("event")) == sorted(walks)
    assert str(each.index.unique("event").tz) == "Asia/Tokyo"
    assert each.dtypes.tolist() == [np.float64] * 2
