"""The facts of a study's report: page one, sections, figures and method read nothing else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.cohort.groups import OUTCOMES, Result, averaged_covariates, differences, group_labels
from eyelog.cohort.pseudonymise import pseudonymise
from eyelog.cohort.study import one_row_each
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import stated_log
from eyelog.judge.arrays import numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import column
from eyelog.measure.groups import By, keyed
from eyelog.reports.findings import implausible
from eyelog.reports.logs import COUNTED_WORN_H, worn_for
from eyelog.series.groups import group_difference
from eyelog.series.inference import holm

LEVEL: Final = 0.05
# The columns reported for all days; all others are for days worn long enough
WEAR: Final = ("recorded_h", "worn_h", "valid_h", "coverage")

PLACE: Final = re.compile(r"\S+/(?=log=)")  # where the archive is, in a message about its file
PERMUTED: Final = "permutation test"
CORRECTED: Final = "corrected (Holm)"
HIDDEN: Final = ("accounts", "archive", "wearers")  # parts of a recipe that identify the wearers


@dataclass(eq=False)
class Cohort:
    """The days of the wearers; each table is made when it is first needed.

    Parameters
    ----------
    result : Result
        Days, and who has none.
    by : str, optional
        The column of the groups.
    averaged : sequence of str
        The covariates that have a mean; of the others the values are counted.
    outcome : str, optional
        The outcome that was named beforehand.

    Raises
    ------
    FieldError
        If the days have no such outcome.
    """

    result: Result
    by: str | None
    averaged: Sequence[str] = ()
    outcome: str | None = None

    def __post_init__(self) -> None:
        self.rows, self.recipe = self.result.rows, self.result.recipe
        self.failed, self.without = self.result.failed, self.result.without
        self.log = stated_log(self.rows) or str(self.recipe.get("log", "")) or None
        text = pd.api.types.is_string_dtype
        self.covariates = [
            name
            for name in self.rows.columns
            if name in self.result.covariates or (text(self.rows[name].dtype) and name != "reason")
        ]
        self.outcomes = [name for name in OUTCOMES if name in self.rows.columns]
        if self.outcome not in (None, *self.outcomes) and not self.is_empty:
            raise FieldError(f"outcome= is one of {', '.join(self.outcomes)}, not {self.outcome!r}")

    @property
    def is_empty(self) -> bool:
        """Whether no wearer has a day."""
        return self.rows.empty

    @cached_property
    def accounts(self) -> list[str]:
        """The wearers that have days, in order."""
        if self.is_empty:
            return []
        return [str(name) for name in self.rows.index.get_level_values("account").unique()]

    @cached_property
    def group_of(self) -> pd.Series:
        """The group of each wearer, by account; without groups all are in one."""
        if self.by is None or self.is_empty:
            return pd.Series("all", index=self.accounts, dtype="str")
        return group_labels(self.rows, self.by, what="report_cohort", least=1)

    @cached_property
    def groups(self) -> list[str]:
        """The groups in order."""
        return sorted(set(self.group_of))

    @cached_property
    def grouped(self) -> pd.DataFrame:
        """The days of the wearers that are in a group, their group as text."""
        accounts = self.rows.index.get_level_values("account")
        labels = self.group_of.reindex(accounts)
        inside = labels.notna().to_numpy()
        rows = self.rows[inside]
        if self.by is None:
            return rows
        out = rows.assign(**{self.by: labels[inside].array})
        out.attrs = self.rows.attrs
        return out

    @cached_property
    def counted(self) -> pd.DataFrame:
        """The same days; those with too little wear keep only the wear itself."""
        rows = self.grouped
        thin = ~worn_for(rows, COUNTED_WORN_H)
        others = [name for name in self.outcomes if name not in WEAR]
        values = rows[others].astype("float64")
        out = rows.assign(**{name: values[name].mask(thin) for name in others})
        out.attrs = rows.attrs
        return out

    @cached_property
    def counted_days(self) -> int:
        """How many days were worn long enough."""
        return int(worn_for(self.grouped, COUNTED_WORN_H).sum())

    def means(self, name: str) -> pd.Series:
        """Return the mean of each wearer's days, by account, for those with a value."""
        values = self.counted[name].astype("float64")
        values = values.where(np.isfinite(values))
        return values.groupby(level="account").mean().dropna()

    @cached_property
    def differences(self) -> pd.DataFrame:
        """The differences between the groups."""
        rows = self.counted.copy(deep=False)
        rows.attrs = {}  # who was lost is in a section of its own
        return differences(rows, by=str(self.by), outcomes=self.outcomes)

    @cached_property
    def judged(self) -> pd.DataFrame:
        """The differences with ``p_decides`` and ``decided_by``, the test that gave it.

        The outcome named beforehand stands alone, by a permutation test; the p of all others are
        corrected for each other. ``p_holm`` is left out, since it would be a second rule.
        """
        table = self.differences.drop(columns="p_holm")
        named = np.asarray(table.index.get_level_values("outcome") == self.outcome)
        decides = np.full(len(table), np.nan)
        decides[~named] = holm(numbers(table["p"])[~named])
        own = np.array([self._permuted(*key) for key in table.index[named]], dtype=np.float64)
        decides[named] = holm(own)
        tested = int(np.isfinite(own).sum())
        of_named = PERMUTED if tested < 2 else f"{PERMUTED}, {CORRECTED}"
        by = np.where(np.isnan(decides), "", np.where(named, of_named, CORRECTED))
        place = table.columns.tolist().index("p") + 1
        table.insert(place, "p_decides", decides)
        table.insert(place + 1, "decided_by", pd.array(by.tolist(), dtype="str"))
        return table

    def _permuted(self, outcome: str, group: str) -> float:
        """Return p of the permutation test of a group against the reference."""
        row: Any = self.differences.loc[(outcome, group)]
        if np.isnan(row["p"]):  # too few wearers for the one p are too few for the other
            return float("nan")
        means, pair = self.means(outcome), (row["reference"], group)
        labels = {str(name): str(label) for name, label in self.group_of.items()}
        groups = {name: labels[name] for name in means.index if labels[name] in pair}
        return group_difference(
            means.rename(outcome).to_frame(), groups, outcome=outcome
        ).p_permutation

    @cached_property
    def is_named(self) -> Any:
        """Which of the comparisons are of the outcome that was named beforehand."""
        return self.judged.index.get_level_values("outcome") == self.outcome

    @cached_property
    def looks(self) -> dict[str, int]:
        """How many comparisons were tested and how many stand out, and intervals drawn together.

        ``named`` are of the outcome named beforehand; ``others`` are corrected for each other.
        """
        named, decides = self.is_named, self.judged["p_decides"]
        return {
            "named": int(decides[named].notna().sum()),
            "others": int((self.judged["p"].notna() & ~named).sum()),
            "standing": int((decides[~named] < LEVEL).sum()),
            "together": int((self.judged["low"].notna() & ~named).sum()),
        }

    @property
    def is_compared(self) -> bool:
        """Whether there are groups to compare."""
        return self.by is not None and len(self.groups) > 1

    @cached_property
    def wanted(self) -> int:
        """How many wearers were asked for."""
        return len(self.accounts) + len(self.failed) + len(self.without)

    @cached_property
    def outside(self) -> list[str]:
        """The wearers with days that are in no group."""
        return sorted(set(self.accounts) - set(self.group_of.index))

    @cached_property
    def limits(self) -> Limits:
        """The limits by which the days were made."""
        return Limits(**self.recipe.get("limits", {}))

    @cached_property
    def implausible(self) -> dict[str, int]:
        """On how many days that count a quantity is higher than people are."""
        high = implausible(self.counted, self.limits.of(self.log)) if self.log else {}
        return {name: len(days) for name, days in high.items()}

    @cached_property
    def per_wearer(self) -> pd.DataFrame:
        """One row per wearer: covariates, days, days that count, mean hours worn and usable."""
        rows = self.grouped
        by = rows.groupby(level="account")
        first = by.first()
        known = [name for name in dict.fromkeys([*self.covariates, self.by]) if name in first]
        counts = pd.Series(worn_for(rows, COUNTED_WORN_H), index=rows.index)
        ages = first[list(self.averaged)].astype("float64")
        return first[known].assign(
            **ages.where(np.isfinite(ages)),
            days=by.size(),
            days_counted=counts.groupby(level="account").sum(),
            **{name: by[name].mean() for name in ("worn_h", "valid_h") if name in rows},
            worn_h_total=by["worn_h"].sum(min_count=1),
        )

    @cached_property
    def calendar(self) -> tuple[pd.Timestamp, pd.Timestamp]:
        """The first and the last local day."""
        days = pd.DatetimeIndex(self.rows.index.get_level_values("day"))
        return days.min(), days.max()


