"""A log that no eyewear writes: what the catalogue says of it is all that there is."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd
import pytest

from eyelog import catalogue
from eyelog.judge import limits

TRIAL: Final = catalogue.Log(
    name="trial_log",
    interval_s=1,
    words="1-second log",
    time_roles=MappingProxyType({"valid": ("worn", "walking")}),
)
FIELDS: Final = """\
trial_log,date,date,string,datetime,,1970-01-01T00:00:00Z,2099-12-31T23:59:59,,time,,,none,,,,,x
trial_log,pulse,pulseRate,number,int,bpm,30,220,-1,static,,,mean,,,Pulse,,vendor-doc
trial_log,stairs,stairCount,number,int,count,0,255,,gait,,,sum,,steps walking,Stairs,,vendor-doc
trial_log,off_head,isOffHead,boolean,bool,bool,,,,wear,,,mean,,worn,Off the head,,vendor-doc
"""
LIMITS: Final = (
    limits.Limit("worn", TRIAL.name, "worn", "x <= a", (0,), "bool", "{field} false", "trial", ""),
    limits.Limit("walking", TRIAL.name, "walking", "x > a", (0,), "count", "{a:g}", "trial", ""),
)


@contextmanager
def trial_log(
    monkeypatch: pytest.MonkeyPatch, *, more_fields: str = "", more_limits: tuple[Any, ...] = ()
) -> Iterator[catalogue.Log]:
    """Give the catalogue one log more: a `Log`, its rows of ``fields.csv``, and its limits."""
    fields, rows = catalogue._csv_bytes(), limits._rows()
    with monkeypatch.context() as patch:
        patch.setattr(catalogue, "_LOGS", {**catalogue._LOGS, TRIAL.name: TRIAL})
        patch.setattr(catalogue, "_csv_bytes", lambda: fields + (FIELDS + more_fields).encode())
        more = [limits.Limit(*each) for each in more_limits]
        patch.setattr(limits, "_rows", lambda: (*rows, *LIMITS, *more))
        _forget()
        yield TRIAL
    _forget()


def _forget() -> None:
    """Empty what modules, and a method of limits, remember of the catalogue."""
    limits.Limits.of.cache_clear()
    for name, module in list(sys.modules.items()):
        if name == "eyelog" or name.startswith("eyelog."):
            for each in list(vars(module).values()):
                clear = getattr(each, "cache_clear", None)
                if clear is not None and getattr(each, "__module__", "") == name:
                    clear()


def seconds(n: int = 600, *, seed: int = 1) -> pd.DataFrame:
    """Return records of the trial log: 10 s not worn, 20 s of stairs, an invalid pulse, a gap."""
    draws = np.random.default_rng(seed)
    index = pd.date_range("2026-10-24 10:00:01", periods=n, freq="1s", tz="UTC", name="date")
    data: dict[str, Any] = {
        "pulse": draws.integers(55, 75, n).astype("float64"),
        "stairs": np.zeros(n),
        "off_head": pd.array(np.zeros(n, dtype=bool), dtype="boolean"),
    }
    frame = pd.DataFrame(data, index=index.as_unit("us"))
    frame.iloc[100:110, frame.columns.get_loc("off_head")] = True
    frame.iloc[200:220, frame.columns.get_loc("stairs")] = 1.0
    frame.iloc[300, frame.columns.get_loc("pulse")] = -1.0
    frame.iloc[301, frame.columns.get_loc("pulse")] = 400.0
    return frame.drop(frame.index[400:430])
