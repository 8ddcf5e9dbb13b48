"""A masked frame gives the same answers wherever it has been: what it was masked with is in it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import EYES, MINUTES, frames
from support.logs import LOGS
from support.reasons import judged


def but_for_noise(table: pd.DataFrame) -> pd.DataFrame:
    """Return Intervals without what masked records have lost: the gaps under noise."""
    return table[[n for n in table if not str(n).startswith(("noisy_", "onset_"))]]


SUMMARIES: dict[str, Callable[..., Any]] = {
    "daily": el.daily,
    "coverage": el.coverage,
    "states": lambda frame, **options: el.states(frame, **options).to_frame(),
    "intervals": lambda frame, **options: but_for_noise(el.intervals(frame, **options)),
    "hours": lambda frame, **options: el.summary(frame, by="hour", **options),
}
LIMITS = st.builds(
    el.Limits,
    min_worn=st.sampled_from(["5s", "20s", "41s"]),
    max_noise=st.sampled_from([None, "0s", "2s", "14s"]),
    walking_above=st.sampled_from([0, 3]),
    tilt_fore_aft_deg=st.sampled_from([(-45, 90), (-1, 11)]),
    wear=st.sampled_from(["device", "blinks"]),
)


def by_csv(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    frame.to_csv(folder / "masked.csv")
    table = pd.read_csv(folder / "masked.csv", index_col="date", parse_dates=["date"])
    return table.set_axis(pd.to_datetime(table.index, utc=True).tz_convert(frame.index.tz))


def by_parquet(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    frame.to_parquet(folder / "masked.parquet")
    return pd.read_parquet(folder / "masked.parquet")


def by_polars(frame: pd.DataFrame, folder: Path) -> pl.DataFrame:
    pl.from_pandas(frame.reset_index()).write_parquet(folder / "masked.parquet")
    return pl.read_parquet(folder / "masked.parquet")


def in_two(frame: pd.DataFrame, folder: Path) -> pd.DataFrame:
    half = len(frame) // 2
    return pd.concat([frame.iloc[half:], frame.iloc[:half]]).sort_index()


WAYS = {"csv": by_csv, "parquet": by_parquet, "polars": by_polars, "two": in_two}


def same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    assert_frame_equal(found, expected, check_freq=False, rtol=1e-9)


@pytest.mark.parametrize(("log", "way"), [*zip([*LOGS] * 2, WAYS, strict=True)])
def test_a_masked_frame_has_the_answers_of_its_records_wherever_it_was(
    log: str, way: str, tmp_path: Path
) -> None:
    frame = el.simulate("2026-10-19", 2, log=log, seed=3, tz="Asia/Tokyo")
    limits = el.Limits(max_noise="1s", min_worn="41s", walking_above=2)
    masked = judged(frame, limits=limits)
    arrived = WAYS[way](masked, tmp_path)
    if isinstance(arrived, pd.DataFrame):
        arrived.attrs = {}
    for name, ask in SUMMARIES.items():
        expected = ask(frame, limits=limits)
        if name != "states":
            assert not np.allclose(expected["valid_s" if name == "intervals" else "valid_h"], 0)
        same(ask(arrived, log=log, limits=limits), expected)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(frames(), LIMITS, st.sampled_from(sorted(WAYS)))
def test_any_masked_frame_has_the_answers_of_its_records_wherever_it_was(
    tmp_path: Path, frame: pd.DataFrame, limits: el.Limits, way: str
) -> None:
    log = frame.attrs["eyelog"]["log"]
    masked = judged(frame, limits=limits)
    masked.attrs = {}
    arrived = WAYS[way](masked, tmp_path)
    hours = ["n", "recorded_h", "worn_h", "valid_h", "walking_h"]
    found, expected = (el.coverage(f, log=log, limits=limits) for f in (arrived, frame))
    assert_frame_equal(found[hours], expected[hours], check_freq=False)


@pytest.mark.parametrize("log", LOGS)
def test_days_masked_with_other_limits_are_not_summarised_together(log: str) -> None:
    frame = el.simulate("2026-10-19", 2, log=log, seed=3, tz="Asia/Tokyo")
    frame = frame[frame.index > frame.index[0]]
    days = [frame.loc["2026-10-19"], frame.loc["2026-10-20"]]
    chosen = [el.Limits(max_noise="1s"), el.Limits(max_noise="14s", min_worn="41s")]
    parts = [judged(day, limits=limits) for day, limits in zip(days, chosen, strict=True)]
    both = pd.concat(parts)
    both.attrs = {}
    of_intervals = [
        el.intervals(day, "1h", limits=limits) for day, limits in zip(days, chosen, strict=True)
    ]
    usual = el.intervals(days[1], "1h")
    for table in (both, pd.concat(of_intervals), pd.concat([of_intervals[0], usual])):
        for limits in (None, *chosen):
            with pytest.raises(el.ConfigurationError, match="judged by several limits, eyelog"):
                el.daily(table, limits=limits)
    for part, day, limits in zip(parts, days, chosen, strict=True):
        part.attrs = {}
        with pytest.raises(el.ConfigurationError, match="masked with other limits: pass limits="):
            el.daily(part, log=log)
        of_part, of_day = (el.daily(table, log=log, limits=limits) for table in (part, day))
        assert_frame_equal(of_part, of_day)


def test_a_masked_frame_without_its_hours_is_refused_and_the_advice_works() -> None:
    masked = judged(el.sample(MINUTES).iloc[:600])
    with pytest.raises(el.ConfigurationError, match="has lost 'valid_s', which say what"):
        el.daily(masked.drop(columns="valid_s"))
    few = ["wea_s", "hm_po", "stored", "state", "worn_s", "valid_s", "walking_s", "limits"]
    same(el.daily(masked[few])[["worn_h", "valid_h"]], el.daily(masked)[["worn_h", "valid_h"]])
    lost = judged(el.sample(EYES).iloc[:600]).drop(columns="stored")
    with pytest.raises(el.ConfigurationError, match="has lost 'stored', which say what"):
        el.daily(lost)
