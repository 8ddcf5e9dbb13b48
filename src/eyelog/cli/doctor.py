"""`eyelog doctor`: the setup, the places of files, faults, and what to type."""

import json as json_text
import os
import platform
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from eyelog.cli.command import command
from eyelog.cli.output import print_json, print_list
from eyelog.errors import EyelogError, counted, listed

OK, NOTE, WRONG = "ok", "note", "wrong"
Findings = Iterator[tuple[str, ...]]  # each a state, what was found and what to type

_PACKAGES: Final = ("numpy", "pandas", "pyarrow", "scipy", "matplotlib", "requests", "tzdata")
# What each extra is for, with the package that shows whether it is installed.
_EXTRAS: Final = {
    "service": ("starlette", "run a service"),
    "postgres": ("psycopg", "the state of a service in Postgres"),
    "cohort": ("distributed", "many wearers"),
    "excel": ("python_calamine", "Excel files"),
    "live": ("websockets", "recording live from the app"),
    "s3": ("s3fs", "archives on S3"),
}
_SECONDS: Final = (3.0, 5.0)  # to connect, and to wait for an answer


@command
def doctor(*, json: bool = False) -> int:
    """Say what is set up and wrong, and what to type.

    Looks at the settings, the data on this machine and the service. Nothing is changed, no token or
    secret is shown, and only the service that EYELOG_BASE_URL names is asked. The exit status is 1
    if something is wrong.
    """
    findings = []
    for what, look, advice in _LOOKS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                found = list(look())
            except (EyelogError, OSError) as error:
                found = [(WRONG, str(error), advice)]
        found += [(NOTE, str(warning.message)) for warning in caught]
        names = ("what", "state", "found", "advice")
        findings += [dict(zip(names, (what, *each, ""), strict=False)) for each in found]
    wrong = sum(finding["state"] == WRONG for finding in findings)
    if json:
        print_json({"ok": not wrong, "findings": findings})
        return 1 if wrong else 0
    rows = []
    for finding in findings:
        mark = {OK: " ", NOTE: "-", WRONG: "!"}[finding["state"]]
        rows.append((f"{mark} {finding['what']}", finding["found"]))
        if finding["advice"]:
            rows.append(("", f"-> {finding['advice']}"))
    print_list(rows)
    many = "1 thing is wrong" if wrong == 1 else f"{wrong} things are wrong"
    print(f"\n{many}: see the lines marked with !." if wrong else "\nNothing is wrong.")
    return 1 if wrong else 0


def _installed() -> Findings:
    """Yield the versions, which a problem report must name."""
    yield OK, f"{version('eyelog')}, Python {platform.python_version()}, {platform.system()}"
    yield OK, "with " + ", ".join(f"{name} {version(name)}" for name in _PACKAGES)


def _extras() -> Findings:
    """Yield which extras are installed, and what the others are for."""
    has = [name for name, (package, _) in _EXTRAS.items() if find_spec(package) is not None]
    lacking = [f"{name} ({what})" for name, (_, what) in _EXTRAS.items() if name not in has]
    found = ", ".join(has) or "none"
    if lacking:
        found += f"; not installed: {', '.join(lacking)}"
        yield NOTE, found, "pip install 'eyelog[NAME]', if you need one"
    else:
        yield OK, found


def _zone() -> Findings:
    """Yield where commands take the time zone from, which is never this machine."""
    from eyelog.clock import as_zones

    stated = os.environ.get("EYELOG_TZ", "").strip()
    order = "--tz, else the zone of the files or of the account in the archive, else EYELOG_TZ"
    yield OK, f"days follow {order} ({stated or 'not set'}), else UTC, with a warning"
    as_zones(stated or "UTC")


def _home() -> Findings:
    """Yield whether the folder of tokens, cache and archive can be written."""
    from eyelog.home import home_dir

    folder = home_dir()
    origin = "EYELOG_HOME" if os.environ.get("EYELOG_HOME") else "the platform's data folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        raise EyelogError(f"{folder} ({origin}) cannot be written")
    yield OK, f"{folder} ({origin})"


