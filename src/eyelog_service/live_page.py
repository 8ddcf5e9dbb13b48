"""The page on 127.0.0.1 that shows the last minutes of what arrives live, and marks events.

It answers only requests that name its own host, and takes a mark only from its own page: another
site cannot read it through the browser, nor through a name that leads to 127.0.0.1.
"""

import csv
import io
import json
import shutil
import sys
import warnings
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

import msgspec
import numpy as np
import pandas as pd

from eyelog.archive.place import check_account
from eyelog.archive.store import Archive
from eyelog.arrow_tables import fit, frame_of, in_order, schema_of, stacked
from eyelog.catalogue import fold, known_logs, log_named, role_field
from eyelog.clock import as_tzinfo
from eyelog.errors import EyelogError
from eyelog.home import make_folders
from eyelog.judge.flag import states
from eyelog.judge.limits import Limits
from eyelog.judge.packets import packets
from eyelog.measure.blinks import rate
from eyelog.measure.posture import tilt
from eyelog.read.files import Source
from eyelog.read.saved import RECEIVED, SocketLog
from eyelog_service.audit import append, say
from eyelog_service.browser import html, page_headers, page_template

if TYPE_CHECKING:
    from eyelog_service.live import MessageLine

_LARGEST_FORM: Final = 8_192
_MOST_READ: Final = 1 << 16
_LONGEST_LABEL: Final = 200
_SCRIPT: Final = html("live.js")
_TEMPLATE: Final = page_template(html("live.html"))


class LivePage:
    """The server of the page, in threads of its own.

    Parameters
    ----------
    archive : Archive
        Where the diary goes.
    account : str
        The account that the page shows first.
    recent : mapping of str to Recent
        What each account has sent.
    keeps_diary : bool
        Whether events can be marked.
    """

    def __init__(
        self, archive: Archive, account: str, recent: Mapping[str, "Recent"], *, keeps_diary: bool
    ) -> None:
        self.archive, self.account, self.recent = archive, account, recent
        self.keeps_diary = keeps_diary
        self._server: ThreadingHTTPServer | None = None
        self.address = ""

    def start(self, port: int) -> str:
        """Serve at a port, or at any free one if it is taken; return the address."""
        handler = type("Handler", (_Handler,), {"page": self})
        try:
            self._server = _Server(("127.0.0.1", port), handler)
        except (OSError, OverflowError):
            self._server = _Server(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, args=(0.2,), daemon=True).start()
        return self.address

    def stop(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def news(self, account: str) -> dict[str, Any]:
        """Return what the page shows of an account now."""
        folder = Path(self.archive.path)
        near = next(path for path in (folder, *folder.parents) if path.exists())
        free_gb = round(shutil.disk_usage(near).free / 1e9, 1)
        return self.recent[account].shown() | {"disk_gb": free_gb}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64  # a browser opens several connections at once

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing when a browser has gone."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    page: LivePage
    timeout = 10
    server_version = "eyelog"
    sys_version = ""

    def log_message(self, *_: object) -> None:
        """Log nothing: the page asks each second."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        account = parse_qs(query).get("account", [self.page.account])[0]
        if not self._is_own():
            return
        if account not in self.page.recent or path not in ("/", "/news"):
            self._answer(HTTPStatus.NOT_FOUND, "not here, or no such account\n")
        elif path == "/":
            self._answer(HTTPStatus.OK, self._html(account), "text/html")
        else:
            self._answer(HTTPStatus.OK, json.dumps(self.page.news(account)), "application/json")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        size = int(length) if length.isascii() and length.isdigit() else -1
        # A connection that is closed with unread bytes is reset, and its answer lost.
        form = parse_qs(self.rfile.read(min(max(size, 0), _MOST_READ)).decode("utf-8", "replace"))
        label = " ".join(form.get("label", [""])[0].split())[:_LONGEST_LABEL]
        account = form.get("account", [self.page.account])[0]
        if not self._is_own():
            return
        if "Origin" not in self.headers:
            self._answer(HTTPStatus.FORBIDDEN, "only from its own page\n")
        elif not 0 <= size <= _LARGEST_FORM:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much\n")
        elif self.path != "/mark" or account not in self.page.recent:
            self._answer(HTTPStatus.NOT_FOUND, "not here\n")
        elif not label or not self.page.keeps_diary:
            self._answer(HTTPStatus.BAD_REQUEST, "an event has a label, and a dry run no diary\n")
        else:
            try:
                self.page.recent[account].mark(label)
            except OSError as error:
                self._answer(HTTPStatus.INSUFFICIENT_STORAGE, f"{error.strerror or error}\n")
            else:
                self._answer(HTTPStatus.OK, "marked\n")

    def _is_own(self) -> bool:
        """Refuse a request under a name other than the page's own, or from another page."""
        own = self.page.address
        from_own = self.headers.get("Origin", own) == own
        if from_own and f"http://{self.headers.get('Host', '')}" == own:
            return True
        self._answer(HTTPStatus.FORBIDDEN, "only from its own page\n")
        return False

    def _html(self, account: str) -> str:
        page = self.page
        return _TEMPLATE.render(
            title=f"Listening to {account}",
            layout="page wide live-page",
            footer="Only this computer can see this page.",
            account=account,
            accounts=sorted(page.recent),
            script=_SCRIPT,
            marks=page.keeps_diary,
            diary=page.recent[account].diary,
            place=page.archive.path if page.keeps_diary else "nowhere (a dry run)",
        )

    def _answer(self, status: HTTPStatus, text: str, kind: str = "text/plain") -> None:
        body = text.encode()
        self.send_response(status)
        for name, value in page_headers("'self'", script=_SCRIPT).items():
            self.send_header(name, value)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):  # the browser has gone
            self.wfile.write(body)


