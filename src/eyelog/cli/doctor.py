"""`eyelog doctor`: the setup, the places of files, faults, and what to type."""

import argparse
import json
import os
import platform
import textwrap
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from eyelog.cli.output import add_json, one_line
from eyelog.errors import EyelogError

if TYPE_CHECKING:
    from eyelog.access.auth.token_file import Token

__all__ = ["add_commands"]

OK, NOTE, WRONG = "ok", "note", "wrong"
_SETTINGS: Final = ("EYELOG_CLIENT_ID", "EYELOG_CLIENT_SECRET", "EYELOG_REDIRECT_URI")
_PACKAGES: Final = ("numpy", "pandas", "pyarrow", "scipy", "matplotlib", "requests", "tzdata")
# What each extra is for, with the package that shows whether it is installed.
_EXTRAS: Final = {
    "service": ("starlette", "run a service"),
    "metrics": ("prometheus_client", "counts of a service for Prometheus"),
    "postgres": ("psycopg", "the state of a service in Postgres"),
    "cohort": ("distributed", "many wearers"),
    "excel": ("openpyxl", "Excel files"),
    "interactive": ("bokeh", "reports to zoom and brush"),
    "live": ("websockets", "recording live from the app"),
    "s3": ("s3fs", "archives on S3"),
}
_SECONDS: Final = (3.0, 5.0)  # to connect, and to wait for an answer


@dataclass(frozen=True)
class _Finding:
    """One thing that was checked: its state, and what to type if it is wrong."""

    what: str
    state: str
    found: str
    advice: str = ""


def add_commands(commands: Any) -> None:
    """Add the command of this module."""
    doctor = commands.add_parser(
        "doctor",
        help="what is set up, what is wrong, and what to type",
        description="Look at the settings, the data on this machine and the service, and say what"
        " is wrong and what to type. Nothing is changed, no token or secret is shown, and only the"
        " service that EYELOG_BASE_URL names is asked. The exit status is 1 if something is wrong.",
    )
    add_json(doctor)
    doctor.set_defaults(run=_doctor)


def _doctor(args: argparse.Namespace) -> int:
    findings = [finding for look in _LOOKS for finding in _looked(look)]
    wrong = [finding for finding in findings if finding.state == WRONG]
    if args.json:
        rows = [asdict(finding) for finding in findings]
        print(json.dumps({"ok": not wrong, "findings": rows}, indent=1))
    else:
        print("\n".join(line for finding in findings for line in _lines(finding)))
        many = "1 thing is wrong" if len(wrong) == 1 else f"{len(wrong)} things are wrong"
        print(f"\n{many}: see the lines marked with !." if wrong else "\nNothing is wrong.")
    return 1 if wrong else 0


def _lines(finding: _Finding) -> Iterator[str]:
    """Yield a finding as lines of 80 columns: a mark where it is wrong, and what to type."""
    mark = {OK: " ", NOTE: "-", WRONG: "!"}[finding.state]
    yield from textwrap.wrap(
        one_line(finding.found),
        80,
        initial_indent=f"{mark} {finding.what:12}",
        subsequent_indent=" " * 14,
        break_long_words=False,
        break_on_hyphens=False,
    )
    if finding.advice:
        yield from textwrap.wrap(
            one_line(finding.advice),
            80,
            initial_indent=" " * 14 + "-> ",
            subsequent_indent=" " * 17,
            break_long_words=False,
            break_on_hyphens=False,
        )


def _looked(look: Callable[[], Iterator[_Finding]]) -> Iterator[_Finding]:
    """Yield the findings of one check; its errors and warnings are findings too."""
    what = (look.__doc__ or "").split(":")[0].casefold()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield from look()
        except (EyelogError, OSError) as error:
            yield _Finding(what, WRONG, str(error))
    for warning in caught:
        yield _Finding(what, NOTE, str(warning.message))


def _versions() -> Iterator[_Finding]:
    """Versions, which a problem report must name."""
    python = f"Python {platform.python_version()}, {platform.system()}"
    yield _Finding("eyelog", OK, f"{version('eyelog')}, {python}")
    yield _Finding("packages", OK, ", ".join(f"{name} {_version(name)}" for name in _PACKAGES))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(unknown)"


