"""What is said of the comparisons of groups: the same on page one, in its section, in the methods.

One rule decides what stands out, `eyelog.reports.cohort.study.Cohort.judged`: the outcome named
beforehand alone, by a permutation test; the others by Welch's p, corrected for their number.
"""

from typing import Any, Final

from eyelog.measure.sheet import p_text
from eyelog.reports import words
from eyelog.reports.cohort.study import Cohort, label

LEVEL: Final = 0.05
NO_TEST: Final = "No comparison has a p: each needs five wearers with values in both groups."


def is_named(cohort: Cohort) -> Any:
    """Return which rows of the comparisons are of the outcome that was named beforehand."""
    return cohort.judged.index.get_level_values("outcome") == cohort.outcome


def others_tested(cohort: Cohort) -> int:
    """Return how many comparisons are corrected for each other."""
    return int((cohort.judged["p"].notna() & ~is_named(cohort)).sum())


def held_together(cohort: Cohort) -> int:
    """Return how many intervals hold together where they are drawn together."""
    return int((cohort.judged["low"].notna() & ~is_named(cohort)).sum())


def decided(row: Any) -> str:
    """Return the p that decides, with its test: ``p = 0.012, permutation test``."""
    p = p_text(float(row["p_decides"]), 3)
    return f"p {f'< {p[1:]}' if p.startswith('<') else f'= {p}'}, {row['decided_by']}"


def looked(cohort: Cohort) -> str:
    """Return what was tested at which level, and how much of it stands out."""
    others = others_text(cohort)
    if cohort.outcome is None:
        return f"No outcome was named beforehand. {others}"
    tested = cohort.judged["p_decides"][is_named(cohort)].notna().any()
    how = "at 5 % by a permutation test" if tested else "without a test"
    return f"Named beforehand: {label(cohort.outcome).lower()}, {how}. {others}".rstrip()


def others_text(cohort: Cohort) -> str:
    """Return how many of the comparisons that are corrected stand out; empty if none was made."""
    count = others_tested(cohort)
    if not count:
        return "" if cohort.outcome is not None else NO_TEST
    out = int((cohort.judged["p_decides"][~is_named(cohort)] < LEVEL).sum())
    kind, level = ("comparison", " at 5 %") if cohort.outcome is None else ("other comparison", "")
    stands = "none stands" if not out else f"{out:,} stand{'s' if out == 1 else ''}"
    return f"Of {words.count(count, kind)}, {stands} out{level} after correction (Holm)."


def together_text(cohort: Cohort) -> str:
    """Return what the intervals are that are drawn together, and what decides."""
    count = held_together(cohort)
    if count < 2:
        return "The interval is Welch's."
    which = "all" if cohort.outcome is None else "these"
    return (
        f"The intervals are wide enough to hold for {which} {count} comparisons together"
        " (Bonferroni); what stands out is decided by p, corrected after Holm."
    )


def method_text(cohort: Cohort) -> str:
    """Return how the groups were compared, as an author writes it."""
    sizes = cohort.group_of.value_counts()
    groups = words.joined([f"{name} (n = {int(sizes[name])})" for name in cohort.groups])
    sentences = [
        f"The groups of {cohort.by}, {groups}, were compared by the means of their wearers. The"
        " 95 % interval of a difference is Welch's, which lets the groups spread differently"
        " [@welch1947], and holds for this comparison alone.",
        _named_text(cohort),
    ]
    count = others_tested(cohort)
    kind = "comparison" if cohort.outcome is None else "other comparison"
    if count > 1:
        sentences.append(
            f"The {words.count(count, kind)} were tested by Welch's p, corrected for their number"
            " [@holm1979]."
        )
    elif count:
        sentences.append(f"The {kind} was tested by Welch's p.")
    if len(cohort.groups) == 2 and held_together(cohort) > 1:
        sentences.append(
            "Where several outcomes are shown in SD of the wearers, the intervals are wide enough"
            f" to hold for {held_together(cohort)} comparisons together (Bonferroni)."
        )
    return " ".join([*sentences, "No covariate was adjusted for."])


def _named_text(cohort: Cohort) -> str:
    """Return how the outcome named beforehand was tested, as an author writes it."""
    if cohort.outcome is None:
        return "No outcome was named beforehand."
    name = f"{label(cohort.outcome)} was named beforehand"
    tests = int(cohort.judged["p_decides"][is_named(cohort)].notna().sum())
    if not tests:
        return f"{name}; it could not be tested."
    groups = f", corrected for {tests} groups [@holm1979]" if tests > 1 else ""
    return (
        f"{name} and tested on its own at 5 %, by a permutation test of the studentised difference"
        f" [@janssen1997]{groups}."
    )


def terms(cohort: Cohort) -> list[tuple[str, str]]:
    """Return the definitions of the comparisons; none without groups."""
    if not cohort.is_compared:
        return []
    if cohort.outcome is None:
        first = "No outcome was named beforehand, so all comparisons"
    else:
        groups = ", corrected for the number of groups (Holm)" if len(cohort.groups) > 2 else ""
        first = (
            f"{label(cohort.outcome)} was named beforehand and stands on its own at 5 %. Its p is"
            " that of a permutation test of the studentised difference (Janssen 1997, Statistics &"
            f" Probability Letters 36:9), which assumes no shape{groups}. All other comparisons"
        )
    wider = (
        "; where page one shows several outcomes in SD of the wearers, the intervals are wider and"
        " hold for all comparisons that are corrected together (Bonferroni)"
        if len(cohort.groups) == 2
        else ""
    )
    return [
        (
            "Differences between groups",
            "Of the means of the wearers, each of whom counts once, with Welch's interval and p"
            " (Welch 1947, Biometrika 34:28), which let the groups spread differently. A group with"
            " fewer than three wearers has no interval, one with fewer than five no p. No covariate"
            " is adjusted for.",
        ),
        (
            "Many comparisons",
            f"{first} have Welch's p, corrected for their number by the step-down method of Holm"
            " (1979, Scandinavian Journal of Statistics 6:65). What stands out has a p that decides"
            f" below 5 %. An interval holds for its own comparison{wider}.",
        ),
    ]
