"""The parser, and the one place where an error becomes one line and an exit status."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from eyelog.errors import EyelogError

__all__ = ["build_parser", "main"]


class _Version(argparse.Action):
    """Print the version, looked up only on request: the look-up takes longer than the parser."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from importlib.metadata import version

        print(f"eyelog {version('eyelog')}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of every command.

    Commands import what they need when they run, so that the parser, and with it every
    ``--help``, stays fast.
    """
    from eyelog.cli import account, archive, cohort, data, demo, service

    parser = argparse.ArgumentParser(
        prog="eyelog",
        description="Analyse the logs of smart eyewear.",
        epilog="Settings in the environment: EYELOG_BASE_URL EYELOG_CLIENT_ID"
        " EYELOG_CLIENT_SECRET EYELOG_REDIRECT_URI EYELOG_AUTHORIZE_URL EYELOG_ACCESS_TOKEN"
        " EYELOG_REFRESH_TOKEN EYELOG_HOME EYELOG_DEBUG",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for module in (demo, account, data, archive, cohort, service):
        module.add_commands(commands)
    return parser


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"eyelog: warning: {_one_line(message)}", file=sys.stderr)


def _one_line(message: object) -> str:
    return " ".join(str(message).split())


def _fail(message: object) -> int:
    print(f"eyelog: error: {_one_line(message)}", file=sys.stderr)
    return 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = _show_warning
        try:
            args = build_parser().parse_args(argv)
            status: int = args.run(args) or 0
            sys.stdout.flush()
        except EyelogError as error:
            return _fail(error)
        except KeyboardInterrupt:
            return _fail("interrupted; everything finished so far is kept")
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
