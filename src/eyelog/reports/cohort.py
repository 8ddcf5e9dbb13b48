"""`eyelog.report_cohort`: the days of many wearers as one page, and its sections."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.cohort.groups import result_of, summary
from eyelog.figures.many import LEAST_WEARERS, plot_cohort
from eyelog.frame import takes_tables
from eyelog.judge.arrays import numbers
from eyelog.measure.columns import column
from eyelog.measure.groups import By
from eyelog.reports import words
from eyelog.reports.contrast import contrast, differences
from eyelog.reports.literature import cited_text
from eyelog.reports.logs import COUNTED_WORN_H, worn_for
from eyelog.reports.method import method_part, own_limits, versions
from eyelog.reports.page import check_texts, page_file, write_page
from eyelog.reports.parts import Empty, PageTable, Part, page_table, picture, said_table
from eyelog.reports.study import WEAR, Cohort, as_cohort
from eyelog.reports.words import said
from eyelog.series.groups import label_of

ALL: Final = "All wearers"
MOST_LISTED: Final = 30  # wearers of a table; the file has all
AVERAGE: Final = ("worn_h_per_day", "valid_h_per_day")
MOST_LABELS: Final = 8  # of one covariate; more are counted, not listed
# The outcomes that are drawn day by day, and wearer by wearer
ALONG_THE_DAYS: Final = ("blink_rate_per_min", "steps", "walking_h", "tilt_fore_aft_deg")
BY_WEARER: Final = ("blink_rate_per_min", "steps", "tilt_fore_aft_deg")


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
    sections are the differences in all outcomes, who took part and how much was measured, what was
    lost, the outcomes of the wearers, and the method with the recipe. It loads nothing from the
    network and runs no script; its tables can be downloaded as CSV from inside
    the file.

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
        If the wearers have no column `by`, or there is no such `outcome`, or none of `covariates`.
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
    shown = dict(SECTIONS)
    if cohort.is_empty:  # otherwise each section would say so
        shown = {"losses": SECTIONS["losses"]}
    elif cohort.by is None:
        del shown["groups"]
    return write_page(
        target,
        title="Cohort report",
        about=words.sentence("cohort.about_study", cohort=cohort),
        dated=dated,
        opening=None if cohort.is_empty else partial(contrast, cohort),
        sections={key: (title, partial(make, cohort)) for key, (title, make) in shown.items()},
        method=partial(method, cohort, arguments),
    )


def who(cohort: Cohort) -> Part:
    """Return who took part, and how much of each wearer was measured."""
    worn = cohort.per_wearer["worn_h"].dropna()
    draw = partial(plot_cohort, cohort.grouped, "worn_h")
    drawn = [
        picture("cohort.worn_day_by_day", draw),
        picture("cohort.worn_by_wearer", partial(draw, kind="caterpillar")),
    ]
    return Part(
        said("cohort.who", cohort=cohort, counted_h=COUNTED_WORN_H, worn=worn),
        [] if worn.empty else drawn,
        [partial(_people_table, cohort), partial(_wearers_table, cohort)],
    )


def _people_table(cohort: Cohort) -> PageTable:
    """Return the table that opens every study: one column per group."""
    people = cohort.per_wearer
    group_of = cohort.group_of.reindex(people.index)
    sides = {name: people[group_of == name] for name in cohort.groups}
    sides = {} if cohort.by is None else sides
    if len(sides) != 1:
        sides[ALL] = people
    facts = {"cohort": cohort, "sides": sides, "most": MOST_LABELS, "label_of": label_of}
    return said_table("cohort.people_table", people, **facts)


def _wearers_table(cohort: Cohort) -> PageTable:
    table = cohort.per_wearer.sort_values(["days_counted", "worn_h_total"], kind="stable")
    few = table.head(MOST_LISTED).rename(columns={"worn_h": AVERAGE[0], "valid_h": AVERAGE[1]})
    caption = words.sentence("cohort.wearers_caption", few=len(few), wearers=len(table))
    names = (*([cohort.by] if cohort.by else []), "days", "days_counted", *AVERAGE)
    return page_table(few, caption, "wearers", names=names, whole=cohort.per_wearer)


def losses(cohort: Cohort) -> Part:
    """Return how many wearers, days and values are left, and who has none."""
    lost = [(name, "failed", cohort.failed[name]) for name in sorted(cohort.failed)]
    lost += [(name, "no days", cohort.without[name]) for name in sorted(cohort.without)]
    lost += [(name, "in no group", f"no value of {cohort.by}") for name in cohort.outside]
    csv = pd.DataFrame(lost, columns=pd.Index(["account", "state", "reason"])).set_index("account")
    people = partial(said_table, "cohort.lost_wearers_table", csv)
    left = pd.DataFrame(_steps(cohort), columns=pd.Index(["step", "wearers", "days", "lost"]))
    left = left.astype({"days": "Int64"}).set_index("step")
    steps = partial(said_table, "cohort.steps_table", left)
    return Part(said("cohort.losses", cohort=cohort), tables=[steps, people] if lost else [steps])


def _steps(cohort: Cohort) -> Iterator[tuple[str, int, int | None, str]]:
    """Yield (step, wearers left, days left, what was lost) in order."""
    failed, outside = len(cohort.failed), len(cohort.outside)
    why = f"{words.count(failed, 'wearer')} failed" if failed else ""
    counts = Counter(cohort.without.values()).most_common()
    reasons = "; ".join(f"{words.count(n, 'wearer')}: {reason}" for reason, n in counts)
    yield "Wearers asked for", cohort.wanted, None, ""
    yield "Computed without a failure", cohort.wanted - failed, None, why
    yield "With days", len(cohort.accounts), len(cohort.rows), reasons
    if cohort.is_empty:
        return
    rows = cohort.grouped
    if cohort.by is not None:
        why = f"{words.count(outside, 'wearer')} without a value of {cohort.by}" if outside else ""
        yield "In a group", len(cohort.group_of), len(rows), why
    counted = rows[worn_for(rows, COUNTED_WORN_H)]
    thin = len(rows) - len(counted)
    why = f"{words.count(thin, 'day')} with less wear" if thin else ""
    step = f"Days with at least {COUNTED_WORN_H:g} h of wear"
    yield step, counted.index.get_level_values("account").nunique(), len(counted), why
    for name in cohort.outcomes:
        if name == "worn_h":
            continue
        some = counted[np.isfinite(numbers(counted[name]))]
        lost = len(counted) - len(some)
        why = words.sentence("cohort.why_no_value", name=name)
        yield (
            f"of these, with {column(name).label.lower()}",
            some.index.get_level_values("account").nunique(),
            len(some),
            f"{words.count(lost, 'day')}: {why}" if lost else "",
        )


def outcomes(cohort: Cohort) -> Part:
    """Return the outcomes beside wear: percentiles of wearers, day by day and in order."""
    names = [name for name in cohort.outcomes if name not in WEAR and len(cohort.means(name))]
    if not names:
        raise Empty("no day that counts has a value")
    draw = partial(plot_cohort, cohort.counted)
    along = [name for name in ALONG_THE_DAYS if name in names]
    ordered = [name for name in BY_WEARER if name in names]
    return Part(
        [
            words.sentence("cohort.outcome", about=name, cohort=cohort, least=LEAST_WEARERS)
            for name in names
        ],
        [
            *(picture("cohort.day_by_day", partial(draw, name), name=name) for name in along),
            *(
                picture("cohort.by_wearer", partial(draw, name, kind="caterpillar"), name=name)
                for name in ordered
            ),
        ],
        [partial(_percentiles_table, cohort, names)],
    )


def _percentiles_table(cohort: Cohort, names: Sequence[str]) -> PageTable:
    by = cohort.by if cohort.is_compared else None
    rows = cohort.counted[[*([] if by is None else [by]), *names]]
    rows.attrs = {}  # of the groups alone: who was lost is in a section of its own
    groups: Any = summary(rows, by=by).groups
    facts = {"names": names, "least": LEAST_WEARERS}
    return said_table("cohort.percentiles_table", groups, cohort=cohort, **facts)


def method(cohort: Cohort, arguments: dict[str, Any], notices: list[str]) -> Part:
    """Return the definitions, the limits and the recipe of a study's report."""
    inventory = bool(cohort.recipe.get("inventory"))
    paragraphs = said(
        "methods.methods_of_study",
        cohort=cohort,
        versions=versions(),
        own=own_limits(cohort.limits),
        counted_h=COUNTED_WORN_H,
    )
    return method_part(
        said("methods.method", inventory=inventory, readings=[], notices=notices),
        cited_text(*paragraphs),
        [cohort.log] if cohort.log else [],
        cohort.limits,
        {"report": arguments, "cohort": dict(cohort.recipe)},
    )


# Title and maker of each section; the method follows them in every report
SECTIONS: Final[Mapping[str, tuple[str, Callable[[Cohort], Part]]]] = MappingProxyType(
    {
        "groups": ("Differences between the groups", differences),
        "who": ("Who took part, and how much was measured", who),
        "losses": ("What was lost, and why", losses),
        "outcomes": ("The outcomes", outcomes),
    }
)
