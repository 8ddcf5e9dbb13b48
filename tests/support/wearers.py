"""Simulated wearers that several tests look at, and what their records say."""

from functools import lru_cache
from typing import Any

import pandas as pd

import eyelog as el
from support.logs import LOGS

FIFTEEN, SIXTY = LOGS
MONDAY = "2026-10-19"


@lru_cache
def fortnight(log: str, seed: int) -> pd.DataFrame:
    return el.simulate(MONDAY, 14, log=log, seed=seed)


@lru_cache
def truth_of_fortnight(log: str, seed: int) -> pd.DataFrame:
    return el.simulate_truth(MONDAY, 14, log=log, seed=seed)


def truth_of_sample(log: str) -> pd.DataFrame:
    return el.simulate_truth(MONDAY, 7, log=log, seed=14, tz="Asia/Tokyo")


def steps_of(frame: pd.DataFrame) -> "pd.Series[float]":
    if "stp" in frame:
        return frame["stp"]
    return frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum(axis=1)


def on_a_head(frame: pd.DataFrame) -> "pd.Series[bool]":
    return frame["tl_xav"].between(-45, 45) & frame["tl_yav"].between(-45, 90)


def hourly(values: "pd.Series[Any]") -> "pd.Series[Any]":
    return values.groupby(values.index.ceil("1h") - pd.Timedelta("1h")).sum()
