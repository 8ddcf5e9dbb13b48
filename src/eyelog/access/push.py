"""Files sent to a service that keeps an archive, in parts, so that an interruption costs little.

The service knows what it has, so no state is kept here. A file that was imported before is not sent
again, and one that was interrupted resumes where it stopped.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, Final

import requests

from eyelog.access.http.addresses import warn_of_plain_http
from eyelog.access.http.faults import error_object, refusal, unreachable
from eyelog.access.http.session import plain_session
from eyelog.errors import ConfigurationError, Refused, RequestError
from eyelog.progress import progress_line

__all__ = ["Pushed", "files_to_push", "push"]

_PART: Final = 8 << 20  # bytes of one request: what an interruption can cost
_TRIES: Final = 5
_PAUSE_S: Final = 2.0
_TIMEOUT: Final = (10.0, 960.0)  # the service takes up to 15 minutes for an import
_OF_THE_FILE: Final = (409, 413, 422)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a file.

    `state` is "imported", "nothing new", "sent before" or "refused". Of the rows `read`, `new` are
    new to the archive; `conflicts` counts values that differ from stored ones.
    """

    file: str
    state: str
    read: int = 0
    new: int = 0
    conflicts: int = 0
    reason: str = ""


def files_to_push(paths: Iterable[Path]) -> list[Path]:
    """Return the files behind paths, those of folders in order of names, without hidden ones.

    Raises
    ------
    ConfigurationError
        If a path does not exist, or there is no file.
    """
    files: list[Path] = []
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"there is no file or folder {path}: nothing was sent")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files += [
            each
            for each in inside
            if each.is_file()
            and not each.is_symlink()
            and not any(part.startswith(".") for part in each.relative_to(path).parts)
        ]
    if not files:
        raise ConfigurationError("these paths contain no file: nothing was sent")
    return list(dict.fromkeys(files))


def push(
    files: Iterable[Path],
    base_url: str,
    token: str,
    *,
    replace: bool = False,
    again: bool = False,
    tz: str | None = None,
) -> Iterator[Pushed]:
    """Send files one after another, and yield what became of each.

    Parameters
    ----------
    files : iterable of Path
        As `files_to_push` returns them.
    base_url : str
        The service's address.
    token : str
        An upload token of the account, or an access token with the scope ``write``.
    replace : bool
        Whether values of the files replace different ones that the archive has.
    again : bool
        Whether files that were imported before are sent again; `replace` includes it.
    tz : str, optional
        The zone of dates without an offset, if the service knows none for the account.

    Raises
    ------
    RequestError
        If the service cannot be reached or refuses the token: no later file would succeed either.
    """
    warn_of_plain_http(base_url)
    every = list(files)
    query = {"replace": "true"} if replace else {}
    query |= {} if tz is None else {"tz": tz}
    total = sum(path.stat().st_size for path in every)
    with closing(plain_session()) as session, progress_line(total, "push", unit="B") as done:
        sender = _Sender(session, base_url.rstrip("/"), token, query, done)
        for path in every:
            try:
                yield sender.send(path, again=again or replace)
            except Refused as refused:
                if refused.status not in _OF_THE_FILE:
                    raise
                yield Pushed(str(path), "refused", reason=sender.reason)


class _Sender:
    def __init__(
        self,
        session: requests.Session,
        base_url: str,
        token: str,
        query: dict[str, str],
        done: Callable[..., None],
    ) -> None:
        self._session = session
        self._base_url = base_url
        self._token = token
        self._query = query
        self._done = done
        self.reason = ""  # of the last refusal, in the words of the service

    def send(self, path: Path, *, again: bool) -> Pushed:
        with path.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
            size = file.tell()
            if not size:
                return Pushed(str(path), "refused", reason="it is empty")
            if again:
                file.seek(0)
                url = f"{self._base_url}/v1/records"
                answer = self._call("POST", url, path, data=file, params=self._named(path))
                self._done(size)
                return _pushed(path, answer.json())
            return self._in_parts(path, file, digest, size)

    def _in_parts(self, path: Path, file: BinaryIO, digest: str, size: int) -> Pushed:
        counted = tries = 0
        while True:
            try:
                url = f"{self._base_url}/v1/uploads"
                told = {"sha256": digest, "size": size}
                upload = self._call("POST", url, path, json=told).json()
                offset = upload["offset"]
                if upload["imported"]:
                    self._done(size - counted)
                    return Pushed(str(path), "sent before")
                while True:
                    self._done(max(0, offset - counted))
                    counted = max(counted, offset)
                    file.seek(offset)
                    answer = self._call(
                        "PATCH",
                        f"{url}/{digest}",
                        path,
                        data=file.read(_PART),
                        params=self._named(path),
                        headers={"Upload-Offset": str(offset), "Upload-Length": str(size)},
                    )
                    if answer.status_code == 200:
                        self._done(size - counted)
                        return _pushed(path, answer.json())
                    offset, tries = answer.json()["offset"], 0
            except RequestError as fault:
                tries += 1
                if not (fault.retryable or self._may_go_on()) or tries >= _TRIES:
                    raise
                time.sleep(_PAUSE_S)

    def _named(self, path: Path) -> dict[str, str]:
        return {**self._query, "name": path.name}

    def _may_go_on(self) -> bool:
        return self._error in ("upload_busy", "wrong_offset")

    def _call(self, method: str, url: str, path: Path, **more: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self._token}", **more.pop("headers", {})}
        self.reason = self._error = ""
        try:
            answer = self._session.request(
                method, url, headers=headers, timeout=_TIMEOUT, allow_redirects=False, **more
            )
        except requests.RequestException as fault:
            # Not chained: the library's texts quote the whole URL.
            raise unreachable(fault, method=method, url=url, where=path.name) from None
        if not 200 <= answer.status_code < 300:
            error = error_object(answer)
            self._error = error.get("error", "")
            self.reason = str(error.get("error_description", ""))
            advice = "check the upload token" if answer.status_code in (401, 403) else None
            raise refusal(answer, where=path.name, secrets=[self._token], advice=advice)
        return answer


def _pushed(path: Path, answer: dict[str, Any]) -> Pushed:
    files = answer["files"]
    refused = [f"{each['name']}: {each['refused']}" for each in files if "refused" in each]
    conflicts = sum(len(each["conflicts"]) + each.get("more_conflicts", 0) for each in files)
    state = "imported" if answer["new"] else "nothing new"
    return Pushed(
        str(path),
        "refused" if refused else state,
        sum(each["read"] for each in files),
        answer["new"],
        conflicts,
        "; ".join(refused),
    )