def _archive() -> Findings:
    """Yield what the default archive holds."""
    from eyelog.archive.store import Archive
    from eyelog.measure.readable import size_text

    archive = Archive()
    folder = Path(archive.path)
    if accounts := archive.accounts() if folder.is_dir() else []:
        held = f"{counted(len(accounts), 'account')} ({listed(accounts)})"
        held += f", {counted(len(list(folder.rglob('*.parquet'))), 'month file')}"
        size = size_text(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
        yield OK, f"{folder}: {held}, {size}; `eyelog archive verify` reads them all"
    else:
        fill = "`eyelog import FILES` fills it; `eyelog daily FILES` needs none"
        yield OK, f"{folder}: empty", fill


def _cache() -> Findings:
    """Yield how many days fetches have stored."""
    from eyelog.fetch.cache import cache_info
    from eyelog.measure.readable import size_text

    stored = cache_info()
    days, size = counted(int(stored["days"].sum()), "day"), size_text(int(stored["bytes"].sum()))
    held = f"{days} of {counted(len(stored), 'account')}, {size}"
    yield OK, "empty" if stored.empty else held


def _base_url() -> str | None:
    """Return the address of the service, if one is set."""
    from eyelog.fetch.session import base_url_from_environment

    with suppress(EyelogError):
        return base_url_from_environment()
    return None


def _service() -> Findings:
    """Yield whether the service answers a request without a token, as the contract says: 401."""
    from eyelog.catalogue import LOGS
    from eyelog.fetch import session

    if not os.environ.get("EYELOG_BASE_URL", "").strip():
        advice = "to fetch from one: export EYELOG_BASE_URL=https://..."
        yield OK, "none is set; files and the archive need none", advice
        return
    base_url = session.base_url_from_environment()
    session.warn_of_plain_http(base_url)
    address, begun = f"{base_url}/v2/users/me/official/{LOGS[0]}", time.monotonic()
    with session.service_session(base_url, tries=1) as asking:
        answer = session.ask(asking, "GET", address, where=base_url, timeout=_SECONDS)
    if answer.status_code != 401:
        raise EyelogError(
            f"{base_url} answers {answer.status_code} where the service of the logs answers 401"
        )
    yield OK, f"{base_url} answers within {(time.monotonic() - begun) * 1000:.0f} ms"


def _application() -> Findings:
    """Yield the application that is set, without its secret."""
    from eyelog.fetch.client import application_from_environment, token_from_environment

    if _base_url() is None:
        return
    application = application_from_environment()
    if application is not None:
        redirect = f"redirect {application.redirect_uri} (secret is set)"
        yield OK, f"{application.client_id}, {redirect}"
    else:
        found = "none is set: without one nobody can log in, and no token can be renewed"
        names = "EYELOG_CLIENT_ID=... EYELOG_CLIENT_SECRET=... EYELOG_REDIRECT_URI=..."
        state = WRONG if token_from_environment() is None else NOTE
        yield state, found, f"export {names} as registered with the service"


def _tokens() -> Findings:
    """Yield how each account is logged in at the service; about a token, only when it ends."""
    from eyelog.fetch.client import token_from_environment
    from eyelog.fetch.oauth import TokenFile
    from eyelog.home import home_dir

    base_url, home = _base_url(), home_dir()
    if base_url is None:
        return
    if token_from_environment() is not None:
        yield OK, "that of the environment, for every account"
        return
    accounts = set()
    for path in (home / "tokens").glob("*.json"):
        # A damaged file does not show which service it is for.
        with suppress(OSError, ValueError, KeyError, TypeError):
            saved = json_text.loads(path.read_text())
            accounts |= {saved["account"]} if saved["base_url"] == base_url else set()
    if not accounts:
        raise EyelogError("nobody is logged in")
    for account in sorted(accounts):
        token = TokenFile(home, account, base_url).load()
        ends = None if token is None else token.expires_at
        until = "" if ends is None else f", until {ends.astimezone():%Y-%m-%d %H:%M}"
        if token is not None and token.expired():
            until = "; renewed at the next fetch"
            if not token.refresh_token:
                ended = f"the token of account {account!r} ended and cannot be renewed"
                yield WRONG, ended, f"eyelog login --account {account}"
                continue
        yield OK, f"account {account!r} is logged in{until}"


# What is looked at, and what to type if it fails
_LOOKS: Final[tuple[tuple[str, Callable[[], Findings], str], ...]] = (
    ("eyelog", _installed, ""),
    ("extras", _extras, ""),
    ("time zone", _zone, "export EYELOG_TZ=Asia/Tokyo, or unset it"),
    ("home", _home, "set EYELOG_HOME to a folder of your own"),
    ("archive", _archive, ""),
    ("cache", _cache, ""),
    (
        "service",
        _service,
        "check EYELOG_BASE_URL, the address before /v2, and the network; one of your own starts"
        " with: eyelog serve --archive DIR --port PORT",
    ),
    ("application", _application, "export the missing setting"),
    ("token", _tokens, "eyelog login --account NAME"),
)