def _extras() -> Iterator[_Finding]:
    """Extras: which optional parts are installed."""
    installed = [name for name, (package, _) in _EXTRAS.items() if find_spec(package)]
    lacking = [f"{name} ({what})" for name, (_, what) in _EXTRAS.items() if name not in installed]
    names = ", ".join(installed) or "none"
    if lacking:
        yield _Finding(
            "extras",
            NOTE,
            f"{names}; not installed: {', '.join(lacking)}",
            "pip install 'eyelog[NAME]', if you need one",
        )
    else:
        yield _Finding("extras", OK, names)


def _zone() -> Iterator[_Finding]:
    """Time zone: where commands take it from, which is never this machine."""
    from eyelog.clock import as_zones

    here = datetime.now().astimezone()
    name = _zone_name() or str(here.tzinfo)
    offset = here.strftime("%z")
    stated = os.environ.get("EYELOG_TZ", "").strip()
    yield _Finding(
        "time zone",
        OK,
        f"this machine: {name} (UTC{offset[:3]}:{offset[3:]}); days follow --tz, else the zone"
        " of the files or of the account in the archive, else EYELOG_TZ"
        f" ({stated or 'not set'}), else UTC, with a warning",
    )
    try:
        as_zones(stated or "UTC")
    except EyelogError as error:
        yield _Finding("EYELOG_TZ", WRONG, str(error), "export EYELOG_TZ=Asia/Tokyo, or unset it")


def _zone_name() -> str | None:
    """Return the IANA name of the machine's zone, if the system states it."""
    stated = os.environ.get("TZ", "").removeprefix(":")
    if stated:
        return stated
    try:
        target = str(Path("/etc/localtime").resolve(strict=True))
    except OSError:
        return None
    return target.partition("zoneinfo/")[2] or None


def _home() -> Iterator[_Finding]:
    """Home: the folder of tokens, cache and archive."""
    from eyelog.disk.home import home_dir

    folder = home_dir()
    origin = "EYELOG_HOME" if os.environ.get("EYELOG_HOME") else "the platform's data folder"
    if not os.access(folder, os.W_OK | os.X_OK):
        yield _Finding(
            "home",
            WRONG,
            f"{folder} ({origin}) cannot be written",
            "set EYELOG_HOME to a folder of your own",
        )
    else:
        yield _Finding("home", OK, f"{folder} ({origin})")


def _archive() -> Iterator[_Finding]:
    """Archive: what the default archive holds."""
    from eyelog.archive.store import Archive

    archive = Archive()
    folder = Path(archive.path)
    accounts = archive.accounts() if folder.is_dir() else []
    if not accounts:
        yield _Finding(
            "archive",
            OK,
            f"{folder}: empty",
            "`eyelog import FILES` fills it; `eyelog daily FILES` needs none",
        )
        return
    names = ", ".join(accounts[:4]) + (", ..." if len(accounts) > 4 else "")
    months = len(list(folder.rglob("*.parquet")))
    yield _Finding(
        "archive",
        OK,
        f"{folder}: {_many(len(accounts), 'account')} ({names}), {_many(months, 'month file')},"
        f" {_size(folder)}; `eyelog archive verify` reads them all",
    )


def _cache() -> Iterator[_Finding]:
    """Cache: the days that fetches have stored."""
    from eyelog.access.cache.cache_info import cache_info

    stored = cache_info()
    if stored.empty:
        yield _Finding("cache", OK, "empty")
        return
    days, size = int(stored["days"].sum()), int(stored["bytes"].sum())
    yield _Finding(
        "cache", OK, f"{_many(days, 'day')} of {_many(len(stored), 'account')}, {_bytes(size)}"
    )


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _size(folder: Path) -> str:
    return _bytes(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()))


