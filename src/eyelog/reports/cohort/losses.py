"""What was lost on the way from wearers to days to values, and why."""

from collections import Counter
from functools import partial
from types import MappingProxyType
from typing import Final

import numpy as np
import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.measure.columns import column
from eyelog.reports import words
from eyelog.reports.cohort.study import Cohort
from eyelog.reports.logs import COUNTED_WORN_H
from eyelog.reports.parts import Empty, PageTable, Part, text_table

WHY: Final = MappingProxyType(
    {
        "worn_h": "nothing shows whether the eyewear was worn",
        "blink_rate_per_min": "under 3 usable minutes, or no blink in 10",
        "eye_moves_per_h": "no usable time",
        "steps": "no interval worn long enough to count steps",
        "walking_h": "walking was not recorded while worn",
        "pace_spm": "no stretch of walking that gives a pace",
        "head_moves_yaw_per_h": "no time in which head turns were counted",
        "tilt_fore_aft_deg": "no interval worn at rest",
    }
)


def section(cohort: Cohort) -> Part:
    """Return how many wearers, days and values are left, and who has none."""
    failed, without = len(cohort.failed), len(cohort.without)
    wanted = len(cohort.accounts) + failed + without
    findings = []
    if failed:
        findings.append(
            f"{failed:,} of {words.count(wanted, 'wearer')} failed and"
            f" {'is' if failed == 1 else 'are'} in none of the numbers of this report:"
            " the table below names each with the reason. Once the cause is removed, the same"
            " call of the summary computes only what is missing."
        )
    if without:
        findings.append(
            f"{words.count(without, 'wearer')} {'has' if without == 1 else 'have'} no days."
        )
    if not findings:
        findings.append(f"No wearer was lost: all {wanted:,} have days.")
    return Part(
        findings=findings,
        tables=[
            partial(_attrition_table, cohort),
            *([partial(_wearers_table, cohort)] if _lost(cohort) else []),
        ],
    )


def _attrition_table(cohort: Cohort) -> PageTable:
    steps = _steps(cohort)
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


def _steps(cohort: Cohort) -> list[tuple[str, int, int | None, str]]:
    """Return (step, wearers left, days left, what was lost) in order."""
    failed, without, present = len(cohort.failed), len(cohort.without), len(cohort.accounts)
    steps: list[tuple[str, int, int | None, str]] = [
        ("Wearers asked for", present + without + failed, None, ""),
        (
            "Computed without a failure",
            present + without,
            None,
            f"{words.count(failed, 'wearer')} failed" if failed else "",
        ),
        (
            "With days",
            present,
            len(cohort.rows),
            _reasons(cohort.without),
        ),
    ]
    if cohort.is_empty:
        return steps
    if cohort.by is not None:
        inside, days = len(cohort.group_of), len(cohort.grouped)
        outside = present - inside
        why = f"{words.count(outside, 'wearer')} without a value of {cohort.by}" if outside else ""
        steps.append(("In a group", inside, days, why))
    rows = cohort.grouped
    thin = len(rows) - cohort.counted_days
    counted = rows[numbers(rows["worn_h"]) >= COUNTED_WORN_H]
    steps.append(
        (
            f"Days with at least {COUNTED_WORN_H:g} h of wear",
            counted.index.get_level_values("account").nunique(),
            len(counted),
            f"{words.count(thin, 'day')} with less wear" if thin else "",
        )
    )
    for name in cohort.outcomes:
        if name == "worn_h":
            continue
        some = counted[np.isfinite(numbers(counted[name]))]
        lost = len(counted) - len(some)
        steps.append(
            (
                f"of these, with {column(name).label.lower()}",
                some.index.get_level_values("account").nunique(),
                len(some),
                f"{words.count(lost, 'day')}: {WHY.get(name, 'no value')}" if lost else "",
            )
        )
    return steps


def _reasons(lost: dict[str, str]) -> str:
    """Return how many wearers were lost for which reason, the most frequent first."""
    counts = Counter(lost.values()).most_common()
    return "; ".join(f"{words.count(n, 'wearer')}: {reason}" for reason, n in counts)


def _lost(cohort: Cohort) -> list[tuple[str, str, str]]:
    """Return (account, state, reason) of each wearer left out of the numbers, failures first."""
    rows = [(name, "failed", cohort.failed[name]) for name in sorted(cohort.failed)]
    rows += [(name, "no days", cohort.without[name]) for name in sorted(cohort.without)]
    if cohort.by is not None:
        outside = sorted(set(cohort.accounts) - set(cohort.group_of.index))
        rows += [(name, "in no group", f"no value of {cohort.by}") for name in outside]
    return rows


def _wearers_table(cohort: Cohort) -> PageTable:
    rows = _lost(cohort)
    if not rows:
        raise Empty("no wearer was lost")
    return text_table(
        "Wearers who are in none of the numbers",
        ["Wearer", "State", "Reason"],
        [list(row) for row in rows],
        "lost-wearers",
        pd.DataFrame(rows, columns=pd.Index(["account", "state", "reason"])).set_index("account"),
    )
