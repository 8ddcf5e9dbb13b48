"""The real service on a real socket, over an archive of made records.

::

    with live.service(tmp_path / "archive", {"ada": [frame]}) as there:
        there.url, there.client_id, there.client_secret, there.redirect_uri
        tokens = there.login("ada")              # the answer of the token endpoint
        there.get(log, date_from, date_to, token=tokens["access_token"])

An application and an account for each name are registered; the name "nobody" is free for a test
that needs a wearer without records.
"""

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import requests

import eyelog as el
from eyelog.frame import log_of
from eyelog_service.app import create_app, running
from eyelog_service.grants import Registry
from support.operating import Operator

REDIRECT = "http://127.0.0.1/callback"
COMPUTED, STANDARD = "computed_data", "standard_mode_logs"
AUDIT = "_service.audit.jsonl"
"""The name of the audit log, beside the state."""


def routes(folder: Path) -> dict[str, set[str]]:
    """Return the methods of each path that a service answers."""
    own: list[Any] = create_app(folder).routes
    return {route.path: {*map(str.lower, route.methods)} - {"head", "options"} for route in own}


@dataclass(frozen=True)
class Live:
    """A running service and what a client of it knows."""

    url: str
    archive: Path
    client_id: str
    client_secret: str
    redirect_uri: str = REDIRECT

    @property
    def registry(self) -> Registry:
        """The service's state, which is in the archive."""
        return Registry(self.archive)

    @property
    def operator(self) -> Operator:
        """Who runs the service."""
        return Operator(self.archive)

    def code(self, account: str) -> str:
        return self.registry.grants.issue_code(account, self.client_id, self.redirect_uri)

    def ask(
        self, path: str, method: str = "GET", *, token: str | None = None, **more: Any
    ) -> requests.Response:
        """Send a request, of whoever has a token; `more` is what `requests` takes."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        headers |= more.pop("headers", {})
        return requests.request(method, f"{self.url}{path}", headers=headers, timeout=60, **more)

    def token(self, **form: Any) -> requests.Response:
        """Ask the token endpoint; what the form needs beside `form` is filled in."""
        whole = {
            "client_id": self.client_id,
            "client_secret": self.client_secret,
            "redirect_uri": self.redirect_uri,
            **form,
        }
        kept = {key: value for key, value in whole.items() if value is not None}
        return self.ask("/v1/oauth/token", "POST", data=kept)

    def exchange(self, code: str, **form: Any) -> requests.Response:
        return self.token(grant_type="authorization_code", code=code, **form)

    def refresh(self, refresh_token: str, **form: Any) -> requests.Response:
        return self.token(grant_type="refresh_token", refresh_token=refresh_token, **form)

    def login(self, account: str) -> dict[str, Any]:
        answer = self.exchange(self.code(account))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def opens(self, token: str) -> bool:
        """Return whether records can be read with an access token."""
        answer = self.get(STANDARD, "2026-10-24T00:00:00Z", "2026-10-24T00:10:00Z", token=token)
        assert answer.status_code in (200, 401), answer.text
        return answer.status_code == 200

    def why_refused(self, token: str) -> str:
        """Return why an access token is refused."""
        answer = self.get(STANDARD, "2026-10-24T00:00:00Z", "2026-10-24T00:10:00Z", token=token)
        assert (answer.status_code, answer.json()["error"]) == (401, "invalid_token")
        return str(answer.json()["error_description"])

    def revoke(self, token: str, *, bearer: str | None) -> requests.Response:
        return self.ask("/v1/oauth/revoke", "POST", token=bearer, data={"token": token})

    def get(
        self, log: str, date_from: str, date_to: str, *, token: str, **more: str
    ) -> requests.Response:
        params = {"date_from": date_from, "date_to": date_to, **more}
        return self.ask(f"/v2/users/me/official/{log}", token=token, params=params)

    def walk(
        self, log: str, date_from: str, date_to: str, *, token: str, **more: str
    ) -> list[dict[str, Any]]:
        """Every page of a range, in order, as parsed bodies."""
        pages: list[dict[str, Any]] = []
        while not pages or pages[-1]["cursor"]:
            cursor = {"cursor": pages[-1]["cursor"]} if pages else {}
            answer = self.get(log, date_from, date_to, token=token, **more, **cursor)
            assert answer.status_code == 200, answer.text
            pages.append(answer.json())
        return pages

    def expire_token(self, access_token: str) -> None:
        """Let the thirty days of one access token be over, a second ago."""
        hashed = hashlib.sha256(access_token.encode()).digest()
        self._alter("UPDATE token SET expires = ? WHERE hash = ?", time.time() - 1, hashed)

    def expire_codes(self) -> None:
        """Let every code's ten minutes be over, a second ago."""
        self._alter("UPDATE code SET expires = ?", time.time() - 1)

    def forget_application(self, client_id: str) -> None:
        """Take an application out of the state and leave its tokens, as a damaged state would."""
        self._alter("DELETE FROM application WHERE client_id = ?", client_id)

    def _alter(self, sql: str, *values: Any) -> None:
        with contextlib.closing(sqlite3.connect(self.archive / "_service.sqlite")) as db, db:
            assert db.execute(sql, values).rowcount


def make(
    folder: Path, wearers: Mapping[str, Sequence[pd.DataFrame]], *, password: str | None = None
) -> tuple[Registry, str, str]:
    """Write an archive, its accounts and one application; return registry, id and secret."""
    archive = el.Archive(folder)
    folder.mkdir(mode=0o700, exist_ok=True)
    registry = Registry(folder)
    for account, frames in wearers.items():
        registry.accounts.add(account, password)
        for frame in frames:
            archive.write(log_of(frame), frame, account=account)
    client_id, client_secret = registry.applications.add(REDIRECT)
    return registry, client_id, client_secret


@contextlib.contextmanager
def service(
    folder: Path,
    wearers: Mapping[str, Sequence[pd.DataFrame]],
    *,
    page_size: int = 500,
    password: str | None = None,
    **settings: Any,
) -> Iterator[Live]:
    """Run the service on an archive of `wearers` (account -> frames), with settings of its app."""
    _, *application = make(folder, wearers, password=password)
    with running(folder, page_size=page_size, **settings) as url:
        yield Live(url, folder, *application)
