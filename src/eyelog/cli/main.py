"""The parser, and the one place where an error becomes one line and an exit status."""

import argparse
import atexit
import codecs
import gc
import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from eyelog.cli.help import Program
from eyelog.cli.output import note
from eyelog.cli.shell import in_a_shell, options_of
from eyelog.cli.source import command_of
from eyelog.errors import EyelogError, marked, spelled

__all__ = ["build_parser", "main"]

INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count
NEW_OBJECTS: Final = 50_000  # after this many, Python looks for unreachable ones


def build_parser() -> Program:
    """Return the parser of every command.

    Commands import what they need when they run, so that the parser, and with it every
    ``--help``, stays fast.
    """
    from eyelog.cli import (
        account,
        archive,
        cite,
        cohort,
        completion,
        data,
        demo,
        doctor,
        fields,
        listen,
        operate,
        push,
        replay,
        report,
        service,
        watch,
    )

    parser = Program()
    commands = parser.add_commands()
    every = (
        *(data, report, cohort, archive, watch, listen, replay, account, push, service),
        *(operate, demo, fields, cite, doctor),
    )
    for module in every:
        module.add_commands(commands)
    completion.add_commands(commands, build_parser)
    return parser


def _as_typed(parser: Program, args: argparse.Namespace) -> Callable[[str], str]:
    """Return the function that rewrites a library message in the words of the running command."""
    options, commands = options_of(args.parser), frozenset(parser.commands)
    typed = command_of(args) if isinstance(getattr(args, "words", None), list) else ""
    return lambda text: in_a_shell(text, options=options, commands=commands, typed=typed)


class _Messages:
    """Errors and warnings on stderr, in the words of the running command once it is known."""

    def __init__(self) -> None:
        self.words: Callable[[str], str] = spelled
        self._shown: set[str] = set()

    def warn(self, message: Warning | str, *_: Any, **__: Any) -> None:
        """Show a warning, once: many files may share it."""
        text = marked(message)
        if text not in self._shown:
            self._shown.add(text)
            note(f"eyelog: warning: {self.words(text)}")

    def fail(self, message: object, status: int = 1) -> int:
        """Show an error, and return the exit status."""
        note(f"eyelog: error: {self.words(marked(message))}")
        return status


# Plain signs for the non-ASCII ones in tables and messages, for a terminal that lacks them.
_PLAIN: Final = str.maketrans({"·": "-", "–": "-", "…": "...", "°": "deg", "µ": "u", "²": "2"})  # noqa: RUF001


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Replace what a stream cannot encode: signs by plain ones, other characters by numbers."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].translate(_PLAIN)
    return letters.encode("ascii", "backslashreplace").decode(), error.end


def _take_any_letter() -> None:
    """Let stdout and stderr accept every character, whatever their encoding."""
    codecs.register_error("eyelog-plain", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="eyelog-plain")


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Let Python rarely look for unreachable objects.

    The libraries of a command and the figures of a report are hundreds of thousands of small
    objects that remain; examining them again and again takes a tenth of the time of a report.
    """
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    # What is left when the program ends goes with it: examining it first takes 0.3 s after a
    # report.
    atexit.register(gc.freeze)
    with _collecting_seldom(), warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        messages = _Messages()
        warnings.showwarning = messages.warn
        try:
            _take_any_letter()
            parser = build_parser()
            args = parser.parse_args(argv)
            args.spelled = messages.words = _as_typed(parser, args)
            status: int = args.run(args) or 0
            sys.stdout.flush()
        except EyelogError as error:
            return messages.fail(error)
        except KeyboardInterrupt:
            return messages.fail("interrupted; everything finished so far is kept", INTERRUPTED)
        except BrokenPipeError:
            # The reader has seen enough (| head); Python must not complain when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            return messages.fail(f"{error.strerror or error}{where}")
        except Exception as error:
            if os.environ.get("EYELOG_DEBUG"):
                raise
            return messages.fail(
                f"{type(error).__name__}: {error} (a bug in eyelog: set EYELOG_DEBUG=1 to see"
                " where, and report it)"
            )
    return status
