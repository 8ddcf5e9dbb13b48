"""The parser, and the one place where an error becomes one line and an exit status."""

import argparse
import codecs
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Final

from eyelog.cli.output import one_line
from eyelog.errors import EyelogError

__all__ = ["build_parser", "main"]

INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count


class _Version(argparse.Action):
    """Print the version, looked up only on request: the look-up takes longer than the parser."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"eyelog {version('eyelog')}")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """A parser that takes options anywhere between the words of a command.

    argparse gives words that may be missing (FILE..., LOG [START END]) only what stands together
    before or after all options: ``plot timeline -o a.png week.csv`` would fail.
    """

    _intermixed = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse what is known; called again, as it is, by the intermixed parsing itself."""
        if self._intermixed or self._subparsers is not None:
            return super().parse_known_args(args, namespace)
        self._intermixed = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._intermixed = False


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every command.

    Commands import what they need when they run, so that the parser, and with it every
    ``--help``, stays fast.
    """
    from eyelog.cli import account, archive, cohort, data, demo, operate, report, service

    parser = _Parser(
        prog="eyelog",
        description="Analyse the logs of smart eyewear.",
        epilog="Settings in the environment: EYELOG_BASE_URL EYELOG_CLIENT_ID"
        " EYELOG_CLIENT_SECRET EYELOG_REDIRECT_URI EYELOG_AUTHORIZE_URL EYELOG_ACCESS_TOKEN"
        " EYELOG_REFRESH_TOKEN EYELOG_HOME EYELOG_DEBUG",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (demo, account, data, report, archive, cohort, service, operate):
        module.add_commands(commands)
    return parser


def _warner() -> Callable[..., None]:
    """Return what shows a warning on stderr, each only once: many files may share it."""
    shown: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = one_line(message)
        if text not in shown:
            shown.add(text)
            print(f"eyelog: warning: {text}", file=sys.stderr)

    return show


def _fail(message: object, status: int = 1) -> int:
    print(f"eyelog: error: {one_line(message)}", file=sys.stderr)
    return status


# What the tables and messages have beyond ASCII, for a terminal that cannot show it.
_PLAIN: Final = str.maketrans({"·": "-", "–": "-", "…": "...", "°": "deg", "µ": "u", "²": "2"})  # noqa: RUF001


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Replace letters that a stream cannot encode: signs by plain ones, others by their number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].translate(_PLAIN)
    return letters.encode("ascii", "backslashreplace").decode(), error.end


def _take_any_letter() -> None:
    """Let stdout and stderr take every letter, whatever their encoding is."""
    codecs.register_error("eyelog-plain", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="eyelog-plain")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = _warner()
        try:
            _take_any_letter()
            args = build_parser().parse_args(argv)
            status: int = args.run(args) or 0
            sys.stdout.flush()
        except EyelogError as error:
            return _fail(error)
        except KeyboardInterrupt:
            return _fail("interrupted; everything finished so far is kept", INTERRUPTED)
        except BrokenPipeError:
            # The reader has seen enough (| head); Python must not complain when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            return _fail(f"{error.strerror or error}{where}")
        except Exception as error:
            if os.environ.get("EYELOG_DEBUG"):
                raise
            return _fail(
                f"{type(error).__name__}: {error} (a bug in eyelog: set EYELOG_DEBUG=1 to see"
                " where, and report it)"
            )
    return status
