"""`eyelog.report_cohort`: the days of many wearers to one file."""

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from eyelog.cohort.result import result_of
from eyelog.figures.labels import LOG_WORDS, range_words
from eyelog.frame import takes_tables
from eyelog.measure.groups import By
from eyelog.reports.cohort import amount, group_differences, losses, outcomes, who
from eyelog.reports.cohort.first_page import contrast
from eyelog.reports.cohort.method import method
from eyelog.reports.cohort.study import Cohort, as_cohort
from eyelog.reports.page import check_texts, page_file, write_page
from eyelog.reports.parts import Part


@takes_tables
def report_cohort(
    table: pd.DataFrame | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    by: By = None,
    outcome: str | None = None,
    wearers: pd.DataFrame | None = None,
    covariates: str | Sequence[str] | None = None,
    key_file: str | os.PathLike[str] | None = None,
    dated: str | None = None,
) -> Path:
    """Write the report of a study: one HTML file about the days of many wearers.

    Page one shows the contrast: each wearer with an interval, the difference between the groups
    with its interval, how many wearers and days it is based on, and what was lost. The next
    sections are who took part, how much was measured, the percentiles of the wearers, topic by
    topic, the differences in all outcomes, and the method with the recipe. It loads nothing from
    the network and runs no script; its tables can be downloaded as CSV from inside the file.

    Parameters
    ----------
    table : DataFrame, str or path
        The table of `eyelog.cohort.daily`, or the place of its dataset (``out``), whose recipe and
        report of failed wearers are then part of the page.
    path : str or path
        The file to write, ending with .html; its folder must exist. Only its owner can read it.
    by : str, Series or list, optional
        The group of each wearer: a column, labels of wearers or of rows, or a list of these. By
        default no groups.
    outcome : str, optional
        The outcome that was named before the data were seen, such as ``"blink_rate_per_min"``: page
        one is about it, and its p, by a permutation test, is not corrected for the others, which
        are corrected among themselves (Holm). Default: none was named, and all are corrected
        together.
    wearers : DataFrame, optional
        One row per wearer, with a column ``account``: columns to add to the days, such as groups
        that became known after they were computed. They replace columns of the same name.
    covariates : str or sequence of str, optional
        Columns of numbers of the table of wearers that have a mean, such as ``"age"``. For all
        others the values are counted: the mean of a seed or an identifier has no meaning.
    key_file : str or path, optional
        The file of a key, as for `eyelog.cohort.pseudonymise`: pseudonyms replace the accounts, and
        the recipe names neither the accounts nor the place of the archive.
    dated : str, optional
        A line below the title, such as a date or the name of the study.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ConfigurationError
        If the table does not hold a cohort's days, or `wearers`, `by`, `key_file` or the path
        cannot be used.
    FieldError
        If there is no such `outcome`, or none of `covariates`.
    ArchiveError
        If the place has no whole result.
    EyelogError
        If the file cannot be written.

    See Also
    --------
    eyelog.cohort.summary, eyelog.cohort.differences, eyelog.plot_cohort :
        The tables and figures of the report.

    Notes
    -----
    Days with at least 4 hours of wear count; wear itself is reported for all days. Each wearer
    counts once, as the mean of their days.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from pathlib import Path
    >>> import eyelog as el
    >>> folder, log = Path(mkdtemp()), "standard_mode_logs"
    >>> archive = el.Archive(folder / "archive")
    >>> people = el.cohort.simulate(archive, 2, start="2026-10-19", days=1, log=log)
    >>> days = el.cohort.daily(archive, log, wearers=people[["account", "group"]])
    >>> page = el.report_cohort(days, folder / "study.html")
    >>> "2 of 2 wearers have 2 days with records of the 60-second log" in page.read_text()
    True
    """
    target = page_file(path, what="report_cohort")
    check_texts(by=by if by is None or isinstance(by, str) else None, outcome=outcome, dated=dated)
    cohort = as_cohort(
        result_of(table, what="report_cohort", wearers=wearers),
        by=by,
        wearers=wearers,
        covariates=covariates,
        key_file=key_file,
        outcome=outcome,
    )
    arguments = {
        "by": cohort.by,
        "outcome": outcome,
        "covariates": cohort.averaged,
        "dated": dated,
        "pseudonyms": key_file is not None,
    }
    makers: dict[str, tuple[str, Callable[[Cohort], Part]]] = {
        "who": ("Who took part", who.section),
        "amount": ("How much was measured", amount.section),
        "losses": ("What was lost, and why", losses.section),
        **{key: (topic[0], outcomes.section(key)) for key, topic in outcomes.TOPICS.items()},
    }
    if cohort.is_empty:  # otherwise each section would say so
        makers = {"losses": makers["losses"]}
    elif cohort.by is not None:
        groups = ("Differences between the groups", group_differences.section)
        makers = {"groups": groups, **makers}
    return write_page(
        target,
        title="Cohort report",
        about=_about(cohort),
        dated=dated,
        opening=None if cohort.is_empty else partial(contrast, cohort),
        sections={key: (title, partial(make, cohort)) for key, (title, make) in makers.items()},
        method=partial(method, cohort, arguments),
    )


def _about(cohort: Cohort) -> str:
    log = LOG_WORDS.get(cohort.log or "", "")
    if cohort.is_empty:
        return "; ".join(filter(None, ["No wearer has days", log]))
    days = f"{range_words(*cohort.calendar)}, {cohort.zone}"
    return "; ".join(filter(None, [days, log]))
