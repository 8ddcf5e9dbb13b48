"""Differences between groups of wearers, outcome by outcome, with the method that gave each."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd

from eyelog.analysis.compare.fit_mixed import fit_mixed
from eyelog.analysis.compare.group_difference import LEAST_FOR_INTERVAL, group_difference
from eyelog.analysis.series.arrays import Floats, numbers
from eyelog.cohort.result import result_of
from eyelog.errors import ConfigurationError, FieldError, argument
from eyelog.provenance import record, stated_log

__all__ = ["OUTCOMES", "differences", "group_labels", "holm"]

OUTCOMES: Final = (
    *("worn_h", "blink_rate_per_min", "eye_moves_per_h", "steps", "walking_h", "pace_spm"),
    *("head_moves_yaw_per_h", "tilt_fore_aft_deg"),
)
MOST_GROUPS: Final = 8
MIXED: Final = "mixed model"
WELCH: Final = "Welch"
MISSING: Final = float("nan")
WIDER: Final = (
    1.25  # standard error of groups that spread each its own way, over that of equal ones
)


class _Row(NamedTuple):
    """What a group differs by from the reference in one outcome."""

    difference: float = MISSING
    low: float = MISSING
    high: float = MISSING
    p: float = MISSING
    mean_reference: float = MISSING
    mean_group: float = MISSING
    sd_wearers: float = MISSING
    wearers_reference: int = 0
    wearers_group: int = 0
    n: int = 0
    method: str = ""
    reason: str = ""


def differences(
    table: pd.DataFrame | str | os.PathLike[str],
    *,
    by: str,
    outcomes: str | Sequence[str] | None = None,
    reference: str | None = None,
) -> pd.DataFrame:
    """Return how groups of wearers differ, with intervals that count wearers and not days.

    Parameters
    ----------
    table : DataFrame, str or path
        As for `eyelog.cohort.summary`.
    by : str
        The column whose values are the groups, the same in all rows of a wearer: two to eight of
        them. Wearers without a value are left out.
    outcomes : str or sequence of str, optional
        Columns to compare. Default: hours worn, blink rate, eye movements, steps, hours walked,
        pace, head turns and tilt of a daily table; all columns of numbers of any other.
    reference : str, optional
        The group that the others are compared with; default the first in the order of the alphabet.

    Returns
    -------
    DataFrame
        One row per outcome and group but the reference, indexed by ``outcome`` and ``group``.
        Float64, in the unit of the outcome: ``difference`` (group less reference) with its 95 %
        interval ``low`` and ``high``; ``p``, and ``p_holm``, corrected for the number of
        comparisons in the table (Holm 1979); ``mean_reference`` and ``mean_group`` (of the wearers'
        means) and ``sd_wearers`` (of those means within groups). Int64 ``wearers_reference``,
        ``wearers_group`` and ``n`` (rows) with a value. Text: ``reference``, ``method``
        (``"mixed model"`` or ``"Welch"``) and ``reason``: why something is missing,
        or what to keep in mind.

    Raises
    ------
    FieldError
        If the table has no column `by`, or none of the outcomes.
    ConfigurationError
        If the table is not that of a cohort, `by` has not two to eight groups or differs between
        rows of a wearer, an outcome is not numeric, or there is no group `reference`.
    ArchiveError
        If the place has no whole result.

    Notes
    -----
    Of several rows per wearer, the difference comes from a mixed model with an intercept for each
    wearer (`eyelog.compare.fit_mixed`). Where wearers have one row each, it is that of the wearers'
    means, with Welch's interval (`eyelog.compare.group_difference`). A group with fewer than three
    wearers has no interval. The model weighs wearers by their number of days, so where this
    differs, `difference` is not exactly `mean_group` less `mean_reference`.

    The model takes the wearers of all groups to spread alike. Where they do, its interval holds the
    difference in 93 to 100 of 100 simulated cases, from three wearers against three to six against
    six, with equal days, with 1 to 40 days per wearer, and with nine in ten days from one wearer.
    Where those of the smaller group spread two to four times as much, it holds it in 67 to 85 only
    (3 against 12 to 10 against 40). `reason` says where this may be; Welch's interval
    (`eyelog.compare.group_difference`) then holds it in 92 to 96.

    Each interval holds its own difference in 95 of 100 cases. Of many differences that are not
    there, one in twenty has an interval without 0: `p_holm` is below 0.05 for any of them in no
    more than 5 of 100 such tables (Holm 1979, Scandinavian Journal of Statistics 6:65).

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import eyelog as el
    >>> archive, log = el.Archive(mkdtemp()), "standard_mode_logs"
    >>> people = el.cohort.simulate(archive, 6, start="2026-10-19", days=2, log=log, effect=1.5)
    >>> days = el.cohort.daily(archive, log, wearers=people)
    >>> found = el.cohort.differences(days, by="group", outcomes="blink_rate_per_min")
    >>> row = found.loc[("blink_rate_per_min", "treated")]
    >>> row["reference"], int(row["wearers_group"]), bool(row["low"] < row["difference"])
    ('control', 3, True)
    """
    rows = result_of(table, what="differences").rows
    if "account" not in rows.index.names or rows.empty:
        raise ConfigurationError("differences: there are no rows: no wearer had records")
    groups = group_labels(rows, by, what="differences")
    labels = sorted(set(groups))
    first = labels[0] if reference is None else str(reference)
    if first not in labels:
        raise ConfigurationError(
            f"differences: no wearer is in the group {first!r}: reference is one of"
            f" {', '.join(labels)}"
        )
    others = [label for label in labels if label != first]
    chosen = _outcomes(rows, by, outcomes)
    found: dict[tuple[str, str], _Row] = {}
    for name in chosen:
        found |= _compared(_long(rows, name, groups), name, first, others)
    index = pd.MultiIndex.from_tuples(list(found), names=["outcome", "group"])
    out = pd.DataFrame(list(found.values()), index=index)
    out = out.astype(dict.fromkeys(("wearers_reference", "wearers_group", "n"), "int64"))
    out = out.astype({"method": "str", "reason": "str"})
    out.insert(4, "p_holm", holm(numbers(out["p"])))
    out.insert(0, "reference", pd.Series(first, index=out.index, dtype="str"))
    return record(out, "cohort.differences", log=stated_log(rows), by=by, outcomes=chosen)


def group_labels(rows: pd.DataFrame, by: str, *, what: str, least: int = 2) -> pd.Series:
    """Return the group of each wearer as text, by account; wearers without one are left out.

    Raises
    ------
    FieldError
        If the rows have no column `by`.
    ConfigurationError
        If a wearer is in several groups, or there are fewer than `least` groups or more than eight.
    """
    if by not in rows.columns:
        raise FieldError(
            f"{what}: the table has no column {by!r}: add it to the table of wearers"
            f" ({argument('wearers')})"
        )
    stated = rows[by].dropna()
    accounts = stated.index.get_level_values("account")
    several = stated.groupby(accounts).nunique()
    if (several > 1).any():
        raise ConfigurationError(
            f"{what}: {by!r} is not the same in all rows of {several.idxmax()!r}: groups are of"
            " wearers"
        )
    labels = stated.groupby(accounts).first().map(_label).astype("str")
    number = labels.nunique()
    if not least <= number <= MOST_GROUPS:
        hint = ": make a column of a few groups of it" if number > MOST_GROUPS else ""
        raise ConfigurationError(
            f"{what} takes {least} to {MOST_GROUPS} groups, and {by!r} has {number}{hint}"
        )
    return labels


def _label(value: Any) -> str:
    """Return a group as text; a number that is whole without its point, as it was written."""
    whole = isinstance(value, float) and value == round(value)
    return str(int(value)) if whole else str(value)


def _outcomes(rows: pd.DataFrame, by: str, names: str | Sequence[str] | None) -> list[str]:
    numeric = [
        str(name)
        for name in rows.columns
        if name != by
        and pd.api.types.is_numeric_dtype(rows[name].dtype)
        and not pd.api.types.is_bool_dtype(rows[name].dtype)
    ]
    if names is None:
        usual: list[str] = [name for name in OUTCOMES if name in numeric]
        if not (usual or numeric):
            raise FieldError("differences: the table has no column of numbers to compare")
        return usual or numeric
    chosen = [names] if isinstance(names, str) else list(dict.fromkeys(names))
    lacking = [name for name in chosen if name not in rows.columns]
    if lacking or not chosen:
        raise FieldError(
            f"differences: the table has no column {', '.join(map(repr, lacking)) or 'to compare'}"
        )
    for name in chosen:
        if name not in numeric:
            raise ConfigurationError(f"differences compares numbers, and {name!r} has none")
    return chosen


def _long(rows: pd.DataFrame, name: str, groups: pd.Series) -> pd.DataFrame:
    """Return a row for each value of an outcome, with its wearer and group."""
    accounts = rows.index.get_level_values("account").astype("str")
    values = numbers(rows[name])
    of_row = groups.reindex(accounts).array
    table = pd.DataFrame({"account": accounts, "group": of_row, "y": values})
    return table[np.isfinite(values) & table["group"].notna().to_numpy()].reset_index(drop=True)


def _compared(
    table: pd.DataFrame, name: str, first: str, others: Iterable[str]
) -> dict[tuple[str, str], _Row]:
    """Return the rows of one outcome."""
    means = table.groupby(["group", "account"])["y"].mean()
    sides = {str(label): numbers(part) for label, part in means.groupby(level="group")}
    counts = table.groupby("group").size().to_dict()
    none: Floats = np.array([])
    reference = sides.get(first, none)
    enough = [g for g in (first, *others) if len(sides.get(g, none)) >= LEAST_FOR_INTERVAL]
    fitted = _mixed(table, first, enough) if first in enough and len(enough) > 1 else {}
    found = {}
    for label in others:
        side = sides.get(label, none)
        row = _Row(
            mean_reference=float(reference.mean()) if reference.size else MISSING,
            mean_group=float(side.mean()) if side.size else MISSING,
            sd_wearers=_pooled_sd([reference, side]),
            wearers_reference=len(reference),
            wearers_group=len(side),
            n=int(counts.get(first, 0) + counts.get(label, 0)),
        )
        row = row._replace(difference=row.mean_group - row.mean_reference)
        if label in fitted:
            row = row._replace(**fitted[label], method=MIXED)
            wide = _wider_and_smaller({first: reference, label: side})
            if wide:
                doubt = f"{wide} is the smaller group and its wearers differ more"
                doubt = f"{doubt}: the interval may be too narrow"
                row = row._replace(reason="; ".join(filter(None, [row.reason, doubt])))
        elif label in enough and first in enough:
            row = _welch(table, first, label, row)
        else:
            few = first if first not in enough else label
            have = len(sides.get(few, none))
            row = row._replace(
                reason=f"no interval: {have} of the {LEAST_FOR_INTERVAL} wearers needed in {few}"
            )
        found[name, label] = row
    return found


def _mixed(table: pd.DataFrame, first: str, labels: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return difference, interval and p of each group by a mixed model; empty if it has none."""
    several = table.groupby("account").size()
    if (several == 1).all():
        return {}
    used = table[table["group"].isin(labels)]
    # The first label in order is the reference of the model.
    order = {label: f"{label != first:d}{label}" for label in labels}
    fit = fit_mixed(used.assign(group=used["group"].map(order)), "y", predictors="group")
    found = {}
    for label in labels:
        term = f"group[{order[label]}]"
        if term not in fit.index or not np.isfinite(fit["low"][term]):
            continue
        found[label] = {
            "difference": fit["estimate"][term],
            **{key: fit[key][term] for key in ("low", "high", "p", "reason")},
        }
    return found


