"""Every duration that an analyst types is read in one place and refused in one sentence."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
import pytest

import eyelog as el

FRAME = el.sample()
SERIES = FRAME["tl_yav"].copy()
SERIES.attrs = {}  # as one of another sensor
TIMES = FRAME.index[[100]]


@pytest.mark.parametrize(
    "duration",
    [
        "90s",
        "1.5min",
        "0 days 00:01:30",
        timedelta(seconds=90),
        pd.Timedelta(90, "s"),
        np.timedelta64(90, "s"),
    ],
)
def test_text_and_timedeltas_are_read(duration: Any) -> None:
    found = el.episodes(SERIES > 0, at_least=duration)
    pd.testing.assert_frame_equal(found, el.episodes(SERIES > 0, at_least="90000ms"))
    assert len(found) < len(el.episodes(SERIES > 0))


def test_zero_and_negative_durations_are_read_only_where_they_mean_something() -> None:
    whole = el.episodes(SERIES > 0)
    for nothing in ("0s", "0"):
        pd.testing.assert_frame_equal(el.episodes(SERIES > 0, at_least=nothing), whole)
    with pytest.raises(el.ConfigurationError, match="at_least must be a duration of 0 or more, "):
        el.episodes(SERIES > 0, at_least="-1s")
    with pytest.raises(el.ConfigurationError, match="period must be a duration longer than 0, "):
        el.rhythm.cosinor(SERIES, period="0s")


@pytest.mark.parametrize("wrong", ["soon", "", "NaT", "W", None, pd.NaT, np.nan, [], "5", 5, 5.0])
def test_what_is_not_a_duration_with_a_unit_is_refused(wrong: Any) -> None:
    with pytest.raises(el.ConfigurationError, match=r"^at_least must be .*, such as '\w+', not "):
        el.episodes(SERIES > 0, at_least=wrong)


USERS: dict[str, Callable[[Any], Any]] = {
    "at_least": lambda d: el.episodes(SERIES > 0, at_least=d),
    "interval": lambda d: el.episodes(SERIES > 0, interval=d),
    "max_pause": lambda d: el.gait.bouts(FRAME, max_pause=d),
    "min_length": lambda d: el.gait.bouts(FRAME, min_length=d),
    "min_length ": lambda d: el.rhythm.activity_bouts(SERIES, threshold=0, min_length=d),
    "min_valid": lambda d: el.blinks.rate(FRAME, limits=el.Limits(min_valid=d)),
    "period": lambda d: el.rhythm.cosinor(SERIES, period=d),
    "window": lambda d: el.baseline.personal(SERIES, window=d),
    "before": lambda d: el.compare.events(SERIES, TIMES, before=d, after="1min"),
    "after": lambda d: el.compare.events(SERIES, TIMES, before="1min", after=d),
    "every": lambda d: el.compare.events(SERIES, TIMES, before="1min", after="1min", every=d),
    "baseline": lambda d: el.compare.events(
        SERIES, TIMES, before="1min", after="1min", baseline=(d, "0s")
    ),
}


@pytest.mark.parametrize("name", USERS)
def test_every_user_names_the_parameter_the_value_and_an_example(name: str) -> None:
    message = rf"^{name.strip()} must be a duration.*, such as '\w+', not 'soon'$"
    with pytest.raises(el.ConfigurationError, match=message):
        USERS[name]("soon")
