"""The program `eyelog`, and the one place where an error becomes one line and an exit status."""

import codecs
import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import click

from eyelog.catalogue import near
from eyelog.cli.output import note
from eyelog.errors import EyelogError

INTERRUPTED: Final = 130  # 128 + SIGINT, as shells count
_JOBS: Final = {
    "try it": "eyelog demo",
    "read my files": "eyelog daily FOLDER --log computed_data --tz Asia/Tokyo",
    "one report": "eyelog report FOLDER --tz Asia/Tokyo -o report.html",
    "ask a service": "eyelog login, then eyelog fetch LOG START END -o week.csv",
    "run a service": "eyelog serve --archive DIR",
}
# The commands of each module; modules are loaded when a command of theirs is called.
_PAGE: Final = {
    "Results": ("eyelog.cli.analyse", "daily summary describe plot report cohort"),
    "Records": ("eyelog.cli.records", "import archive login logout fetch sync cache"),
    "Service": ("eyelog_service.cli", "serve service push listen replay"),
    "Trial": ("eyelog.cli.records", "demo simulate"),
    "Help": ("eyelog.cli.analyse", "fields cite doctor"),
}


class _Program(click.Group):
    """The program: commands by group, and a first page that opens with the usual jobs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for _, names in _PAGE.values() for name in names.split()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        for module, names in _PAGE.values():
            if cmd_name in names.split():
                command: click.Command = import_module(module).COMMANDS[cmd_name]
                return command
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            if Path(name).exists():
                ctx.fail(
                    f"{name!r} is not a command: for the files there, type eyelog daily {name}"
                )
            ctx.fail(f"there is no command {name!r}{near(name, self.list_commands(ctx))}")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        lines = ["Usage: eyelog [--help | --version] COMMAND ...", "", "Five usual jobs:"]
        lines += [f"  {job:15}{command}" for job, command in _JOBS.items()]
        lines += ["", "Commands (eyelog COMMAND --help explains each):"]
        for group, (_, names) in _PAGE.items():
            for name in names.split():
                head = group if name == names.split()[0] else ""
                command = self.get_command(ctx, name)
                about = command.get_short_help_str(54) if command else ""
                lines.append(f"  {head:9}{name:16}{about}")
        formatter.write("\n".join(lines) + "\n")


@click.group(cls=_Program)
@click.version_option(package_name="eyelog", message="%(prog)s %(version)s")
def program() -> None:
    """Analyse the logs of smart eyewear."""


# Plain signs for the non-ASCII ones in tables and messages, for a terminal that lacks them.
_PLAIN: Final = str.maketrans({"·": "-", "–": "-", "…": "...", "°": "deg", "µ": "u", "²": "2"})  # noqa: RUF001


def _in_plain_letters(error: UnicodeError) -> tuple[str, int]:
    """Replace what a stream cannot encode: signs by plain ones, other characters by numbers."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].translate(_PLAIN)
    return letters.encode("ascii", "backslashreplace").decode(), error.end


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    codecs.register_error("eyelog-plain", _in_plain_letters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # accepts every character, whatever its encoding
            stream.reconfigure(errors="eyelog-plain")
    if "_EYELOG_COMPLETE" in os.environ:  # the shell asks what the Tab key offers
        program.main(prog_name="eyelog")
    warned: set[str] = set()

    def warn(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in warned:  # many files may share a warning
            warned.add(str(message))
            note(message, kind="warning")

    def fail(message: object, status: int = 1) -> int:
        note(message, kind="error")
        return status

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = warn
        try:
            words = list(sys.argv[1:] if argv is None else argv)
            with program.make_context("eyelog", words) as context:
                status = program.invoke(context)
            sys.stdout.flush()
            return status or 0
        except click.exceptions.Exit as end:
            return end.exit_code
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()
            return 2
        except click.UsageError as error:
            if error.ctx is not None:
                print(error.ctx.get_usage(), file=sys.stderr)
            return fail(error.format_message(), 2)
        except EyelogError as error:
            return fail(error)
        except (KeyboardInterrupt, click.Abort):
            return fail("interrupted; everything finished so far is kept", INTERRUPTED)
        except BrokenPipeError:
            # The reader has seen enough (| head); Python must not complain when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            return fail(f"{error.strerror or error}{where}")
        except Exception as error:
            if os.environ.get("EYELOG_DEBUG"):
                raise
            return fail(
                f"{type(error).__name__}: {error} (a bug in eyelog: set EYELOG_DEBUG=1 to see"
                " where, and report it)"
            )