def _welch(table: pd.DataFrame, first: str, label: str, row: _Row) -> _Row:
    # The names keep the reference first, whatever the order of the alphabet.
    two = table[table["group"].isin([first, label])]
    side = (two["group"] == first).map({True: "0", False: "1"})
    groups = dict(zip(two["account"], side, strict=True))
    made = group_difference(two, groups, outcome="y", draws=100)
    return row._replace(
        low=made.low, high=made.high, p=made.p, method=WELCH, reason=made.reason.split(":")[0]
    )


def _wider_and_smaller(sides: dict[str, Floats]) -> str:
    """Return the smaller of two groups where it spreads so much that one SD does for neither."""
    shares = [side.var(ddof=1) / len(side) for side in sides.values()]
    pooled = _pooled_sd(list(sides.values())) ** 2 * sum(1 / len(side) for side in sides.values())
    too_narrow = sum(shares) > WIDER**2 * pooled
    return min(sides, key=lambda name: len(sides[name])) if too_narrow else ""


def _pooled_sd(sides: Sequence[Floats]) -> float:
    freedom = sum(len(side) - 1 for side in sides if side.size)
    if freedom < 1:
        return MISSING
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in sides if side.size)
    return float(np.sqrt(squares / freedom))


def holm(p: Floats) -> Floats:
    """Return p values corrected for their number (Holm 1979); missing ones are no comparison."""
    out = np.full(len(p), np.nan)
    known = np.flatnonzero(np.isfinite(p))
    order = known[np.argsort(p[known], kind="stable")]
    steps = p[order] * np.arange(len(order), 0, -1)
    out[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return out
