"""The settings of the service and of its operator's commands, and where each comes from.

A setting has one name: ``--page-size`` as an option, ``EYELOG_SERVICE_PAGE_SIZE`` in the
environment, and ``page-size`` in the file. An option comes before the environment, the environment
before the file, the file before the default.
"""

import getpass
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from eyelog.catalogue import near
from eyelog.cli.command import command
from eyelog.cli.output import note
from eyelog.errors import ConfigurationError
from eyelog.home import home_dir
from eyelog_service import require

if TYPE_CHECKING:
    from eyelog.archive.store import Archive
    from eyelog_service.auth.registry import Registry

service = click.Group(
    "service",
    help="Manage the service: accounts, applications, tokens."
    "\n\nA running service notices every change within a second. What is changed here is written to"
    " the audit log beside the state.",
)
action = partial(command, of=service)
"""Make a function a command of the operator."""


def noted(registry: "Registry", event: str, **what: Any) -> None:
    """Write what the operator did to the audit log."""
    from eyelog_service.audit import Audit

    try:
        operator = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name
        operator = None
    Audit(registry.state_folder).write(f"admin.{event}", operator=operator, **what)


PREFIX: Final = "EYELOG_SERVICE_"
_CONFIG: Final = f"{PREFIX}CONFIG"
# What each setting is, and its value in a service that does not set it.
SETTINGS: Final[dict[str, tuple[str, Any]]] = {
    "archive": ("path", None),
    "state": ("path", None),
    "local": ("path", None),
    "host": ("text", "127.0.0.1"),
    "port": ("number", 8765),
    "page-size": ("number", 500),
    "workers": ("number", 1),
    "requests-per-hour": ("number", 10_000),
    "uploads-per-hour": ("number", 60),
    "quota": ("size", 2_000_000_000),
    "unpacked": ("size", 500_000_000),
    "behind-proxy": ("text", None),
    "root-path": ("text", ""),
}
_WHAT: Final = {
    "number": "a whole number",
    "size": "a size such as '2GB'",
    "text": "text",
    "path": "a path, as text",
}


class Size(click.ParamType):  # type: ignore[type-arg] # generic only since click 8.5
    """A number of bytes such as 2GB."""

    name = "SIZE"

    def convert(self, value: Any, param: Any, ctx: Any) -> int:
        """Return the bytes of a size."""
        try:
            return _size(str(value))
        except ValueError:
            self.fail(f"not a size: {value!r} (use one such as 500MB or 2GB)", param, ctx)


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([kMGT]?)B?", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise ValueError(text)
    return int(float(match[1]) * 1000 ** " KMGT".index(match[2].upper() or " "))


@dataclass(frozen=True)
class Places:
    """Where a service keeps its data: options of its commands, None where an option is not given.

    Parameters
    ----------
    archive : DIR
        The archive.  [default: archive in EYELOG_HOME]
    state : DIR
        Folder of the service's state, or postgresql://USER@HOST/NAME for several hosts.
        [default: the archive's folder]
    local : DIR
        With a database: folder of this host for its logs and what comes in.
        [default: the archive's folder]
    config : FILE
        A settings file such as eyelog.toml.  [default: EYELOG_SERVICE_CONFIG, else none]
    """

    archive: str | None = None
    state: str | None = None
    local: str | None = None
    config: Path | None = None

    @cached_property
    def in_force(self) -> dict[str, tuple[Any, str]]:
        """Return the value of each setting, and where it comes from.

        Returns
        -------
        dict of str to (value, origin)
            In the order of `SETTINGS`. The origin is an option, a name of the environment, a file,
            or the word ``default``.

        Raises
        ------
        ConfigurationError
            If the file cannot be read, or has a setting that does not exist or cannot be used;
            likewise the environment.
        """
        path = self.config
        if path is None and (stated := os.environ.get(_CONFIG, "").strip()):
            path = Path(stated)
        found = {name: (default, "default") for name, (_, default) in SETTINGS.items()}
        if path is not None:
            found |= {name: (value, str(path)) for name, value in _from_file(path).items()}
        found |= {
            name: (value, PREFIX + key_of(name).upper()) for name, value in _from_environment()
        }
        options = {name: getattr(self, key_of(name), None) for name in SETTINGS}
        found |= {
            name: (value, f"--{name}") for name, value in options.items() if value is not None
        }
        return found

    def __getitem__(self, name: str) -> Any:
        return self.in_force[name][0]

    @property
    def archive_path(self) -> Path | str:
        """The folder of the archive, or its URL in an object store."""
        if "://" in (self["archive"] or ""):
            return str(self["archive"])
        folder = Path(self["archive"]).expanduser() if self["archive"] else home_dir() / "archive"
        return Path(os.path.abspath(folder))  # noqa: PTH100 (as the archive does: links stay)

    def open_archive(self) -> "Archive":
        """Return the archive."""
        from eyelog.archive.store import Archive

        return Archive(self.archive_path)

    def named_state(self) -> str | None:
        """Return the folder or the database of the state, after a word about a password in it."""
        state, origin = self.in_force["state"]
        if state is not None:
            warn_of_password(state, origin)
        return None if state is None else str(state)

    def registry(self, *, existing: bool = True) -> "Registry":
        """Return the accounts, applications and tokens; an `existing` state is required."""
        require("service")
        from eyelog_service.auth.registry import Registry

        registry = Registry(self.archive_path, self.named_state(), self["local"])
        if existing:
            registry.require_state()
        return registry

    def typed(self, *words: str) -> str:
        """Return a command on the same service, as it is typed."""
        places = {
            "--archive": self["archive"],
            "--state": shown_state(self["state"] or ""),
            "--local": self["local"],
        }
        options = [word for option, value in places.items() if value for word in (option, value)]
        return f"`{shlex.join(['eyelog', 'service', words[0], *options, *words[1:]])}`"


