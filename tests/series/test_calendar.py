"""Hours, weekdays, weekends and weeks of stamps."""

import pandas as pd
import pytest

import eyelog as el

ZONES = ["UTC", "Asia/Tokyo", "Europe/Berlin", "America/Santiago"]


def test_a_single_time_of_day_without_a_zone_is_refused_among_dates() -> None:
    index = pd.DatetimeIndex(["2026-10-19", "2026-10-20 05:00"], name="day")
    with pytest.raises(el.ConfigurationError, match="times of day without a zone"):
        el.weekly(pd.DataFrame({"steps": [1.0, 2.0]}, index=index))