MINUTES: Final = 10
_BIN: Final = "15s"
_BINS: Final = MINUTES * 60 // 15
_RATE_MINUTES: Final = 3
_MOST_ROWS: Final = 2 * MINUTES * 60 * 20  # a sender may send more than 20 per second
_LOG: Final = next(log for log in known_logs() if log_named(log).numbers_packets)
# A minute with less usable time has no point in the figure.
_THIN: Final = Limits(min_valid="10s")


class Recent:
    """What one account has sent in the last minutes, and its events; for several threads.

    Marked events are written into a CSV file that `eyelog.read_events` reads.
    """

    def __init__(self, archive: Archive, account: str) -> None:
        folder = Path(archive.path) / ".live" / f"account={check_account(account)}"
        self.diary = folder / "diary.csv"
        self._archive, self._account = archive, account
        self._lock, self._writing = Lock(), Lock()
        self._marks: list[dict[str, str]] = []
        self._packets: deque[bytes] = deque(maxlen=_MOST_ROWS)  # that are not in the frame yet
        self._frame: pd.DataFrame | None = None
        self.kinds: Counter[str] = Counter()
        self.malformed = 0
        self.since: datetime | None = None
        self.last: datetime | None = None

    def add(self, message: "MessageLine") -> None:
        """Take a message; those of the log of single packets are kept for the page."""
        with self._lock:
            self.kinds[message.kind] += 1
            self.since = self.since or message.received
            self.last = message.received
            if message.kind == _LOG:
                # The page's clock is the receiver's, whatever date the sender gives.
                values = {key: each for key, each in message.values.items() if fold(key) != "date"}
                self._packets.append(msgspec.json.encode({RECEIVED: message.received, **values}))

    def mark(self, label: str) -> None:
        """Write an event, secured on the disk."""
        now = datetime.now(UTC)
        try:
            zones = self._archive.zones(self._account)
        except EyelogError as fault:
            say(f"eyelog: warning: events of {self._account} are marked in UTC: {fault}")
            zones = None
        at = now.astimezone(UTC if zones is None else as_tzinfo(zones)).isoformat()
        text = io.StringIO()
        rows = csv.writer(text, lineterminator="\n")
        with self._writing:  # messages are taken meanwhile
            make_folders(self.diary.parent)
            if not self.diary.exists() or not self.diary.stat().st_size:
                rows.writerow(["start", "end", "label"])
            rows.writerow([at, "", label])
            append(self.diary, text.getvalue().encode(), secured=True)
        with self._lock:
            self._marks.append({"at": at, "label": label})

    def shown(self) -> dict[str, Any]:
        """Return the numbers of the page, ready for JSON; missing ones are None."""
        now = datetime.now(UTC)
        with self._lock:
            head = {
                "kinds": len(self.kinds),
                "messages": self.kinds.total(),
                "malformed": self.malformed,
                "since": self.since and self.since.isoformat(),
                "age_s": self.last and round((now - self.last).total_seconds(), 1),
                "now": now.isoformat(),
                "marks": self._marks[-20:],
            }
            frame = self._recent(now)
        body = _numbers(frame, now) if frame is not None and len(frame) else None
        return head | {"recent": body}

    def _recent(self, now: datetime) -> pd.DataFrame | None:
        """Return the rows of the last minutes; only new messages are read."""
        parts = [] if self._frame is None else [self._frame]
        if self._packets:
            source = Source(io.BytesIO(b"\n".join(self._packets)), "live", log=_LOG)
            self._packets.clear()
            with suppress(EyelogError):  # no record among them
                tables = [*SocketLog(source).tables()]
                whole = fit(in_order(stacked(tables, _LOG))[0], schema_of(_LOG))
                parts.append(frame_of(whole, "UTC"))
        if not parts:
            return None
        frame = pd.concat(parts) if len(parts) > 1 else parts[0]
        start = pd.Timestamp(now) - pd.Timedelta(minutes=MINUTES)
        self._frame = frame[frame.index > start].tail(_MOST_ROWS)
        return self._frame


