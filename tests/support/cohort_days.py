"""The daily table of a made-up cohort."""

from typing import Any

import numpy as np
import pandas as pd

USUAL = {
    "worn_h": 10.0,
    "valid_h": 8.0,
    "blink_rate_per_min": 15.0,
    "eye_moves_per_h": 1500.0,
    "steps": 7000.0,
    "walking_h": 1.2,
    "pace_spm": 110.0,
    "head_moves_yaw_per_h": 170.0,
    "tilt_fore_aft_deg": -10.0,
}


def cohort_days(
    wearers: int = 8,
    days: int = 6,
    *,
    effect: float = 0.0,
    seed: int = 1,
    groups: tuple[str, ...] = ("control", "treated"),
    **lost: Any,
) -> pd.DataFrame:
    """Return days of wearers ``w00``, ``w01``, ... by turns of the groups.

    The blink rate of the last group is `effect` higher. `lost` is what the provenance says of the
    wearers without rows: ``failed={...}``, ``without_days=[...]``.
    """
    rng = np.random.default_rng(seed)
    index = pd.date_range("2026-10-19", periods=days, freq="D", tz="Asia/Tokyo", name="day")
    tables = {}
    for number in range(wearers):
        own = rng.normal(size=len(USUAL))
        noise = rng.normal(size=(days, len(USUAL)))
        usual = np.array(list(USUAL.values()))
        table = pd.DataFrame(usual * (1 + 0.1 * own + 0.05 * noise), index, list(USUAL))
        group = groups[number % len(groups)]
        table["blink_rate_per_min"] += effect * (group == groups[-1])
        table["group"] = pd.array([group] * days, dtype="str")
        table["age"] = np.int64(20 + number)
        tables[f"w{number:02}"] = table
    out = pd.concat(tables, names=["account"])
    step = {"step": "cohort.daily", "covariates": ["group", "age"], "failed": {}}
    step |= {"without_days": [], "inventory": "0" * 64, **lost}
    out.attrs = {"eyelog": {"log": "standard_mode_logs", "history": [step]}}
    return out
