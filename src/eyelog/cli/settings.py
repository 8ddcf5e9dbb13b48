"""The settings of the service: as options, in the environment, in one file, and their defaults.

A setting has one name: ``--page-size`` as an option, ``EYELOG_SERVICE_PAGE_SIZE`` in the
environment, and ``page-size`` in the file. An option comes before the environment, the environment
before the file, the file before the default.
"""

import argparse
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from eyelog.catalogue import near
from eyelog.errors import ConfigurationError

__all__ = ["SETTINGS", "add_config", "add_settings", "in_force", "size", "with_settings"]

PREFIX: Final = "EYELOG_SERVICE_"
_CONFIG: Final = f"{PREFIX}CONFIG"


@dataclass(frozen=True, slots=True)
class _Setting:
    """One setting: its name, what it is, and the value of a service that does not set it."""

    name: str
    kind: str
    default: Any
    metavar: str
    help: str
    alone: Any = None
    """The value of an option that is given without one."""

    @property
    def dest(self) -> str:
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        return PREFIX + self.dest.upper()


SETTINGS: Final = (
    _Setting("archive", "path", None, "DIR", "the archive (default: archive in EYELOG_HOME)"),
    _Setting(
        *("state", "path", None, "DIR"),
        "folder of the service's state (default: the archive's folder), or postgresql://USER@HOST/NAME"
        " for several hosts",
    ),
    _Setting(
        *("local", "path", None, "DIR"),
        "with a database: folder of this host for its logs and what comes in (default: the"
        " archive's folder)",
    ),
    _Setting(
        *("host", "text", "127.0.0.1", "ADDRESS"),
        "address to bind (default: 127.0.0.1, this machine only)",
    ),
    _Setting("port", "number", 8765, "N", "port (default: 8765)"),
    _Setting("page-size", "number", 500, "N", "records per page (default: 500)"),
    _Setting("workers", "number", 1, "N", "processes that serve (default: 1)"),
    _Setting(
        *("requests-per-hour", "number", 10_000, "N"),
        "requests for data per account and hour (default: 10000; 0: no limit)",
    ),
    _Setting(
        *("uploads-per-hour", "number", 60, "N"),
        "uploads per account and hour (default: 60; 0: no limit)",
    ),
    _Setting(
        *("quota", "size", 2_000_000_000, "SIZE"),
        "what the archive takes of one account by uploads (default: 2GB; 0: no limit)",
    ),
    _Setting(
        *("behind-proxy", "text", None, "ADDRESS"),
        "trust what a proxy on this machine, or at ADDRESS, says about client and TLS",
        alone="loopback",
    ),
    _Setting("root-path", "text", "", "PATH", "the prefix of every path, such as /eyelog"),
    _Setting(
        *("access-log", "path", None, "FILE"),
        "add a line of JSON per request to FILE (default: no access log)",
    ),
    _Setting(
        *("metrics-port", "number", None, "N"),
        "answer /metrics for Prometheus on this port of 127.0.0.1 (default: no metrics)",
    ),
)
"""Every setting of `eyelog serve`."""

_BY_NAME: Final = {each.name: each for each in SETTINGS}


