"""How much was measured: days and hours of each wearer."""

from functools import partial
from typing import Final

import pandas as pd

from eyelog.analysis.series.arrays import numbers
from eyelog.figures.cohort import plot_cohort
from eyelog.reports import words
from eyelog.reports.cohort.study import Cohort
from eyelog.reports.logs import COUNTED_WORN_H
from eyelog.reports.parts import Empty, PageTable, Part, Picture, text_table

ALL: Final = "All wearers"
MOST_LISTED: Final = 30


def section(cohort: Cohort) -> Part:
    """Return hours worn and days that count, and the wearers with the fewest such days."""
    worn, counted = _per_wearer(cohort)["worn_h"].dropna(), cohort.counted_days
    total = len(cohort.grouped)
    if worn.empty:
        raise Empty("nothing in the records shows whether the eyewear was worn")
    hours = words.number(float(worn.median()), 1)
    spread = (
        f" (middle half of the wearers {words.number(float(worn.quantile(0.25)), 1)} to"
        f" {words.number(float(worn.quantile(0.75)), 1)} h)"
        if len(worn) >= 5
        else ""
    )
    findings = [
        f"On a day with records, the median wearer had the eyewear on for {hours} h{spread}."
        f" {counted:,} of {words.count(total, 'day')} ({words.percent(counted / total)}) have at"
        f" least {COUNTED_WORN_H:g} h of wear and count: blinks, walking and posture below refer to"
        " these days.",
        "These numbers leave out days without any record: eyewear that stayed in its case"
        " lowers the number of days, not the hours per day.",
    ]
    if not cohort.is_compared:
        findings.insert(1, _in_all(cohort))
    return Part(
        findings=findings,
        pictures=[
            Picture(
                "Hours worn day by day",
                "Each thin line is a wearer. The bands hold the middle half and the middle 90 % of"
                " the wearers of each day, from five wearers on.",
                lambda: plot_cohort(cohort.grouped, "worn_h"),
            ),
            Picture(
                "Hours worn, wearer by wearer",
                "One row per wearer, in order of their medians, with the middle half and the"
                " middle 90 % of their days.",
                lambda: plot_cohort(cohort.grouped, "worn_h", kind="caterpillar"),
            ),
        ],
        tables=[
            *([partial(_groups_table, cohort)] if cohort.is_compared else []),
            partial(_wearers_table, cohort),
        ],
    )


def _per_wearer(cohort: Cohort) -> pd.DataFrame:
    """Return one row per wearer: group, days, days that count, mean hours worn and usable."""
    rows = cohort.grouped
    by = rows.groupby(level="account")
    counts = pd.Series(numbers(rows["worn_h"]) >= COUNTED_WORN_H, index=rows.index)
    table = pd.DataFrame(
        {
            "group": cohort.group_of,
            "days": by.size(),
            "days_counted": counts.groupby(level="account").sum(),
            **{name: by[name].mean() for name in ("worn_h", "valid_h") if name in rows.columns},
            "worn_h_total": by["worn_h"].sum(min_count=1),
        }
    )
    table.index.name = "account"
    return table if cohort.by is not None else table.drop(columns="group")


def _in_all(cohort: Cohort) -> str:
    """Return what the table of the groups says, where it would have a single row."""
    table = _per_wearer(cohort)
    days = words.count(int(table["days"].median()), "day")
    usable = table["valid_h"].dropna() if "valid_h" in table else pd.Series(dtype="float64")
    hours = "" if usable.empty else f" and {words.number(float(usable.median()), 1)} h usable a day"
    total = words.whole(float(table["worn_h_total"].sum()))
    return f"The median wearer has {days} with records{hours}; {total} h were worn in all."


def _groups_table(cohort: Cohort) -> PageTable:
    table = _per_wearer(cohort)
    sides = [(name, table.loc[cohort.group_of == name]) for name in cohort.groups]
    sides.append((ALL, table))
    rows, whole = [], []
    for name, side in sides:
        cells = [name]
        cells += [words.whole(len(side)), words.whole(side["days"].sum())]
        cells += [words.whole(side["days_counted"].sum())]
        for column, digits in (("days", 0), ("worn_h", 1), ("valid_h", 1)):
            cells.append(_median_range(side[column], digits) if column in side else words.MISSING)
        cells.append(words.whole(float(side["worn_h_total"].sum())))
        rows.append(cells)
        medians = {f"{c}_median": side[c].median() for c in side if c != "group"}
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
    low, middle, high = (
        words.number(float(measured.quantile(q)), digits) for q in (0.25, 0.5, 0.75)
    )
    return middle if len(measured) == 1 else f"{middle} ({low} to {high})"


def _wearers_table(cohort: Cohort) -> PageTable:
    table = _per_wearer(cohort)
    least = table.sort_values(["days_counted", "worn_h_total"], kind="stable")
    few = least.head(MOST_LISTED)
    named = cohort.is_compared
    rows = [
        [
            str(account),
            *([str(row["group"])] if named else []),
            words.whole(row["days"]),
            words.whole(row["days_counted"]),
            words.number(row["worn_h"], 1),
            words.whole(row["worn_h_total"]),
        ]
        for account, row in few.iterrows()
    ]
    many = len(table) > MOST_LISTED
    return text_table(
        f"The {len(few)} wearers with the fewest days that count (the file holds all)"
        if many
        else "The wearers, those with the fewest days that count first",
        [
            "Wearer",
            *(["Group"] if named else []),
            *("Days", "Days that count", "Worn, h per day", "Hours worn in all"),
        ],
        rows,
        "wear-by-wearer",
        table,
    )
