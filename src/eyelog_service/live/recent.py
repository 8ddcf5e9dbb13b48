"""The last minutes of what arrives live, as the page shows them."""

import io
import warnings
from collections import Counter, deque
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Final

import msgspec
import numpy as np
import pandas as pd

from eyelog.analysis.series.packets import packets
from eyelog.arrow_tables import fit, frame_of, schema_of
from eyelog.catalogue import fold, known_logs, log_named, role_field
from eyelog.errors import EyelogError
from eyelog.judge.flag import states
from eyelog.judge.limits import Limits
from eyelog.measure.blinks import rate
from eyelog.read.format import Source
from eyelog.read.overlay import in_order, stacked
from eyelog.read.socket_log import RECEIVED, SocketLog
from eyelog_service.live.recording import MessageLine

MINUTES: Final = 10
BIN_S: Final = 15
_RATE_MINUTES: Final = 3
_MOST_ROWS: Final = 2 * MINUTES * 60 * 20  # a sender may send more than 20 per second
# A minute with less usable time has no point in the figure.
_THIN: Final = Limits(min_valid="10s")


class Recent:
    """What one account has sent in the last minutes; several threads may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lines: dict[str, deque[bytes]] = {}
        self._frame: pd.DataFrame | None = None
        self._log = ""
        self.kinds: Counter[str] = Counter()
        self.malformed = 0
        self.since: datetime | None = None
        self.last: datetime | None = None

    def add(self, message: MessageLine) -> None:
        """Take a message; those of the log of single packets are kept for the page."""
        with self._lock:
            self.kinds[message.kind] += 1
            self.since = self.since or message.received
            self.last = message.received
            if message.kind in known_logs() and log_named(message.kind).numbers_packets:
                self._log = message.kind
                # The page's clock is the receiver's, whatever date the sender gives.
                values = {key: each for key, each in message.values.items() if fold(key) != "date"}
                line = msgspec.json.encode({RECEIVED: message.received, **values})
                self._lines.setdefault(message.kind, deque(maxlen=_MOST_ROWS)).append(line)

    def shown(self, now: datetime | None = None) -> dict[str, Any]:
        """Return the numbers of the page, ready for JSON; missing ones are None."""
        now = now or datetime.now(UTC)
        with self._lock:
            head = {
                "kinds": len(self.kinds),
                "messages": self.kinds.total(),
                "malformed": self.malformed,
                "since": self.since and self.since.isoformat(),
                "age_s": self.last and round((now - self.last).total_seconds(), 1),
            }
            frame = self._recent(now)
        body = _numbers(frame, self._log, now) if frame is not None and len(frame) else None
        return head | {"recent": body}

    def _recent(self, now: datetime) -> pd.DataFrame | None:
        """Return the rows of the last minutes; only new messages are read."""
        lines = self._lines.pop(self._log, None)
        parts = [] if self._frame is None else [self._frame]
        if lines:
            stream = io.BufferedReader(io.BytesIO(b"\n".join(lines)))
            source = Source(stream, "live", None, self._log)
            try:
                tables = [table for _, table in SocketLog(source).tables(named=False)]
                whole = fit(in_order(stacked(tables, self._log))[0], schema_of(self._log))
            except EyelogError:  # no record among them
                pass
            else:
                parts.append(frame_of(whole, "UTC"))
        if not parts:
            return None
        frame = pd.concat(parts) if len(parts) > 1 else parts[0]
        start = pd.Timestamp(now) - pd.Timedelta(minutes=MINUTES)
        self._frame = frame[frame.index > start].tail(_MOST_ROWS)
        return self._frame


def _numbers(frame: pd.DataFrame, log: str, now: datetime) -> dict[str, Any]:
    """Return the numbers of some rows: of all, and per 15 s, the oldest first."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # senders may leave fields out; the page shows what there is
        state = states(frame, log=log).astype("object").to_numpy()
        last_minutes = frame[frame.index > pd.Timestamp(now) - pd.Timedelta(minutes=_RATE_MINUTES)]
        rates = rate(last_minutes, log=log, limits=_THIN) if len(last_minutes) else None
        by_minute = rate(frame, by="1min", log=log, limits=_THIN)
    packet_s = log_named(log).interval_s
    us = pd.DatetimeIndex(frame.index).as_unit("us").asi8
    ago_s = now.timestamp() - us / 1e6
    bins = MINUTES * 60 // BIN_S
    number = bins - 1 - np.clip(ago_s // BIN_S, 0, bins - 1).astype(int)

    def column(part: str) -> np.ndarray:
        return frame[role_field(log, part)].to_numpy(np.float64, na_value=np.nan)

    def total(values: np.ndarray) -> list[float | None]:
        sums = np.bincount(number, np.nan_to_num(values), minlength=bins)
        rows = np.bincount(number, minlength=bins)
        return [_json(each) if n else None for each, n in zip(sums, rows, strict=True)]

    steps, noise = column("steps"), column("noise_flag") * packet_s
    gone = packets(us, column("sequence")).lost
    worn = pd.Series(state).isin(["usable", "walking", "noisy"]).to_numpy()
    tilt = _tilt(column("acc_fore_aft"), column("acc_vertical"), number, worn, bins)
    battery = pd.Series(column("battery")).dropna()
    of_bin = {
        int(each): next(iter(pd.Series(state[number == each]).mode()), None)
        for each in np.unique(number)
    }
    return {
        "worn_s": _json(worn.sum() * packet_s),
        "noise_s": _json(np.nansum(noise[ago_s < 60])),
        "steps": _json(np.nansum(steps)),
        "lost": int(gone.sum()),
        "packets": len(frame) + int(gone.sum()),
        "battery": _json(battery.iloc[-1]) if len(battery) else None,
        "rate": _rate(rates.iloc[0]) if rates is not None else None,
        "minutes": [
            {"ago_s": _json(now.timestamp() - pd.Timestamp(at).timestamp() - 30), **_rate(row)}
            for at, (_, row) in zip(
                pd.DatetimeIndex(by_minute.index), by_minute.iterrows(), strict=True
            )
        ],
        "states": [of_bin.get(each) for each in range(bins)],
        "noise": total(noise),
        "steps_by": total(steps),
        "tilt": tilt,
    }


def _tilt(
    fore_aft: np.ndarray, vertical: np.ndarray, number: np.ndarray, worn: np.ndarray, bins: int
) -> list[float | None]:
    """Return the fore-aft tilt of each bin from the mean direction of gravity, in degrees."""
    measured = worn & np.isfinite(fore_aft) & np.isfinite(vertical)
    ahead = np.bincount(number[measured], fore_aft[measured], minlength=bins)
    up = np.bincount(number[measured], vertical[measured], minlength=bins)
    angles = np.degrees(np.arctan2(ahead, np.abs(up)))  # as `eyelog.posture.tilt`
    rows = np.bincount(number[measured], minlength=bins)
    return [_json(each) if n else None for each, n in zip(angles, rows, strict=True)]


def _rate(row: Any) -> dict[str, float | None]:
    return {name: _json(row[name]) for name in ("rate_per_min", "low", "high", "exposure_min")}


def _json(value: Any) -> float | None:
    number = float(value)
    return round(number, 2) if np.isfinite(number) else None
