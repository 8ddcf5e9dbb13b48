"""`eyelog doctor`: the setup, the places of files, faults, and what to type."""

import json as json_text
import os
import platform
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from eyelog.cli.command import command
from eyelog.cli.output import one_line, print_json
from eyelog.errors import EyelogError, counted

OK, NOTE, WRONG = "ok", "note", "wrong"
_SETTINGS: Final = ("EYELOG_CLIENT_ID", "EYELOG_CLIENT_SECRET", "EYELOG_REDIRECT_URI")
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


class Finding(NamedTuple):
    """One thing that was checked: its state, and what to type if it is wrong."""

    what: str
    state: str
    found: str
    advice: str = ""


@command
def doctor(*, json: bool = False) -> int:
    """Say what is set up and wrong, and what to type.

    Looks at the settings, the data on this machine and the service. Nothing is changed, no token or
    secret is shown, and only the service that EYELOG_BASE_URL names is asked. The exit status is 1
    if something is wrong.
    """
    findings = [finding for what, look in _LOOKS.items() for finding in _looked(what, look)]
    wrong = sum(finding.state == WRONG for finding in findings)
    if json:
        print_json({"ok": not wrong, "findings": [finding._asdict() for finding in findings]})
        return 1 if wrong else 0
    for finding in findings:
        mark = {OK: " ", NOTE: "-", WRONG: "!"}[finding.state]
        _print_wrapped(finding.found, f"{mark} {finding.what:12}", " " * 14)
        if finding.advice:
            _print_wrapped(finding.advice, " " * 14 + "-> ", " " * 17)
    many = "1 thing is wrong" if wrong == 1 else f"{wrong} things are wrong"
    print(f"\n{many}: see the lines marked with !." if wrong else "\nNothing is wrong.")
    return 1 if wrong else 0


def _print_wrapped(text: str, first: str, others: str) -> None:
    """Print a text in lines of 80 columns, whose names and addresses stay whole."""
    shape = textwrap.TextWrapper(80, initial_indent=first, subsequent_indent=others)
    shape.break_long_words = shape.break_on_hyphens = False
    print(shape.fill(one_line(text)))


def _looked(what: str, look: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield the findings of one check; its errors and warnings are findings too."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield from look()
        except (EyelogError, OSError) as error:
            yield Finding(what, WRONG, str(error))
    for warning in caught:
        yield Finding(what, NOTE, str(warning.message))


def _installed() -> Iterator[Finding]:
    """Yield the versions, which a problem report must name, and the extras."""
    python = f"Python {platform.python_version()}, {platform.system()}"
    yield Finding("eyelog", OK, f"{version('eyelog')}, {python}")
    yield Finding("packages", OK, ", ".join(f"{name} {version(name)}" for name in _PACKAGES))
    has = {name: find_spec(package) is not None for name, (package, _) in _EXTRAS.items()}
    found = ", ".join(name for name in has if has[name]) or "none"
    lacking = ", ".join(f"{name} ({_EXTRAS[name][1]})" for name in has if not has[name])
    if lacking:
        advice = "pip install 'eyelog[NAME]', if you need one"
        yield Finding("extras", NOTE, f"{found}; not installed: {lacking}", advice)
    else:
        yield Finding("extras", OK, found)


def _zone() -> Iterator[Finding]:
    """Yield where commands take the time zone from, which is never this machine."""
    from eyelog.clock import as_zones

    stated = os.environ.get("EYELOG_TZ", "").strip()
    order = "--tz, else the zone of the files or of the account in the archive, else EYELOG_TZ"
    last = f"({stated or 'not set'}), else UTC, with a warning"
    yield Finding("time zone", OK, f"days follow {order} {last}")
    try:
        as_zones(stated or "UTC")
    except EyelogError as error:
        advice = "export EYELOG_TZ=Asia/Tokyo, or unset it"
        yield Finding("EYELOG_TZ", WRONG, str(error), advice)


def _home() -> Iterator[Finding]:
    """Yield whether the folder of tokens, cache and archive can be written."""
    from eyelog.home import home_dir

    folder = home_dir()
    origin = "EYELOG_HOME" if os.environ.get("EYELOG_HOME") else "the platform's data folder"
    if os.access(folder, os.W_OK | os.X_OK):
        yield Finding("home", OK, f"{folder} ({origin})")
    else:
        advice = "set EYELOG_HOME to a folder of your own"
        yield Finding("home", WRONG, f"{folder} ({origin}) cannot be written", advice)


def _archive() -> Iterator[Finding]:
    """Yield what the default archive holds."""
    from eyelog.archive.store import Archive
    from eyelog.measure.readable import size_text

    archive = Archive()
    folder = Path(archive.path)
    accounts = archive.accounts() if folder.is_dir() else []
    if not accounts:
        advice = "`eyelog import FILES` fills it; `eyelog daily FILES` needs none"
        yield Finding("archive", OK, f"{folder}: empty", advice)
        return
    names = ", ".join(accounts[:4]) + (", ..." if len(accounts) > 4 else "")
    months = counted(len(list(folder.rglob("*.parquet"))), "month file")
    size = size_text(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))
    held = f"{counted(len(accounts), 'account')} ({names}), {months}, {size}"
    yield Finding("archive", OK, f"{folder}: {held}; `eyelog archive verify` reads them all")


