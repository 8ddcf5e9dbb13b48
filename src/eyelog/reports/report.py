"""The report of one wearer: one self-contained page."""

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from eyelog.catalogue import LOGS, near
from eyelog.checks import names_of
from eyelog.errors import ConfigurationError
from eyelog.figures.labels import range_words
from eyelog.frame import takes_tables
from eyelog.judge.limits import Limits
from eyelog.reports import words
from eyelog.reports.answer import answer
from eyelog.reports.logs import as_logs
from eyelog.reports.method import method
from eyelog.reports.page import check_texts, page_file, write_page
from eyelog.reports.sections import SECTIONS


@takes_tables
def report(
    frames: pd.DataFrame | Mapping[str, pd.DataFrame] | Iterable[pd.DataFrame],
    path: str | os.PathLike[str],
    *,
    sections: Sequence[str] | None = None,
    limits: Limits | None = None,
    day_starts: str | None = None,
    since: str | date | None = None,
    name: str | None = None,
    dated: str | None = None,
    glance: bool = False,
) -> Path:
    """Write a report of one wearer: one HTML file with sentences, figures and tables.

    The file is complete: it loads nothing from the network and runs no script. Page one is the
    answer: how much was worn, at most three sentences on what stood out, and the last week (with
    five weeks or more, the last four weeks) against the wearer's own usual range. The sections
    follow. What was lost, the limits, the methods and the recipe are the appendix:
    folded on a screen, printed at the end. Each printed page has its number, the name and the range
    of days. Each section sums up its numbers in a sentence, with an interval and what it is of; one
    that has nothing is left out, and the page says why. Tables can be downloaded as CSV from inside
    the file.

    Parameters
    ----------
    frames : DataFrame, mapping of str to DataFrame, or iterable of DataFrame
        Records of one wearer: a frame of one log, or several logs, as ``{log: frame}`` or one
        after the other. Only the fields of a frame that summaries take are used (`eyelog.fields`).
        From a frame of the 20 Hz log the 15-second log is recomputed (`eyelog.intervals`) unless it
        is passed too.
    path : str or path
        The file to write, ending with .html; its folder must exist. Only its owner can read it.
    sections : sequence of str, optional
        Which sections, in their own order: ``"days"``, ``"eyes"``, ``"blinks"``, ``"walking"``,
        ``"head"``, ``"rhythm"``, ``"baseline"``, ``"agreement"``, ``"trust"``. Default: all;
        ``"blinks"`` only for the 20 Hz log, ``"agreement"`` only where the 15- and the 60-second
        log are given. The method closes every report.
    limits : Limits, optional
        What counts as worn, noisy, walking, in pose, and as a day that counts, see
        `eyelog.Limits`.
    day_starts : str, optional
        When a day starts, such as ``"18:00"`` for people who work at night; a day is named by the
        date on which it starts, here and in `since`. By default midnight.
    since : str or date, optional
        The first local day to report. The days before it are what the days of the page are
        compared with: the usual range takes up to 56 days, and knows weekends from six weeks on.
    name : str, optional
        A pseudonym for the wearer. The account and the names of files then do not appear in the
        report.
    dated : str, optional
        A line below the title, such as a date or a study. Without it the report has no date of its
        own: equal records give equal bytes.
    glance : bool
        Whether to write only page one, which prints on one sheet of A4.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ConfigurationError
        If there is nothing to report, a frame has no field that summaries take, a section does not
        exist, sections are requested with page one alone, the frames are of different wearers or
        zones or are resampled, or the path cannot be used.
    MixedLogsError
        If two frames are of the same log, or one holds fields of both.
    EyelogError
        If the file cannot be written.

    Warns
    -----
    EyelogWarning
        Once for everything the numbers lack, such as evidence that is not in the frame; the report
        says so too.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import eyelog as el
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = el.report(
    ...         el.sample("standard_mode_logs"), Path(folder) / "report.html", sections=["days"]
    ...     )
    ...     "the eyewear was worn for" in path.read_text()
    True
    """
    target = check_arguments(path, sections=sections, name=name, dated=dated, glance=glance)
    logs = as_logs(frames, name=name, limits=limits, since=since, day_starts=day_starts)
    wanted = SECTIONS if sections is None else names_of(sections, "sections")
    chosen = [key for key in SECTIONS if key in wanted and not glance]
    if sections is None:
        without = {"agreement": len(logs.frames) < len(LOGS), "blinks": logs.single is None}
        chosen = [key for key in chosen if not without.get(key)]
    arguments: dict[str, Any] = {
        "sections": chosen,
        "limits": logs.limits.details(),
        "since": None if since is None else str(since),
        "name": name,
        "dated": dated,
    } | ({} if day_starts is None else {"day_starts": day_starts})
    days = logs.calendar
    first, last = days[0], days[-1]
    between = range_words(first, last)  # one day has its weekday already
    if first != last:
        between = f"{first:%a} {between.replace(' to ', f' to {last:%a} ')}"
    return write_page(
        target,
        title=f"Eyewear report: {logs.name}" if logs.name else "Eyewear report",
        about=f"{between}, {logs.zone}; {words.joined(logs.called)}",
        dated=dated,
        opening=partial(answer, logs),
        sections={key: (SECTIONS[key][0], partial(SECTIONS[key][1], logs)) for key in chosen},
        method=partial(method, logs, arguments),
    )


def check_arguments(
    path: str | os.PathLike[str],
    *,
    sections: Sequence[str] | None,
    name: str | None,
    dated: str | None,
    glance: bool = False,
) -> Path:
    """Return the file to write, or raise `ConfigurationError` for arguments that cannot be used."""
    target = page_file(path, what="report")
    check_texts(name=name, dated=dated)
    if sections is None:
        return target
    if glance:
        raise ConfigurationError("page one alone has no sections: leave out sections= or glance=")
    check_sections(names_of(sections, "sections"))
    return target


def check_sections(names: Sequence[str]) -> Sequence[str]:
    """Return the names of sections, or raise `ConfigurationError` for one that does not exist."""
    for key in names:
        if key not in SECTIONS:
            raise ConfigurationError(
                f"no section {key!r}{near(str(key), SECTIONS)}: use some of {', '.join(SECTIONS)}"
            )
    if not names:
        raise ConfigurationError(f"name at least one section of {', '.join(SECTIONS)}")
    return names
