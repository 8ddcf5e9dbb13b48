"""Files sent to a service that keeps an archive.

The service knows what it has, so no state is kept here: what was sent before changes nothing, and a
file whose way was cut is sent again.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import requests

from eyelog.errors import ConfigurationError, Unreachable
from eyelog.fetch.session import (
    TRANSIENT_STATUSES,
    ask,
    error_object,
    refusal,
    retry_after,
    service_session,
    warn_of_plain_http,
)
from eyelog.home import progress_line

_TRIES: Final = 5
_PAUSE_S: Final = 2.0
_LONGEST_WAIT_S: Final = 60.0
_TIMEOUT: Final = (10.0, 960.0)  # the service takes up to 15 minutes for an import
_OF_THE_FILE: Final = (409, 413, 422)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a file.

    `state` is "imported", "nothing new" or "refused". Of the rows `read`, `new` are new to the
    archive; `conflicts` counts values that differ from stored ones.
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
    tz : str, optional
        The zone of dates without an offset, if the service knows none for the account.

    Raises
    ------
    RequestError
        If the service cannot be reached or refuses the token: no later file would succeed either.
    """
    warn_of_plain_http(base_url)
    every = list(files)
    url = f"{base_url.rstrip('/')}/v1/records"
    query = {"replace": "true"} if replace else {}
    query |= {} if tz is None else {"tz": tz}
    total = sum(path.stat().st_size for path in every)
    with (
        service_session(base_url, tries=1) as session,
        progress_line(total, "push", unit="B") as done,
    ):
        session.headers["Authorization"] = f"Bearer {token}"
        for path in every:
            size = path.stat().st_size
            if not size:
                yield Pushed(str(path), "refused", reason="it is empty")
                continue
            answer = _answer(session, url, path, {**query, "name": path.name})
            done(size)
            if answer.ok:
                yield _pushed(path, answer.json())
            elif answer.status_code in _OF_THE_FILE:
                reason = str(error_object(answer).get("error_description", ""))
                yield Pushed(str(path), "refused", reason=reason)
            else:
                advice = "check the upload token" if answer.status_code in (401, 403) else None
                raise refusal(answer, where=path.name, secrets=[token], advice=advice)


def _answer(
    session: requests.Session, url: str, path: Path, query: dict[str, str]
) -> requests.Response:
    """Post a file; post it again while its way is cut or the service cannot take it now."""
    options: dict[str, Any] = {"where": path.name, "params": query, "timeout": _TIMEOUT}
    for left in reversed(range(_TRIES)):
        wait = _PAUSE_S
        try:
            with path.open("rb") as file:
                answer = ask(session, "POST", url, data=file, **options)
        except Unreachable as error:
            if not (left and error.retryable):
                raise
        else:
            wait = retry_after(answer) or wait
            passes = answer.status_code in TRANSIENT_STATUSES and wait <= _LONGEST_WAIT_S
            if not (left and passes):
                return answer
        time.sleep(wait)
    raise AssertionError  # the last try returns or raises


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
