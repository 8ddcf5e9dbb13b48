"""How the numbers of a cohort were obtained: definitions, limits, recipe."""

from typing import Any, Final

from eyelog.figures.labels import LOG_WORDS, range_words
from eyelog.judge.limits import Limits
from eyelog.reports import words
from eyelog.reports.cohort import comparisons
from eyelog.reports.cohort.study import Cohort
from eyelog.reports.literature import CitedText, cited_text
from eyelog.reports.logs import COUNTED_WORN_H
from eyelog.reports.method import method_part, own_limits, versions
from eyelog.reports.parts import Part

OWN: Final = [
    (
        "Days that count",
        f"Days with at least {COUNTED_WORN_H:g} h of wear. Hours worn are for all days with"
        " records; all else is for the days that count. Days without records are not imputed.",
    ),
    (
        "Percentiles of wearers",
        "Each wearer counts once, as the mean of their days. The interval of the mean of the"
        " wearers is Student's t on these means. Bands over the days are percentiles of the"
        " wearers of each day.",
    ),
]
CAVEAT: Final = (
    "What the numbers cannot say",
    "Eyewear is not worn at random: what was not worn was not measured, and wearers who wear"
    " it less weigh as much as others. Wearers who failed or have no days may differ from the"
    " rest. Nothing here is a diagnosis.",
)

MEASURED: Final = (
    "The blink rate of a day is its number of blinks over the time in which they could be counted."
    " Pace is the number of steps over the time walked [@dall2013], not over clock minutes. Tilts"
    " are averaged on the circle [@fisher1993]."
)


def method(cohort: Cohort, arguments: dict[str, Any], notices: list[str]) -> Part:
    """Return the definitions, the limits and the recipe of a cohort's report."""
    terms = [*OWN, *comparisons.terms(cohort), CAVEAT]
    return method_part(
        words.said(
            "method",
            records="archive",
            inventory=bool(cohort.recipe.get("inventory")),
            readings=[],
            notices=notices,
        ),
        [
            *words.said("terms_of_all", border=cohort.border),
            *(f"{name} | {meaning}" for name, meaning in terms),
        ],
        _methods(cohort),
        [cohort.log] if cohort.log else [],
        Limits(**cohort.recipe.get("limits", {})),
        {"report": arguments, "cohort": dict(cohort.recipe)},
    )


def _methods(cohort: Cohort) -> CitedText:
    """Return the methods of the study as an author writes them."""
    software = words.sentence("software", versions=versions())
    wanted = len(cohort.accounts) + len(cohort.failed) + len(cohort.without)
    log = LOG_WORDS.get(cohort.log or "", "log")
    if cohort.is_empty:
        return cited_text(f"{software} None of {wanted:,} wearers has days of the {log}.")
    lost = [
        f"{words.count(len(names), 'wearer')} {what}"
        for names, what in ((cohort.without, "had no days"), (cohort.failed, "failed"))
        if names
    ]
    who = (
        f"The data are {words.count(len(cohort.rows), 'day')} of the {log} of"
        f" {words.count(len(cohort.accounts), 'wearer')}, {range_words(*cohort.calendar)}"
        f" ({cohort.zone})"
    )
    who += f"; of {wanted:,} wearers asked for, {words.joined(lost)}." if lost else "."
    limits = Limits(**cohort.recipe.get("limits", {}))
    judging = words.sentence("judging", limits=limits, own=own_limits(limits))
    counted, days = cohort.counted_days, len(cohort.grouped)
    judged = (
        f"{judging} Hours worn are of all days;"
        f" all else is of the {counted:,} of {days:,} days ({words.percent(counted / days)}) with"
        f" at least {COUNTED_WORN_H:g} h of wear. Each wearer counts once, as the mean of their"
        " days; the interval of a mean of wearers is Student's t on these means."
    )
    compared = comparisons.method_text(cohort) if cohort.is_compared else ""
    return cited_text(f"{software} {who}", judged, compared, MEASURED)
