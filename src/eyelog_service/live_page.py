"""The page on 127.0.0.1 that shows the last minutes of what arrives live, and marks events.

It answers only requests that name its own host, and takes a mark only from its own page: another
site cannot read it through the browser, nor through a name that leads to 127.0.0.1.
"""

import csv
import io
import json
import shutil
import warnings
from collections import Counter, deque
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np
import pandas as pd
from anyio import to_thread
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

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
from eyelog_service import web
from eyelog_service.audit import append, say
from eyelog_service.browser import html, page_headers, page_template

if TYPE_CHECKING:
    from eyelog_service.live import MessageLine

_LARGEST_FORM: Final = 8 * 1024
_LONGEST_LABEL: Final = 200
_SCRIPT: Final = html("live.js")
_TEMPLATE: Final = page_template(html("live.html"))


def page_app(
    archive: Archive, account: str, recent: Mapping[str, "Recent"], *, keeps_diary: bool
) -> ASGIApp:
    """Return the page as an ASGI application.

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

    def page(account: str) -> str:
        return _TEMPLATE.render(
            title=f"Listening to {account}",
            layout="page wide live-page",
            footer="Only this computer can see this page.",
            account=account,
            accounts=sorted(recent),
            script=_SCRIPT,
            marks=keeps_diary,
            diary=recent[account].diary,
            place=archive.path if keeps_diary else "nowhere (a dry run)",
        )

    def mark(account: str, text: str) -> tuple[int, str]:
        label = " ".join(text.split())[:_LONGEST_LABEL]
        if not label or not keeps_diary:
            return 400, "an event has a label, and a dry run no diary\n"
        try:
            recent[account].mark(label)
        except OSError as error:
            return 507, f"{error.strerror or error}\n"
        return 200, "marked\n"

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        method = "GET" if request.method == "HEAD" else request.method
        asked, status, text, kind = f"{method} {request.url.path}", 200, "", "text/plain"
        is_own, given = _is_own(request), request.query_params
        if is_own and asked == "POST /mark":
            given = QueryParams((await request.body()).decode("utf-8", "replace"))
        shown = given.get("account", account)
        if not is_own:
            status, text = 403, "only from its own page\n"
        elif shown not in recent or asked not in ("GET /", "GET /news", "POST /mark"):
            status, text = 404, "not here, or no such account\n"
        elif asked == "POST /mark":
            status, text = await to_thread.run_sync(mark, shown, given.get("label", ""))
        elif asked == "GET /news":
            news = await to_thread.run_sync(recent[shown].shown)
            text, kind = json.dumps(news), "application/json"
        else:
            text, kind = page(shown), "text/html"
        headers = page_headers("'self'", script=_SCRIPT)
        await Response(text, status, headers, media_type=kind)(scope, receive, send)

    def refusal(_: Request, problem: web.Problem) -> Response:
        text, headers = f"{problem.description}\n", page_headers() | problem.headers
        return Response(text, problem.status, headers, media_type="text/plain")

    return web.Bounds(answer, refusal=refusal, body_bytes=_LARGEST_FORM)


def _is_own(request: Request) -> bool:
    """Return whether a request names the page's own host, and is not from another page."""
    own = "http://{}:{}".format(*request.scope["server"])
    origin = request.headers.get("origin", own if request.method in ("GET", "HEAD") else "")
    return origin == own == f"http://{request.headers.get('host', '')}"


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
        now, folder = datetime.now(UTC), Path(self._archive.path)
        disk_gb = None
        with suppress(OSError):  # a network disk is away
            near = next(path for path in (folder, *folder.parents) if path.exists())
            disk_gb = round(shutil.disk_usage(near).free / 1e9, 1)
        with self._lock:  # which the recording waits for
            head = {
                "kinds": len(self.kinds),
                "messages": self.kinds.total(),
                "malformed": self.malformed,
                "since": self.since and self.since.isoformat(),
                "age_s": self.last and round((now - self.last).total_seconds(), 1),
                "now": now.isoformat(),
                "marks": self._marks[-20:],
                "disk_gb": disk_gb,
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
                whole = fit(in_order(stacked(tables, _LOG)), schema_of(_LOG))
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
    packet_s, ends = log_named(_LOG).interval_s, pd.Timestamp(now)
    stamps = pd.DatetimeIndex(frame.index)
    with warnings.catch_warnings():  # senders may leave fields out; the page shows what is there
        warnings.simplefilter("ignore")
        state = states(frame, log=_LOG).astype("object")
        late = frame[frame.index > ends - pd.Timedelta(minutes=_RATE_MINUTES)]
        rates = rate(late, log=_LOG, limits=_THIN).iloc[:1] if len(late) else late
        by_minute = rate(frame, by="1min", log=_LOG, limits=_THIN)
        tilts = tilt(frame, by=_BIN, log=_LOG)["fore_aft_deg"]
    minutes = pd.DatetimeIndex(by_minute.index)
    bins = pd.date_range(end=ends.floor(_BIN), periods=_BINS, freq=_BIN)
    of_bin = stamps.floor(_BIN)
    states_of = {at: next(iter(each.mode()), None) for at, each in state.groupby(of_bin)}
    numbered = packets(stamps.as_unit("us").asi8, sequence.to_numpy().astype(np.float64))
    lost = int(numbered.lost.sum())
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
