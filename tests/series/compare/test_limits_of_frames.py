"""Comparisons follow the limits that frames were masked with, or say which to pass."""

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import EYES, MINUTES

STRICT = el.Limits(max_noise="1s", min_worn="50s")
AROUND = {"before": "5min", "after": "5min", "fields": "hm_yo"}


@pytest.fixture(scope="module")
def logs() -> dict[str, pd.DataFrame]:
    return {log: el.simulate("2026-10-19", 2, log=log, seed=4) for log in (EYES, MINUTES)}


@pytest.fixture(scope="module")
def masked(logs: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {log: el.mask(one, el.flag(one, limits=STRICT)) for log, one in logs.items()}


def calls(frames: dict[str, pd.DataFrame]) -> dict:
    both, sixty = list(frames.values()), frames[MINUTES]
    times = frames[MINUTES].index[600:900:100]
    return {
        "agreement": lambda **of: el.compare.agreement(*both, **of),
        "minute_pairs": lambda **of: el.compare.minute_pairs(*both, quantity="worn", **of),
        "events": lambda **of: el.compare.events(sixty, times, **AROUND, **of),
        "event_courses": lambda **of: el.compare.event_courses(sixty, times, **AROUND, **of),
        "mixed_table": lambda **of: el.compare.mixed_table({"ada": sixty}, **of),
    }


@pytest.mark.parametrize(
    "name", ["agreement", "minute_pairs", "events", "event_courses", "mixed_table"]
)
def test_frames_masked_with_other_limits_give_what_these_limits_give_of_the_records(
    name: str, logs: dict[str, pd.DataFrame], masked: dict[str, pd.DataFrame]
) -> None:
    of_records, of_masked = calls(logs)[name], calls(masked)[name]
    assert_frame_equal(of_masked(limits=STRICT), of_records(limits=STRICT))
    with pytest.raises(el.ConfigurationError, match="masked with other limits: pass limits="):
        of_masked()
    if name in ("agreement", "mixed_table"):  # the limits make a difference
        with pytest.raises(AssertionError):
            assert_frame_equal(of_records(limits=STRICT), of_records())
