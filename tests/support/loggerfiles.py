"""Files as the Logger app and the vendor's sample script save them."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

import eyelog as el
from support.answers import encode_answer
from support.logs import LOGS, columns, rows

FIFTEEN, SIXTY = LOGS
HOURS = {log: el.sample(log).loc["2026-10-21 09:00":"2026-10-21 10:30"] for log in LOGS}
TEN = HOURS[FIFTEEN].iloc[:10]
Put = Callable[..., Path]
DATES = {
    "Z": lambda index: index.tz_convert("UTC").strftime("%Y-%m-%dT%H:%M:%SZ"),
    "+0900": lambda index: index.tz_convert("Asia/Tokyo").strftime("%Y-%m-%dT%H:%M:%S+0900"),
    "+09:00": lambda index: index.tz_convert("Asia/Tokyo").strftime("%Y-%m-%dT%H:%M:%S+09:00"),
    "naive": lambda index: index.tz_convert("Asia/Tokyo").strftime("%Y-%m-%dT%H:%M:%S"),
    "swift": lambda index: index.tz_convert("UTC").strftime("%Y-%m-%d %H:%M:%S +0000"),
}


def long_fields(log: str) -> list[str]:
    """Return the fields of the Logger app: those with a long name."""
    return [name for name in columns(log) if rows(log)[name]["long_name"]]


def logger_part(frame: pd.DataFrame, log: str) -> pd.DataFrame:
    """Return the part of a frame that a Logger file can hold, in UTC."""
    return frame[long_fields(log)].tz_convert("UTC")


def logger_csv(
    frame: pd.DataFrame,
    log: str,
    *,
    names: Sequence[str] | None = None,
    dates: str = "Z",
    truths: tuple[str, str] = ("0", "1"),
) -> str:
    """Return a frame as a CSV file with long names."""
    known = rows(log)
    table = pd.DataFrame({"date": DATES[dates](frame.index)})
    for name in names or long_fields(log):
        values = frame[name].reset_index(drop=True)
        if known[name]["value_type"] == "bool":
            values = values.map({False: truths[0], True: truths[1]})
        elif known[name]["value_type"] == "int":
            values = values.astype("Int64")
        table[known[name]["long_name"]] = values
    return table.to_csv(index=False, lineterminator="\n")


def sample_script_csv(frame: pd.DataFrame, log: str) -> str:
    """Return a frame as the vendor's sample script saves it: an answer, one frame an hour."""
    hours = json.loads(encode_answer(frame, log))[log]
    parts = pd.concat([pd.DataFrame(records) for records in hours.values()])
    return parts.to_csv(index=False, lineterminator="\n")


def zipped(members: Mapping[str, bytes | str]) -> bytes:
    """Return a zip file with these members."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as box:
        for name, content in members.items():
            box.writestr(name, content)
    return sink.getvalue()