def _bytes(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


def _service() -> Iterator[_Finding]:
    """Service: its address, the application, the tokens, and whether it answers."""
    from eyelog.access.environment import application_from_environment, base_url_from_environment

    if not os.environ.get("EYELOG_BASE_URL", "").strip():
        yield _Finding(
            "service",
            OK,
            "none is set; files and the archive need none",
            "to fetch from one: export EYELOG_BASE_URL=https://...",
        )
        return
    try:
        base_url = base_url_from_environment()
    except EyelogError as error:
        yield _Finding(
            "service",
            WRONG,
            str(error),
            "export EYELOG_BASE_URL=https://the-address-of-the-service",
        )
        return
    yield from _answering(base_url)
    given = any(os.environ.get(f"EYELOG_{name}_TOKEN") for name in ("ACCESS", "REFRESH"))
    try:
        application = application_from_environment()
    except EyelogError as error:
        yield _Finding("application", WRONG, str(error), "export the missing setting")
    else:
        if application is None:
            yield _Finding(
                "application",
                NOTE if given else WRONG,
                "none is set: without one nobody can log in, and no token can be renewed",
                f"export {'=... '.join(_SETTINGS)}=... as registered with the service",
            )
        else:
            yield _Finding(
                "application",
                OK,
                f"{application.client_id}, redirect {application.redirect_uri} (secret is set)",
            )
    yield from _tokens(base_url, given=given)


def _answering(base_url: str) -> Iterator[_Finding]:
    """Send a request without a token: a service that follows the contract answers 401."""
    from urllib.parse import urlsplit

    import requests

    from eyelog.access.http.addresses import is_loopback, warn_of_plain_http
    from eyelog.access.http.faults import unreachable
    from eyelog.catalogue import LOGS

    warn_of_plain_http(base_url)
    address = f"{base_url}/v2/users/me/official/{LOGS[0]}"
    with requests.Session() as session:
        # Proxies come from the environment, but no password from a .netrc file is sent.
        session.trust_env = not is_loopback(urlsplit(base_url).hostname)
        session.auth = _no_password
        begun = time.monotonic()
        try:
            answer = session.get(address, timeout=_SECONDS, allow_redirects=False, stream=True)
        except requests.RequestException as fault:
            problem = unreachable(fault, method="GET", url=address, where=base_url)
            yield _Finding("service", WRONG, str(problem), _start_one(base_url))
            return
        took_ms = (time.monotonic() - begun) * 1000
    if answer.status_code == 401:
        yield _Finding("service", OK, f"{base_url} answers within {took_ms:.0f} ms")
    elif answer.status_code >= 500 or answer.status_code == 429:
        yield _Finding(
            "service",
            WRONG,
            f"{base_url} answers {answer.status_code}: it responds, but is faulty",
            "try again later, or ask its operator",
        )
    else:
        yield _Finding(
            "service",
            WRONG,
            f"{base_url} answers {answer.status_code} where the service of the logs answers 401",
            "check EYELOG_BASE_URL: it is the address before /v2",
        )


def _no_password(request: Any) -> Any:
    return request


def _start_one(base_url: str) -> str:
    from urllib.parse import urlsplit

    from eyelog.access.http.addresses import is_loopback

    parts = urlsplit(base_url)
    if is_loopback(parts.hostname):
        return f"start it: eyelog serve --archive DIR --port {parts.port or 80}"
    return "check EYELOG_BASE_URL and the network"


def _tokens(base_url: str, *, given: bool) -> Iterator[_Finding]:
    """Yield how each account is logged in at the service; about a token, only when it ends."""
    from eyelog.access.auth.token_file import TokenStore
    from eyelog.access.environment import token_from_environment
    from eyelog.disk.home import home_dir

    if given:
        token_from_environment()
        yield _Finding("token", OK, "that of the environment, for every account")
        return
    home = home_dir()
    accounts = sorted(_accounts(home / "tokens", base_url))
    for account in accounts:
        try:
            token = TokenStore(home, account, base_url).load()
        except EyelogError as error:
            yield _Finding("token", WRONG, str(error), f"eyelog login --account {account}")
            continue
        if token is not None:
            yield _standing(account, token)
    if not accounts:
        yield _Finding("token", WRONG, "nobody is logged in", "eyelog login --account NAME")


def _accounts(folder: Path, base_url: str) -> Iterator[str]:
    """Yield the accounts whose token files are of this service."""
    for path in folder.glob("*.json"):
        try:
            saved = json.loads(path.read_text())
            if saved["base_url"] == base_url:
                yield str(saved["account"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # a damaged file does not show which service it is for


def _standing(account: str, token: "Token") -> _Finding:
    ends = token.expires_at
    if ends is None:
        return _Finding("token", OK, f"account {account!r} is logged in")
    until = ends.astimezone().strftime("%Y-%m-%d %H:%M")
    if not token.expired():
        return _Finding("token", OK, f"account {account!r} is logged in, until {until}")
    if token.refresh_token:
        return _Finding("token", OK, f"account {account!r} is logged in; renewed at the next fetch")
    return _Finding(
        "token",
        WRONG,
        f"the token of account {account!r} ended on {until} and cannot be renewed",
        f"eyelog login --account {account}",
    )


_LOOKS: Final = (_versions, _extras, _zone, _home, _archive, _cache, _service)