def _numbers(frame: pd.DataFrame, now: datetime) -> dict[str, Any]:
    """Return the numbers of some rows: of all, and of each bin, the oldest first."""
    steps, noisy, battery, sequence = (
        frame[role_field(_LOG, part)].astype("float64")
        for part in ("steps", "noise_flag", "battery", "sequence")
    )
    packet_s, ends, stamps = (
        log_named(_LOG).interval_s,
        pd.Timestamp(now),
        pd.DatetimeIndex(frame.index),
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # senders may leave fields out; the page shows what is there
        state = states(frame, log=_LOG).astype("object")
        late = frame[frame.index > ends - pd.Timedelta(minutes=_RATE_MINUTES)]
        rates = rate(late, log=_LOG, limits=_THIN).iloc[:1] if len(late) else late
        by_minute = rate(frame, by="1min", log=_LOG, limits=_THIN)
        tilts = tilt(frame, by=_BIN, log=_LOG)["fore_aft_deg"]
    minutes = pd.DatetimeIndex(by_minute.index)
    bins = pd.date_range(end=ends.floor(_BIN), periods=_BINS, freq=_BIN)
    of_bin = stamps.floor(_BIN)
    states_of = {at: next(iter(each.mode()), None) for at, each in state.groupby(of_bin)}
    lost = int(
        packets(stamps.as_unit("us").asi8, sequence.to_numpy().astype(np.float64)).lost.sum()
    )
    return {
        "worn_s": _json(state.isin(["usable", "walking", "noisy"]).sum() * packet_s),
        "noise_s": _json(noisy[frame.index > ends - pd.Timedelta(minutes=1)].sum() * packet_s),
        "steps": _json(steps.sum()),
        "lost": lost,
        "packets": len(frame) + lost,
        "battery": _json(battery.ffill().iloc[-1]),
        "rate": _rate(rates.iloc[0]) if len(rates) else None,
        "minutes": [
            {"ago_s": _json((ends - at).total_seconds() - 30), **_rate(row)}
            for at, (_, row) in zip(minutes, by_minute.iterrows(), strict=True)
        ],
        "states": [states_of.get(each) for each in bins],
        "noise": _listed(noisy.groupby(of_bin).sum() * packet_s, bins),
        "steps_by": _listed(steps.groupby(of_bin).sum(), bins),
        "tilt": _listed(tilts, bins),
    }


def _listed(values: pd.Series, bins: pd.DatetimeIndex) -> list[float | None]:
    return [_json(each) for each in values.reindex(bins)]


def _rate(row: Any) -> dict[str, float | None]:
    return {name: _json(row[name]) for name in ("rate_per_min", "low", "high", "exposure_min")}


def _json(value: Any) -> float | None:
    number = float(value)
    return round(number, 2) if np.isfinite(number) else None