def size(text: str) -> int:
    """Return the bytes of a size such as 2GB."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([kMGT]?)B?", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"not a size: {text!r} (use one such as 500MB or 2GB)")
    return int(float(match[1]) * 1000 ** " KMGT".index(match[2].upper() or " "))


_OF_TEXT: Final[dict[str, Callable[[str], Any]]] = {
    "number": int,
    "size": size,
    "text": str,
    "path": str,
}
_WHAT: Final = {
    "number": "a whole number",
    "size": "a size such as '2GB'",
    "text": "text",
    "path": "a path, as text",
}


def add_config(parser: argparse.ArgumentParser) -> None:
    """Give a command of the service the option that names the settings file."""
    parser.add_argument(
        "--config",
        type=Path,
        metavar="FILE",
        help=f"a settings file such as eyelog.toml (default: {_CONFIG}, else none)",
    )


def add_settings(parser: argparse.ArgumentParser, names: Iterable[str] | None = None) -> None:
    """Add settings to a command as options, by default all, and the option ``--config``.

    The options have no default of their own, so that `in_force` sees which were given.
    """
    for name in _BY_NAME if names is None else names:
        setting = _BY_NAME[name]
        more: dict[str, Any] = {}
        if setting.alone is not None:
            more = {"nargs": "?", "const": setting.alone}
        parser.add_argument(
            f"--{name}",
            type=_OF_TEXT[setting.kind],
            metavar=setting.metavar,
            help=setting.help,
            **more,
        )
    add_config(parser)


def in_force(args: argparse.Namespace) -> dict[str, tuple[Any, str]]:
    """Return the value of each setting, and where it comes from.

    Parameters
    ----------
    args : argparse.Namespace
        The options of the command, some of them settings.

    Returns
    -------
    dict of str to (value, origin)
        In the order of `SETTINGS`. The origin is an option, a name of the environment, a file, or
        the word ``default``.

    Raises
    ------
    ConfigurationError
        If the file cannot be read, or has a setting that does not exist or cannot be used; likewise
        the environment.
    """
    given = dict(_from_environment())
    path = args.config
    if path is None and (stated := os.environ.get(_CONFIG, "").strip()):
        path = Path(stated)
    in_file = {} if path is None else _from_file(path)
    settings: dict[str, tuple[Any, str]] = {}
    for setting in SETTINGS:
        option = getattr(args, setting.dest, None)
        if option is not None:
            settings[setting.name] = option, f"--{setting.name}"
        elif setting.name in given:
            settings[setting.name] = given[setting.name], setting.variable
        elif setting.name in in_file:
            settings[setting.name] = in_file[setting.name], str(path)
        else:
            settings[setting.name] = setting.default, "default"
    return settings


def with_settings(
    run: Callable[[argparse.Namespace], int | None],
) -> Callable[[argparse.Namespace], int | None]:
    """Return a command that finds the settings in force among its arguments."""

    def resolved(args: argparse.Namespace) -> int | None:
        args.in_force = in_force(args)
        for name, (value, _) in args.in_force.items():
            setattr(args, _BY_NAME[name].dest, value)
        return run(args)

    return resolved


def _from_environment() -> Iterator[tuple[str, Any]]:
    by_variable = {each.variable: each for each in SETTINGS}
    for variable, text in os.environ.items():
        if not variable.startswith(PREFIX) or variable == _CONFIG or not text.strip():
            continue
        setting = by_variable.get(variable)
        if setting is None:
            raise ConfigurationError(
                f"{variable} in the environment is not a setting of the service"
                f"{near(variable, [*by_variable, _CONFIG])}: unset it"
            )
        try:
            value = _OF_TEXT[setting.kind](text.strip())
        except (ValueError, argparse.ArgumentTypeError):
            raise _unusable(setting, text, variable) from None
        yield setting.name, value


def _from_file(path: Path) -> dict[str, Any]:
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
    return {name: _value(name, value, path) for name, value in table.items()}


def _value(name: str, value: Any, path: Path) -> Any:
    """Return the value of a setting of a file; paths are relative to the file's folder."""
    setting = _BY_NAME.get(name)
    if setting is None:
        raise ConfigurationError(
            f"{path} has the setting {name!r}, which does not exist{near(name, _BY_NAME)}: the"
            f" settings are {', '.join(_BY_NAME)}"
        )
    number = isinstance(value, int) and not isinstance(value, bool)
    if setting.kind == "number" and number:
        return value
    if setting.kind == "size" and (number or isinstance(value, str)):
        try:
            return size(str(value))
        except argparse.ArgumentTypeError:
            raise _unusable(setting, value, path) from None
    if setting.kind == "text" and isinstance(value, str):
        return value
    if setting.kind == "path" and isinstance(value, str) and value.strip():
        if "://" in value:
            return value
        return os.path.abspath(path.absolute().parent / Path(value).expanduser())  # noqa: PTH100 (links stay)
    raise _unusable(setting, value, path)


def _unusable(setting: _Setting, value: Any, where: object) -> ConfigurationError:
    return ConfigurationError(
        f"{where}: {setting.name} must be {_WHAT[setting.kind]}, not {value!r}"
    )