def as_cohort(
    result: Result,
    *,
    by: By,
    wearers: pd.DataFrame | None,
    covariates: str | Sequence[str] | None = None,
    key_file: Any = None,
    outcome: str | None = None,
) -> Cohort:
    """Return the cohort of a result, with the columns of a table of wearers, and pseudonyms.

    Raises
    ------
    ConfigurationError
        If the result does not hold days, or the table of wearers or the groups cannot be used.
    FieldError
        If there is no column of groups, no such covariate, or no such outcome.
    """
    rows, known_covariates = result.rows, result.covariates
    if not rows.empty and (rows.index.names != ["account", "day"] or "worn_h" not in rows):
        raise ConfigurationError(
            "report_cohort takes the days of eyelog.cohort.daily, indexed by account and day, with"
            " the column 'worn_h'; summarise other results with eyelog.cohort.summary"
        )
    if wearers is not None:
        people = one_row_each(wearers)
        more = (name for name in people.columns if name not in known_covariates)
        known_covariates = (*known_covariates, *more)
        if not rows.empty:
            rows = _joined(rows, people)
    column_of_groups = by if isinstance(by, str) else None
    if by is not None and not rows.empty:
        if column_of_groups is not None and column_of_groups not in rows.columns:
            known = [name for name in known_covariates if name in rows.columns]
            raise FieldError(
                f"report_cohort: the wearers have no column {by!r} ({', '.join(known) or 'none'}):"
                " name another, or add it with a table of wearers (wearers=, --wearers FILE)"
            )
        rows, (column_of_groups,) = keyed(rows, by, what="report_cohort", one=True)
    result = Result(rows, result.failed, result.without, known_covariates, result.recipe)
    shown = _writable(result) if key_file is None else _pseudonymous(result, key_file)
    averaged = averaged_covariates(rows, known_covariates, covariates, what="report_cohort")
    cohort = Cohort(shown, by=column_of_groups, averaged=averaged, outcome=outcome)
    cohort.group_of.to_dict()  # groups that cannot be used are an error before anything is drawn
    return cohort


