"""`eyelog.report_cohort`: the days of many wearers as one page, and its sections."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.cohort.differences import label_of
from eyelog.cohort.group_summary import summary
from eyelog.cohort.result import result_of
from eyelog.figures.many import LEAST_WEARERS, plot_cohort
from eyelog.frame import takes_tables
from eyelog.judge.arrays import numbers
from eyelog.measure.columns import column
from eyelog.measure.groups import By
from eyelog.measure.sheet import decimals
from eyelog.reports import words
from eyelog.reports.contrast import contrast, differences
from eyelog.reports.literature import cited_text
from eyelog.reports.logs import COUNTED_WORN_H, worn_for
from eyelog.reports.method import method_part, own_limits, versions
from eyelog.reports.page import check_texts, page_file, write_page
from eyelog.reports.parts import Empty, PageTable, Part, picture, text_table
from eyelog.reports.study import Cohort, as_cohort
from eyelog.reports.words import said

ALL: Final = "All wearers"
MOST_LISTED: Final = 30  # wearers of a table; the file has all
MOST_LABELS: Final = 8  # of one covariate; more are counted, not listed
# The title and the outcomes of each section, the first of them drawn wearer by wearer too
TOPICS: Final = MappingProxyType(
    {
        "eyes": ("Eyes", ("blink_rate_per_min", "eye_moves_per_h")),
        "walking": ("Walking", ("steps", "walking_h", "pace_spm")),
        "head": ("Head and posture", ("tilt_fore_aft_deg", "head_moves_yaw_per_h")),
    }
)
ALONG_THE_DAYS: Final = ("blink_rate_per_min", "steps", "walking_h", "tilt_fore_aft_deg")


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
    sections are the differences in all outcomes, who took part, how much was measured, what was
    lost, the percentiles of the wearers, topic by topic, and the method with the recipe. It loads
    nothing from the network and runs no script; its tables can be downloaded as CSV from inside
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
        "groups": ("Differences between the groups", differences),
        "who": ("Who took part", who),
        "amount": ("How much was measured", amount),
        "losses": ("What was lost, and why", losses),
        **{key: (title, partial(outcomes, key)) for key, (title, _) in TOPICS.items()},
    }
    if cohort.is_empty:  # otherwise each section would say so
        makers = {"losses": makers["losses"]}
    elif cohort.by is None:
        del makers["groups"]
    return write_page(
        target,
        title="Cohort report",
        about=words.sentence("about_study", cohort=cohort),
        dated=dated,
        opening=None if cohort.is_empty else partial(contrast, cohort),
        sections={key: (title, partial(make, cohort)) for key, (title, make) in makers.items()},
        method=partial(method, cohort, arguments),
    )


def who(cohort: Cohort) -> Part:
    """Return how many wearers there are, their groups and their covariates."""
    return Part(said("who", cohort=cohort), tables=[partial(_people_table, cohort)])


def _people_table(cohort: Cohort) -> PageTable:
    """Return the table that opens every study: one column per group."""
    people = cohort.grouped.groupby(level="account").first()
    sides = [people.loc[cohort.group_of.index[cohort.group_of == name]] for name in cohort.groups]
    names = cohort.groups if cohort.by is not None else [ALL]
    if len(sides) > 1:
        sides, names = [*sides, people], [*names, ALL]
    days = cohort.grouped.groupby(level="account").size()
    rows = [
        ["Wearers", *(words.whole(len(side)) for side in sides)],
        ["Days", *(words.whole(days.loc[side.index].sum()) for side in sides)],
    ]
    for name in cohort.covariates:
        one_zone = name == "tz" and people[name].nunique() < 2
        if name != cohort.by and not one_zone:
            rows += _covariate(name, sides, averaged=name in cohort.averaged)
    shown = [name for name in cohort.covariates if name in people.columns]
    whole = people[shown].assign(days=days)
    by = f", by {cohort.by}" if cohort.is_compared else ""
    return text_table(f"Wearers with days{by}", ["", *names], rows, "wearers", whole)


def _covariate(name: str, sides: list[pd.DataFrame], *, averaged: bool) -> Iterator[list[str]]:
    """Yield the rows of one covariate: mean and SD if it was named for that, otherwise counts."""
    whole = pd.concat(sides)[name]
    if averaged:
        values = [side[name].astype("float64") for side in sides]
        finite = [one[np.isfinite(one)] for one in values]
        places = decimals(np.array([one.mean() for one in finite if len(one)]), None)
        yield [f"{name}, mean (SD)", *(_mean_sd(one, places) for one in finite)]
        return
    labels = list(dict.fromkeys(whole.dropna().sort_values().map(label_of)))
    if not 0 < len(labels) <= MOST_LABELS:
        yield [f"{name}, different values", *(words.whole(side[name].nunique()) for side in sides)]
        return
    for label in labels:
        of = [side[name].dropna().map(label_of).reindex(side.index) == label for side in sides]
        yield [f"{name}: {label}", *map(_share, of)]
    if whole.isna().any():
        yield [f"{name}: not stated", *(_share(side[name].isna()) for side in sides)]


def _mean_sd(values: pd.Series, places: int) -> str:
    if values.empty:
        return words.MISSING
    mean = words.number(values.mean(), places)
    return f"{mean} ({words.number(values.std())})" if len(values) > 1 else mean


def _share(inside: pd.Series) -> str:
    if inside.empty:
        return words.MISSING
    return f"{words.whole(int(inside.sum()))} ({words.percent(float(inside.mean()))})"


def amount(cohort: Cohort) -> Part:
    """Return hours worn and days that count, and the wearers with the fewest such days."""
    table = cohort.per_wearer
    worn = table["worn_h"].dropna()
    if worn.empty:
        raise Empty("nothing in the records shows whether the eyewear was worn")
    draw = partial(plot_cohort, cohort.grouped, "worn_h")
    return Part(
        said(
            "amount",
            cohort=cohort,
            counted_h=COUNTED_WORN_H,
            worn=worn,
            quartiles=worn.quantile([0.25, 0.5, 0.75]).tolist(),
            table=table,
        ),
        [
            picture("worn_day_by_day", draw),
            picture("worn_by_wearer", partial(draw, kind="caterpillar")),
        ],
        [
            *([partial(_groups_table, cohort)] if cohort.is_compared else []),
            partial(_wearers_table, cohort),
        ],
    )


def _groups_table(cohort: Cohort) -> PageTable:
    table = cohort.per_wearer
    sides = {name: table.loc[cohort.group_of == name] for name in cohort.groups}
    rows, whole = [], []
    for name, side in [*sides.items(), (ALL, table)]:
        spread = (("days", 0), ("worn_h", 1), ("valid_h", 1))
        rows.append(
            [
                name,
                words.whole(len(side)),
                *(words.whole(side[of].sum()) for of in ("days", "days_counted")),
                *(_median_range(side.get(of, pd.Series()), digits) for of, digits in spread),
                words.whole(side["worn_h_total"].sum()),
            ]
        )
        medians = {f"{of}_median": side[of].median() for of in side if of != "group"}
        whole.append({"group": name, "wearers": len(side), **medians})
    return text_table(
        "Days and hours: of the wearers, the median with the middle half",
        [
            *("Group", "Wearers", "Days", "Days that count"),
            *("Days per wearer", "Worn, h per day", "Usable, h per day", "Hours worn in all"),
        ],
        rows,
        "wear-by-group",
        pd.DataFrame(whole).set_index("group"),
    )


def _median_range(values: pd.Series, digits: int) -> str:
    measured = values.dropna().astype("float64")
    if measured.empty:
        return words.MISSING
    low, middle, high = measured.quantile([0.25, 0.5, 0.75])
    value = words.number(middle, digits)
    return value if len(measured) == 1 else f"{value} ({words.range_of(low, high, digits)})"


def _wearers_table(cohort: Cohort) -> PageTable:
    table, named = cohort.per_wearer, cohort.is_compared
    few = table.sort_values(["days_counted", "worn_h_total"], kind="stable").head(MOST_LISTED)
    rows = [
        [
            str(account),
            *([str(row["group"])] if named else []),
            *(words.whole(row[of]) for of in ("days", "days_counted")),
            words.number(row["worn_h"], 1),
            words.whole(row["worn_h_total"]),
        ]
        for account, row in few.iterrows()
    ]
    caption = "The wearers, those with the fewest days that count first"
    if len(table) > MOST_LISTED:
        caption = f"The {len(few)} wearers with the fewest days that count (the file holds all)"
    headers = ["Days", "Days that count", "Worn, h per day", "Hours worn in all"]
    headers = ["Wearer", *(["Group"] if named else []), *headers]
    return text_table(caption, headers, rows, "wear-by-wearer", table)


def losses(cohort: Cohort) -> Part:
    """Return how many wearers, days and values are left, and who has none."""
    lost = [(name, "failed", cohort.failed[name]) for name in sorted(cohort.failed)]
    lost += [(name, "no days", cohort.without[name]) for name in sorted(cohort.without)]
    lost += [(name, "in no group", f"no value of {cohort.by}") for name in cohort.outside]
    csv = pd.DataFrame(lost, columns=pd.Index(["account", "state", "reason"])).set_index("account")
    people = partial(
        text_table,
        "Wearers who are in none of the numbers",
        ["Wearer", "State", "Reason"],
        [list(row) for row in lost],
        "lost-wearers",
        csv,
    )
    steps = partial(_steps_table, cohort)
    return Part(said("losses", cohort=cohort), tables=[steps, people] if lost else [steps])


def _steps_table(cohort: Cohort) -> PageTable:
    steps = list(_steps(cohort))
    rows = [
        [step, words.whole(wearers), words.MISSING if days is None else words.whole(days), why]
        for step, wearers, days, why in steps
    ]
    whole = pd.DataFrame(steps, columns=pd.Index(["step", "wearers", "days", "lost"]))
    return text_table(
        "From wearers to days to values",
        ["Step", "Wearers left", "Days left", "What was lost here"],
        rows,
        "attrition",
        whole.astype({"days": "Int64"}).set_index("step"),
    )


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
        why = words.sentence("why_no_value", name=name)
        yield (
            f"of these, with {column(name).label.lower()}",
            some.index.get_level_values("account").nunique(),
            len(some),
            f"{words.count(lost, 'day')}: {why}" if lost else "",
        )


def outcomes(topic: str, cohort: Cohort) -> Part:
    """Return the outcomes of a topic: percentiles of wearers, day by day and in order."""
    names = [name for name in TOPICS[topic][1] if name in cohort.outcomes]
    measured = [name for name in names if len(cohort.means(name))]
    if not measured:
        raise Empty("no day that counts has a value")
    along = [name for name in measured if name in ALONG_THE_DAYS]
    draw = partial(plot_cohort, cohort.counted)
    ordered = partial(draw, measured[0], kind="caterpillar")
    return Part(
        [_outcome(cohort, name) for name in measured],
        [
            *(picture("outcome_day_by_day", partial(draw, name), name=name) for name in along),
            picture("outcome_by_wearer", ordered, name=measured[0]),
        ],
        [partial(_percentiles_table, cohort, measured, topic)],
    )


def _outcome(cohort: Cohort, name: str) -> str:
    """Return the distribution of the wearers in a sentence."""
    means = cohort.means(name)
    return words.sentence(
        "outcome",
        about=name,
        shares=np.quantile(numbers(means), [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]).tolist(),
        digits=column(name).digits,
        wearers=len(means),
        days=int(np.isfinite(numbers(cohort.counted[name])).sum()),
        least=LEAST_WEARERS,
    )


def _percentiles_table(cohort: Cohort, names: Sequence[str], topic: str) -> PageTable:
    by = cohort.by if cohort.is_compared else None
    rows = cohort.counted[[*([] if by is None else [by]), *names]]
    rows.attrs = {}  # of the groups alone: who was lost is in a section of its own
    groups: Any = summary(rows, by=by).groups
    cells = []
    for name in names:
        about = column(name)
        for group in [""] if by is None else cohort.groups:
            row = groups.loc[name if by is None else (group, name)]
            few = row["wearers"] < LEAST_WEARERS
            shares = [
                words.MISSING if few and of != "p50" else words.number(row[of], about.digits)
                for of in ("p5", "p25", "p50", "p75", "p95")
            ]
            mean, between = (
                words.number(row["mean"], about.digits),
                words.range_of(row["low"], row["high"], about.digits),
            )
            cells.append(
                [
                    about.text,
                    *([group] if group else []),
                    words.whole(row["wearers"]),
                    words.whole(row["n"]),
                    mean if between == words.MISSING else f"{mean} ({between})",
                    words.number(row["sd"]),
                    *shares,
                ]
            )
    headers = ["Wearers", "Days", "Mean (95 % interval)", "SD", "5 %", "25 %", "Median"]
    return text_table(
        "Means of the wearers' days that count: mean of the wearers with its 95 % interval, and"
        " percentiles of the wearers",
        ["Quantity", *([] if by is None else ["Group"]), *headers, "75 %", "95 %"],
        cells,
        f"percentiles-{topic}",
        groups,
    )


def method(cohort: Cohort, arguments: dict[str, Any], notices: list[str]) -> Part:
    """Return the definitions, the limits and the recipe of a study's report."""
    inventory = bool(cohort.recipe.get("inventory"))
    paragraphs = said(
        "methods_of_study",
        cohort=cohort,
        versions=versions(),
        own=own_limits(cohort.limits),
        counted_h=COUNTED_WORN_H,
    )
    own_terms = said("terms_of_study", cohort=cohort, counted_h=COUNTED_WORN_H)
    return method_part(
        said("method", records="archive", inventory=inventory, readings=[], notices=notices),
        [*said("terms_of_all", border=cohort.border), *own_terms],
        cited_text(*paragraphs),
        [cohort.log] if cohort.log else [],
        cohort.limits,
        {"report": arguments, "cohort": dict(cohort.recipe)},
    )
