"""How the numbers of a cohort came about: definitions, limits, recipe."""

import json
from functools import partial
from typing import Any, Final

from eyelog.catalogue import catalogue_version
from eyelog.reports.cohort.study import Cohort
from eyelog.reports.logs import COUNTED_WORN_H
from eyelog.reports.method import TERMS, limits_table, versions
from eyelog.reports.section_parts import Part

__all__ = ["method"]

SHARED: Final = (
    *("Records and days", "Judging", "Worn, usable, walking", "Blink rate"),
    *("Pace and walking bouts", "Head and posture"),
)
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
    (
        "Differences between groups",
        "Of the means of the wearers, each of whom counts once, with Welch's interval and p (Welch"
        " 1947, Biometrika 34:28), which let the groups spread differently. A group with fewer than"
        " three wearers has no interval, one with fewer than five no p. No covariate is adjusted"
        " for.",
    ),
    (
        "Many comparisons",
        "p, corrected: the step-down correction of Holm (1979, Scandinavian Journal of Statistics"
        " 6:65) over all comparisons of the table. Intervals are not corrected.",
    ),
    (
        "What the numbers cannot say",
        "Eyewear is not worn at random: what was not worn was not measured, and wearers who wear"
        " it less weigh as much as others. Wearers who failed or have no days may differ from the"
        " rest. Nothing here is a diagnosis.",
    ),
]


def method(cohort: Cohort, arguments: dict[str, Any], notices: list[str]) -> Part:
    """Return the definitions, the limits and the recipe of a cohort's report."""
    shared = dict(TERMS)
    findings = [
        "Every number can be computed again from the same archive with the definitions, limits and"
        " versions below."
    ]
    if cohort.recipe.get("inventory"):
        findings.append(
            "The digest 'inventory' identifies the content of all files that were read: an archive"
            " with the same digest gives the same numbers."
        )
    findings += [f"Note: {notice}" for notice in notices]
    recipe = {
        "report": arguments,
        "versions": versions(),
        "catalogue": catalogue_version(),
        "cohort": dict(cohort.recipe),
    }
    text = json.dumps(recipe, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    return Part(
        findings=findings,
        tables=[partial(limits_table, [cohort.log])] if cohort.log else [],
        terms=[*((term, shared[term]) for term in SHARED), *OWN],
        recipe=text,
    )