def _joined(rows: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    accounts = rows.index.get_level_values("account")
    taken = [name for name in people.columns if column(name).group or name in ("n", "day")]
    if taken:
        raise ConfigurationError(
            f"the table of wearers has a column {taken[0]!r}, which days have too: rename it"
        )
    out = rows.assign(**{str(name): people[name].reindex(accounts).array for name in people})
    out.attrs = rows.attrs
    return out


def _writable(result: Result) -> Result:
    """Return the result with names fit for a page: no control characters or direction marks."""
    rows = result.rows
    if not rows.empty:
        rows = rows.rename(index=_printed, level="account")
    lost = [
        {_printed(name): reason for name, reason in reasons.items()}
        for reasons in (result.failed, result.without)
    ]
    return Result(rows, lost[0], lost[1], result.covariates, result.recipe)


def _printed(name: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _pseudonymous(result: Result, key_file: Any) -> Result:
    """Return the result under pseudonyms, without anything that identifies the wearers."""
    recipe = {name: value for name, value in result.recipe.items() if name not in HIDDEN}
    rows = result.rows
    if not rows.empty:
        rows = pseudonymise(rows, key_file=key_file)
        log = stated_log(result.rows)
        rows.attrs = {"eyelog": {"log": log, "history": []}} if log else {}

    def hidden(reasons: dict[str, str]) -> dict[str, str]:
        if not reasons:
            return {}
        texts = [PLACE.sub("", reason) for reason in reasons.values()]
        table = pd.DataFrame({"account": list(reasons), "reason": texts})
        table = pseudonymise(table, key_file=key_file).sort_values("account")
        return dict(zip(table["account"], table["reason"], strict=True))

    return Result(rows, hidden(result.failed), hidden(result.without), result.covariates, recipe)