@dataclass(frozen=True)
class Serving(Places):
    """How a service serves.

    Parameters
    ----------
    host : ADDRESS
        Address to bind.  [default: 127.0.0.1, this machine only]
    port : N
        Port.  [default: 8765]
    page_size : N
        Records per page.  [default: 500]
    workers : N
        Processes that serve.  [default: 1]
    requests_per_hour : N
        Requests for data per account and hour; 0: no limit.  [default: 10000]
    uploads_per_hour : N
        Uploads per account and hour; 0: no limit.  [default: 60]
    quota : SIZE
        What the archive takes of one account by uploads; 0: no limit.  [default: 2GB]
    unpacked : SIZE
        What one upload may unpack to; 0: no limit.  [default: 500MB]
    behind_proxy : ADDRESS
        Trust what a proxy on this machine, or at ADDRESS, says about client and TLS.
    root_path : PATH
        The prefix of every path, such as /eyelog.
    """

    host: str | None = None
    port: int | None = None
    page_size: int | None = None
    workers: int | None = None
    requests_per_hour: int | None = None
    uploads_per_hour: int | None = None
    quota: int | None = field(default=None, metadata={"type": Size()})
    unpacked: int | None = field(default=None, metadata={"type": Size()})
    behind_proxy: str | None = field(
        default=None, metadata={"is_flag": False, "flag_value": "loopback"}
    )
    root_path: str | None = None


def key_of(name: str) -> str:
    """Return the name of a setting as that of an argument."""
    return name.replace("-", "_")


def shown_state(state: str) -> str:
    """Return the state of a service without a password."""
    from eyelog_service.auth.database import is_database, shown_database

    return shown_database(state) if is_database(state) else state


def warn_of_password(state: str, origin: str | None = None) -> None:
    """Warn on stderr about a password in the address of a database that others can read.

    Parameters
    ----------
    state : str
        A folder, or the address of a database.
    origin : str, optional
        The option or the file of settings that names it; by default it was typed.
    """
    from eyelog_service.auth.database import has_password, is_database, shown_database

    if not is_database(state) or not has_password(state):
        return
    database = shown_database(state)
    instead = "put it into the file that PGPASSFILE names, as every program of Postgres does"
    if origin in (None, "--state"):
        note(f"eyelog: warning: a list of processes shows the password of {database}: {instead}")
    elif Path(origin).is_file() and Path(origin).stat().st_mode & 0o007:
        note(
            f"eyelog: warning: others can read the password of {database}: chmod 640 {origin}, or"
            f" {instead}"
        )


def _from_environment() -> Iterator[tuple[str, Any]]:
    by_variable = {PREFIX + key_of(name).upper(): name for name in SETTINGS}
    for variable, given in os.environ.items():
        text = given.strip()
        if not variable.startswith(PREFIX) or variable == _CONFIG or not text:
            continue
        name = by_variable.get(variable)
        if name is None:
            raise ConfigurationError(
                f"{variable} in the environment is not a setting of the service"
                f"{near(variable, [*by_variable, _CONFIG])}: unset it"
            )
        is_number = SETTINGS[name][0] == "number" and text.isdecimal()
        yield name, _checked(name, int(text) if is_number else text, variable)


def _from_file(path: Path) -> dict[str, Any]:
    """Return the settings of a file; paths are relative to its folder."""
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise ConfigurationError(
            f"cannot read the settings file {path}: {error.strerror}; eyelog service print-config"
            " settings prints one"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the settings file {path} is not TOML: {error}") from None
    for name, value in table.items():
        if name not in SETTINGS:
            raise ConfigurationError(
                f"{path} has the setting {name!r}, which does not exist{near(name, SETTINGS)}: the"
                f" settings are {', '.join(SETTINGS)}"
            )
        table[name] = _checked(name, value, path)
        if SETTINGS[name][0] == "path" and "://" not in value:
            table[name] = os.path.abspath(path.absolute().parent / Path(value).expanduser())  # noqa: PTH100 (links stay)
    return table


def _checked(name: str, value: Any, where: object) -> Any:
    """Return the value of a setting, if it is of its kind."""
    kind = SETTINGS[name][0]
    is_number = isinstance(value, int) and not isinstance(value, bool)
    with suppress(ValueError):
        if kind == "size" and (is_number or isinstance(value, str)):
            return _size(str(value))
        is_text = isinstance(value, str) and (kind == "text" or value.strip())
        if (kind == "number" and is_number) or (kind in ("text", "path") and is_text):
            return value
    raise ConfigurationError(f"{where}: {name} must be {_WHAT[kind]}, not {value!r}")
