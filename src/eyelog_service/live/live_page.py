"""The page on 127.0.0.1 that shows the last minutes of what arrives live, and marks events.

It answers only requests that name its own host, and takes a mark only from its own page: another
site cannot read it through the browser, nor through a name that leads to 127.0.0.1.
"""

import csv
import io
import json
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final
from urllib.parse import parse_qs

from eyelog.archive.place import check_account
from eyelog.archive.store import Archive
from eyelog.clock import as_tzinfo
from eyelog.home import make_folders
from eyelog_service.browser import html, page_headers, page_template, rendered
from eyelog_service.live.recent import Recent

_LARGEST_FORM: Final = 8_192
_MOST_READ: Final = 1 << 16
_LONGEST_LABEL: Final = 200
_SCRIPT: Final = html("live.js")
_TEMPLATE: Final = page_template(html("live.html"))


class Diary:
    """The marked events of one account, in a CSV file that `eyelog.read_events` reads."""

    def __init__(self, archive: Archive, account: str) -> None:
        folder = Path(archive.path) / ".live" / f"account={check_account(account)}"
        self.path = folder / "diary.csv"
        zones = archive.zones(account)
        self._zone = UTC if zones is None else as_tzinfo(zones)
        self._lock = Lock()
        self.marks: list[dict[str, str]] = []

    def mark(self, label: str, now: datetime | None = None) -> None:
        """Write an event, secured on the disk."""
        at = (now or datetime.now(UTC)).astimezone(self._zone)
        text = io.StringIO()
        with self._lock:
            make_folders(self.path.parent)
            handle = os.open(self.path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
            with os.fdopen(handle, "ab") as sink:
                rows = csv.writer(text, lineterminator="\n")
                if not sink.tell():
                    rows.writerow(["start", "end", "label"])
                rows.writerow([at.isoformat(), "", label])
                sink.write(text.getvalue().encode())
                sink.flush()
                os.fsync(sink.fileno())
            self.marks.append({"at": at.isoformat(), "label": label})


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
        self,
        archive: Archive,
        account: str,
        recent: Mapping[str, Recent],
        *,
        keeps_diary: bool = True,
    ) -> None:
        self.archive = archive
        self.account = account
        self.recent = recent
        self.keeps_diary = keeps_diary
        self._diaries: dict[str, Diary] = {}
        self._lock = Lock()
        self._server: ThreadingHTTPServer | None = None
        self.address = ""

    def diary(self, account: str) -> Diary:
        """Return the diary of an account."""
        with self._lock:
            if account not in self._diaries:
                self._diaries[account] = Diary(self.archive, account)
            return self._diaries[account]

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

    def accounts(self) -> list[str]:
        """Return the accounts that can be shown."""
        return sorted({self.account, *list(self.recent)})

    def news(self, account: str) -> dict[str, Any]:
        """Return what the page shows of an account now."""
        recent = self.recent.get(account) or Recent()
        folder = Path(self.archive.path)
        near = next(path for path in (folder, *folder.parents) if path.exists())
        return {
            **recent.shown(),
            "now": datetime.now(UTC).isoformat(),
            "disk_gb": round(shutil.disk_usage(near).free / 1e9, 1),
            "marks": self.diary(account).marks[-20:],
        }


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
        if not self._is_own():
            return
        path, account = self._asked(self.path)
        if account not in self.page.accounts():
            self._answer(HTTPStatus.NOT_FOUND, "no such account\n")
        elif path == "/":
            self._answer(HTTPStatus.OK, self._html(account), "text/html")
        elif path == "/news":
            self._answer(HTTPStatus.OK, json.dumps(self.page.news(account)), "application/json")
        else:
            self._answer(HTTPStatus.NOT_FOUND, "not here\n")

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        has_length = length.isascii() and length.isdigit()
        # A connection that is closed with unread bytes is reset, and its answer lost.
        body = self.rfile.read(min(int(length), _MOST_READ)) if has_length else b""
        if not self._is_own():
            return
        if "Origin" not in self.headers:
            self._answer(HTTPStatus.FORBIDDEN, "only from its own page\n")
            return
        if not has_length or int(length) > _LARGEST_FORM:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too much\n")
            return
        form = parse_qs(body.decode("utf-8", "replace"))
        label = " ".join(form.get("label", [""])[0].split())[:_LONGEST_LABEL]
        account = form.get("account", [self.page.account])[0]
        if self.path != "/mark" or account not in self.page.accounts():
            self._answer(HTTPStatus.NOT_FOUND, "not here\n")
        elif not label or not self.page.keeps_diary:
            self._answer(HTTPStatus.BAD_REQUEST, "an event has a label, and a dry run no diary\n")
        else:
            try:
                self.page.diary(account).mark(label)
            except OSError as error:
                self._answer(HTTPStatus.INSUFFICIENT_STORAGE, f"{error.strerror}\n")
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

    def _asked(self, target: str) -> tuple[str, str]:
        path, _, query = target.partition("?")
        return path, parse_qs(query).get("account", [self.page.account])[0]

    def _html(self, account: str) -> str:
        page = self.page
        return rendered(
            _TEMPLATE,
            title=f"Listening to {account}",
            layout="page wide live-page",
            footer="Only this computer can see this page.",
            account=account,
            accounts=page.accounts(),
            script=_SCRIPT,
            marks=page.keeps_diary,
            diary=page.diary(account).path,
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