def _cache() -> Iterator[Finding]:
    """Yield how many days fetches have stored."""
    from eyelog.fetch.cache import cache_info
    from eyelog.measure.readable import size_text

    stored = cache_info()
    days = counted(int(stored["days"].sum()), "day")
    held = f"{days} of {counted(len(stored), 'account')}, {size_text(int(stored['bytes'].sum()))}"
    yield Finding("cache", OK, "empty" if stored.empty else held)


def _service() -> Iterator[Finding]:
    """Yield the address of a service, whether it answers, the application, and the tokens."""
    from eyelog.fetch.client import application_from_environment
    from eyelog.fetch.session import base_url_from_environment

    if not os.environ.get("EYELOG_BASE_URL", "").strip():
        advice = "to fetch from one: export EYELOG_BASE_URL=https://..."
        yield Finding("service", OK, "none is set; files and the archive need none", advice)
        return
    try:
        base_url = base_url_from_environment()
    except EyelogError as error:
        advice = "export EYELOG_BASE_URL=https://the-address-of-the-service"
        yield Finding("service", WRONG, str(error), advice)
        return
    yield _answering(base_url)
    given = any(os.environ.get(f"EYELOG_{name}_TOKEN") for name in ("ACCESS", "REFRESH"))
    try:
        application = application_from_environment()
    except EyelogError as error:
        yield Finding("application", WRONG, str(error), "export the missing setting")
    else:
        if application is None:
            found = "none is set: without one nobody can log in, and no token can be renewed"
            advice = f"export {'=... '.join(_SETTINGS)}=... as registered with the service"
            yield Finding("application", NOTE if given else WRONG, found, advice)
        else:
            found = f"{application.client_id}, redirect {application.redirect_uri} (secret is set)"
            yield Finding("application", OK, found)
    yield from _tokens(base_url, given=given)


def _answering(base_url: str) -> Finding:
    """Send a request without a token: a service that follows the contract answers 401."""
    from urllib.parse import urlsplit

    from eyelog.catalogue import LOGS
    from eyelog.fetch.session import ask, is_loopback, service_session, warn_of_plain_http

    warn_of_plain_http(base_url)
    address = f"{base_url}/v2/users/me/official/{LOGS[0]}"
    begun = time.monotonic()
    try:
        with service_session(base_url, tries=1) as session:
            answer = ask(session, "GET", address, where=base_url, timeout=_SECONDS)
    except EyelogError as fault:
        parts = urlsplit(base_url)
        advice = "check EYELOG_BASE_URL and the network"
        if is_loopback(parts.hostname):
            advice = f"start it: eyelog serve --archive DIR --port {parts.port or 80}"
        return Finding("service", WRONG, str(fault), advice)
    status = answer.status_code
    if status == 401:
        took_ms = (time.monotonic() - begun) * 1000
        return Finding("service", OK, f"{base_url} answers within {took_ms:.0f} ms")
    if status >= 500 or status == 429:
        found = f"{base_url} answers {status}: it responds, but is faulty"
        return Finding("service", WRONG, found, "try again later, or ask its operator")
    found = f"{base_url} answers {status} where the service of the logs answers 401"
    return Finding("service", WRONG, found, "check EYELOG_BASE_URL: it is the address before /v2")


def _tokens(base_url: str, *, given: bool) -> Iterator[Finding]:
    """Yield how each account is logged in at the service; about a token, only when it ends."""
    from eyelog.fetch.client import token_from_environment
    from eyelog.fetch.oauth import TokenFile
    from eyelog.home import home_dir

    if given:
        token_from_environment()
        yield Finding("token", OK, "that of the environment, for every account")
        return
    home = home_dir()
    accounts = set()
    for path in (home / "tokens").glob("*.json"):
        try:
            saved = json_text.loads(path.read_text())
            if saved["base_url"] == base_url:
                accounts.add(str(saved["account"]))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a damaged file does not show which service it is for
    for account in sorted(accounts):
        login = f"eyelog login --account {account}"
        try:
            token = TokenFile(home, account, base_url).load()
        except EyelogError as error:
            yield Finding("token", WRONG, str(error), login)
            continue
        if token is None:
            continue
        ends = token.expires_at
        until = "" if ends is None else f"{ends.astimezone():%Y-%m-%d %H:%M}"
        found = f"account {account!r} is logged in"
        if ends is not None and not token.expired():
            found += f", until {until}"
        elif ends is not None and token.refresh_token:
            found += "; renewed at the next fetch"
        elif ends is not None:
            ended = f"the token of account {account!r} ended on {until} and cannot be renewed"
            yield Finding("token", WRONG, ended, login)
            continue
        yield Finding("token", OK, found)
    if not accounts:
        yield Finding("token", WRONG, "nobody is logged in", "eyelog login --account NAME")


_LOOKS: Final = {
    "eyelog": _installed,
    "time zone": _zone,
    "home": _home,
    "archive": _archive,
    "cache": _cache,
    "service": _service,
}
