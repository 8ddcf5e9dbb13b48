"""The import of an upload in a process of its own, by the pipeline of `eyelog import`.

Reading files takes a whole core: in a process of its own it delays no other request, and its memory
is released. The process ends with the one that started it. It holds the locks of the upload too, so
that nobody clears its private folder, or imports into the account, in the meantime.
"""

import errno
import json
import os
import re
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from eyelog.archive.importing.conflicts import conflicts_of
from eyelog.archive.importing.intake import FileReport, import_files
from eyelog.archive.importing.sources import input_files
from eyelog.archive.store import Archive, place_of
from eyelog.errors import ArchiveError, ConfigurationError, EyelogError
from eyelog.service.apart import end_with_parent
from eyelog.service.responses import Problem
from eyelog.service.uploads.deleted import DeletedMeanwhile, deleted_meanwhile, erasures

__all__ = ["ImportFailed", "import_apart", "import_upload", "work"]

_SECONDS: Final = 900.0
_MOST_CONFLICTS: Final = 1000  # of one file, in an answer
_NICENESS: Final = 10
_FULL: Final = (errno.ENOSPC, errno.EDQUOT)

# With -P, no file in the current folder is mistaken for a module.
_PROGRAM: Final = (
    "import json, sys; told = json.loads(sys.stdin.readline()); sys.path[:] = told.pop('path');"
    f" from {__name__} import work; work(told)"
)


class ImportFailed(Exception):
    """The process ended without an answer; the text is for the service's log."""


def import_apart(
    told: Mapping[str, Any], *, temporary: Path, locks: Collection[int], seconds: float = _SECONDS
) -> dict[str, Any]:
    """Import an upload in another process; return the answer.

    Parameters
    ----------
    told : mapping
        The arguments of `import_upload`, as JSON.
    temporary : Path
        A private folder for data that wait during the import.
    locks : collection of int
        The handles of the locks, of the private folder and perhaps of the account, which the
        process holds too.
    seconds : float
        How long it may take.

    Raises
    ------
    Problem
        If the files are refused; nothing was then imported.
    ImportFailed
        If the process breaks down, or takes too long; either nothing or everything was then
        imported.
    """
    line = json.dumps({"path": sys.path, **told}).encode() + b"\n"
    with subprocess.Popen(  # noqa: S603 (this program itself)
        [sys.executable, "-P", "-c", _PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # a message may quote a record
        pass_fds=locks if os.name == "posix" else [],
        env={**os.environ, "TMPDIR": str(temporary)},
    ) as process:
        assert process.stdin is not None  # noqa: S101 (pipes, as asked for)
        assert process.stdout is not None  # noqa: S101 (as above)
        late = threading.Timer(seconds, process.kill)
        late.start()
        try:
            process.stdin.write(line)
            process.stdin.flush()  # it stays open: its end shows that this process has ended
            text = process.stdout.read()
        except BrokenPipeError:
            text = b""
        finally:
            process.kill()
            late.cancel()
    if not text.endswith(b"\n"):
        raise ImportFailed("the process of an import ended without an answer")
    answer: dict[str, Any] = json.loads(text)
    if "fault" in answer:
        raise ImportFailed(answer["fault"])
    if "problem" in answer:
        raise Problem(*answer["problem"])
    return answer


def work(told: Mapping[str, Any]) -> None:
    """Import an upload as the process of `import_apart`."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(_NICENESS)  # requests for data come first
    try:
        answer = import_upload(**told)
    except Problem as problem:
        answer = {"problem": [problem.status, problem.error, problem.description]}
    except BaseException as error:  # noqa: BLE001 (to the log of the service, without its values)
        places = "".join(traceback.format_tb(error.__traceback__))
        answer = {"fault": f"{type(error).__name__} in an import:\n{places}"}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def import_upload(
    archive: str,
    account: str,
    folder: str,
    files: Sequence[str],
    *,
    erased: int,
    replace: bool,
    tz: str | None,
) -> dict[str, Any]:
    """Import files into an account, all months or none; return the answer of an upload.

    Where the archive has a different value from a file, the stored value stays unless `replace`,
    and the answer has the line. A file that is not a log is refused; the others are still imported.

    Parameters
    ----------
    archive, account : str
        Where the records go.
    folder : str
        The private folder, which no message shows.
    files : sequence of str
        Paths in it.
    erased : int
        How often the account had been erased when the upload began.
    replace : bool
        Whether different values replace stored ones.
    tz : str or None
        The zone of dates without an offset, if the archive knows none for the account.

    Returns
    -------
    dict
        ``files`` (with ``name``, ``read``, ``new``, ``left_out``, ``conflicts`` and, for one that
        is not a log, ``refused``) and ``new``.

    Raises
    ------
    Problem
        403 if the account was erased meanwhile, 409 if the records seem to be of another wearer or
        device, 422 if no file is a log, 507 if the disk is full, 503 if the archive cannot be
        written now, 400 if the zone is not known.
    """
    store = Archive(archive)
    paths = [Path(file) for file in files]

    def check_account() -> None:
        if erasures(Path(archive) if place_of(store).local else archive, account) > erased:
            raise DeletedMeanwhile

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the answer has what matters
        try:
            zones = store.zones(account) or tz
            reports = import_files(
                store,
                paths,
                account=account,
                tz=zones,
                replace=replace,
                keep_stored=not replace,
                before_writing=check_account,
            )
        except DeletedMeanwhile:
            raise deleted_meanwhile() from None
        except ConfigurationError as error:
            raise Problem(409, "conflict", _without(folder, str(error))) from None
        except ArchiveError as error:
            raise _unwritable(error) from None
        answers = [_answer(report, folder) for report in reports]
        _add_conflicts(reports, answers, paths, zones)
    refused = [each for each in answers if "refused" in each]
    if refused and len(refused) == len(answers):
        first = f"{refused[0]['name']}: {refused[0]['refused']}"
        more = f" (and {len(refused) - 1:,} more)" if len(refused) > 1 else ""
        raise Problem(422, "not_records", first + more)
    return {"files": answers, "new": sum(each["new"] for each in answers)}


def _answer(report: FileReport, folder: str) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "name": _without(folder, report.file),
        "read": report.read,
        "new": report.kept,
        "left_out": report.read - report.kept,
        "conflicts": [],
    }
    if report.status == "refused":
        answer |= {"read": 0, "new": 0, "left_out": 0, "refused": _without(folder, report.reason)}
    return answer


def _add_conflicts(
    reports: Sequence[FileReport], answers: Sequence[dict[str, Any]], paths: list[Path], zones: Any
) -> None:
    """Add the lines with values other than the stored ones; such files are read again for that."""
    differing = {
        report.file: (report, answer)
        for report, answer in zip(reports, answers, strict=True)
        if report.differing
    }
    if not differing:
        return
    for file in input_files(paths):
        if file.name not in differing:
            continue
        report, answer = differing[file.name]
        conflicts, more = conflicts_of(file, report, zones, _MOST_CONFLICTS)
        if more:
            answer["more_conflicts"] = more
        answer["conflicts"] = [
            {"line": one.line, "date": one.date, "field": one.field} for one in conflicts
        ]


def _without(folder: str, text: str) -> str:
    """Return a text without the private folder, and the numbered folders in it."""
    return re.sub(rf"{re.escape(folder)}/(\d+/)?", "", text)


def _unwritable(error: EyelogError) -> Problem:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _FULL:
            return Problem(
                507, "insufficient_storage", "the disk of the service is full: try again later"
            )
        cause = cause.__cause__
    return Problem(
        503, "temporarily_unavailable", "the archive cannot be written now: try again later"
    )
