"""The blocks of code on a page, and a session that runs them as a reader does.

On every page, blocks marked ``python`` and ``sh`` run from top to bottom: one Python namespace and
one shell per page, in an empty home. Blocks marked otherwise (``py``, ``text``, ``ini``) are shown
only. What a page needs before its first block (a service to talk to, a file of the lab) is in a
comment that readers do not see::

    <!-- setup
    python make_something.py
    -->

Addresses of the page are those that a reader types; `Session` puts a free port in place of 8765.
"""

import ast
import atexit
import contextlib
import io
import logging
import os
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Self

__all__ = ["ROOT", "RUNS", "Block", "Failed", "Session", "blocks_of", "commands_of"]

ROOT: Final = Path(__file__).resolve().parents[3]
RUNS: Final = ("python", "sh", "setup")
TIMEOUT: Final = 600  # seconds, for one block of shell commands on a busy machine
COLUMNS: Final = 88  # the width of a terminal that the page has room for

_FENCE: Final = re.compile(r"^(`{3,}|~{3,})(\w+)[^\n]*\n(.*?)^\1\s*$", re.DOTALL | re.MULTILINE)
_SETUP: Final = re.compile(r"^<!-- setup\n(.*?)^-->\s*$", re.DOTALL | re.MULTILINE)


class Failed(Exception):
    """A block of a page did not run."""


@dataclass(frozen=True)
class Block:
    """One block: its language, its code, and where in the page it is."""

    language: str
    code: str
    line: int
    start: int
    end: int


def blocks_of(page: str) -> list[Block]:
    """Return the fenced blocks of a page, and its hidden ones, in order."""
    found = [(match, match[2], match[3]) for match in _FENCE.finditer(page)]
    found += [(match, "setup", match[1]) for match in _SETUP.finditer(page)]
    return sorted(
        (
            Block(language, code, page.count("\n", 0, match.start()) + 2, *match.span())
            for match, language, code in found
        ),
        key=lambda block: block.start,
    )


def commands_of(code: str) -> list[str]:
    """Return the commands of a shell block, comments and continuations resolved."""
    whole = code.replace("\\\n", " ")
    return [line for line in whole.splitlines() if line.strip() and not line.startswith("#")]


class Session:
    """Runs the blocks of one page: one namespace, one shell, a home of its own.

    Parameters
    ----------
    name : str
        The name of the page, for messages.
    page : str
        Its text: a page that names ``~/logger-files`` has some.
    """

    def __init__(self, name: str, page: str = "") -> None:
        self.name = name
        self._wants_logger_files = "~/logger-files" in page
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._started: list[int] = []

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="eyelog-page-")
        self.home = Path(self._folder.name).resolve() / "home"
        self.work = self.home / "work"
        self.work.mkdir(parents=True)
        if self._wants_logger_files:
            shutil.copytree(_logger_files(), self.home / "logger-files")
        self._port = _free_port()
        self._before = dict(os.environ), Path.cwd()
        for name in [name for name in os.environ if name.startswith(("EYELOG_", "XDG_"))]:
            del os.environ[name]
        binaries = str(Path(sys.executable).parent)
        os.environ |= {
            "HOME": str(self.home),
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": str(COLUMNS),
            "MPLBACKEND": "agg",
            # Who asks for a browser gets one that logs in as the page says.
            "BROWSER": f"{sys.executable} {Path(__file__).parent / 'login_as_reader.py'} %s",
        }
        os.chdir(self.work)
        logging.disable(logging.WARNING)  # a builder that listens is not a reader
        return self

    def __exit__(self, *_: object) -> None:
        logging.disable(logging.NOTSET)
        environment, folder = self._before
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        for group in self._started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        self._folder.cleanup()

    def run(self, block: Block) -> str:
        """Run a block and return what it printed.

        Raises
        ------
        Failed
            If it raised, or a command ended with a status other than 0.
        """
        run = self._python if block.language == "python" else self._shell
        text = run(block)
        return self._as_on_the_page(text)

    def figures(self) -> Iterator[Any]:
        """Yield the figures that the last block drew, and close them."""
        if "matplotlib.pyplot" not in sys.modules:
            return
        plt = sys.modules["matplotlib.pyplot"]
        for number in plt.get_fignums():
            yield plt.figure(number)
            plt.close(number)

    def _as_on_the_page(self, text: str) -> str:
        text = text.replace(str(self.work), ".").replace(str(self.home), "~")
        return text.replace(f"127.0.0.1:{self._port}", "127.0.0.1:8765")

    def _as_typed(self, code: str) -> str:
        return re.sub(r"\b8765\b", str(self._port), code)

    def _python(self, block: Block) -> str:
        tree = ast.parse(self._as_typed(block.code))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        where = f"{self.name}, line {block.line}"
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed), _warnings_as_lines(printed), _wide_tables():
                exec(compile(tree, where, "exec"), self.names)
                if isinstance(last, ast.Expr):
                    value = eval(compile(ast.Expression(last.value), where, "eval"), self.names)
                    if value is not None and not _is_drawn(value):
                        print(repr(value), file=printed)
        except Exception as error:
            raise Failed(f"{where}: {type(error).__name__}: {error}") from error
        return printed.getvalue()

    def _shell(self, block: Block) -> str:
        output, left = self.home / ".output", self.home / ".left"
        # What it exports, and where it ends, is where the next block begins, of either language.
        script = f"trap 'env -0 > \"{left}\"' EXIT\n{self._as_typed(block.code)}"
        with output.open("w") as sink:
            # Output goes into a file: what runs on in the background would hold a pipe open.
            shell = subprocess.Popen(
                ["bash", "-eu", "-o", "pipefail", "-c", script],
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._started.append(shell.pid)
            try:
                status = shell.wait(timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                status = -1
        text = output.read_text()
        if status or not left.exists():
            raise Failed(f"{self.name}, line {block.line}: status {status}\n{block.code}\n{text}")
        os.environ.update(pair.split("=", 1) for pair in left.read_text().split("\0") if pair)
        os.chdir(os.environ["PWD"])
        return text


@cache
def _logger_files() -> Path:
    """Return a folder with the week of the sample, as the Logger app leaves it on a computer."""
    make = runpy.run_path(str(ROOT / "datasets" / "make_sample.py"))
    folder = Path(tempfile.mkdtemp(prefix="eyelog-logger-files-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for day in range(19, 26):
        for log, kind in make["LOGGER_KINDS"].items():
            text = make["logger_csv"](log, f"2026-10-{day}", f"2026-10-{day}")
            (folder / f"202610{day}-070000_CDC000000001_{kind}.csv").write_bytes(text)
    return folder


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _is_drawn(value: object) -> bool:
    """Return whether a value is what plotting returns: the figure says it all."""
    several = isinstance(value, list | tuple) or type(value).__name__ == "ndarray"
    parts = list(value) if several else [value]  # type: ignore[call-overload]
    return bool(parts) and all(type(part).__module__.startswith("matplotlib") for part in parts)


@contextlib.contextmanager
def _warnings_as_lines(sink: io.StringIO) -> Iterator[None]:
    """Show a warning as the command line does: one line, no path of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = lambda message, *_, **__: print(f"warning: {message}", file=sink)
        yield


@contextlib.contextmanager
def _wide_tables() -> Iterator[None]:
    import pandas as pd

    with pd.option_context("display.width", COLUMNS, "display.max_columns", 12):
        yield
