"""What a cohort's table shows about groups of wearers, and what was lost on the way to it."""

import os
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.cohort.result import averaged_covariates, result_of
from eyelog.errors import ArchiveError
from eyelog.frame import takes_tables
from eyelog.measure.groups import keyed

PERCENTILES: Final = (5, 25, 50, 75, 95)
LEVEL: Final = 0.95


class Summary(NamedTuple):
    """Three tables about a cohort: `groups`, `attrition` and `excluded`."""

    groups: pd.DataFrame
    attrition: pd.DataFrame
    excluded: pd.DataFrame


@takes_tables
def summary(
    table: pd.DataFrame | str | os.PathLike[str],
    *,
    by: str | pd.Series | Sequence[str | pd.Series] | None = None,
    wearers: pd.DataFrame | None = None,
    covariates: str | Sequence[str] | None = None,
) -> Summary:
    """Summarise a cohort: groups, percentiles of wearers, and what was lost.

    Parameters
    ----------
    table : DataFrame, str or path
        What `eyelog.cohort.daily` or `eyelog.cohort.apply` returned, or the place of their
        dataset (``out``).
    by : str, Series or a list of them, optional
        The groups: columns, such as those of ``wearers=``; ``"day"``, ``"week"``, ``"weekday"``,
        ``"weekend"`` or a width in days (``"7D"``); a Series of labels by wearer, day or row.
        Default: one group.
    wearers : DataFrame, optional
        The wearers that were requested, as for `eyelog.cohort.daily`: those without rows are then
        counted and named. The place of a dataset knows them.
    covariates : str or sequence of str, optional
        Columns of the table of wearers to summarise too, such as ``"age"``. Others are not: the
        mean of a seed or an identifier has no meaning. In a table of several rows for each wearer,
        a column that eyelog does not measure and that has one value for each wearer is a covariate;
        in a table of one row each, what `wearers` has, here or in the call that made it.

    Returns
    -------
    Summary
        Named tuple of three tables.

        ``groups``: one row per group and outcome (each column of numbers, but covariates only if
        they are named), indexed by the columns of `by` and ``outcome``. Each wearer counts once,
        with the mean of their own rows. Int64 ``wearers`` and ``n`` (rows) with a value; float64
        ``mean``, ``sd`` between wearers, ``low`` and ``high`` (95 % interval of the mean, from the
        t distribution; missing for one wearer), and the percentiles of wearers ``p5``, ``p25``,
        ``p50``, ``p75``, ``p95``.

        ``attrition``: from wearers to days to values. Index ``step``: ``wearers asked for``,
        ``wearers without a failure`` (if some failed), ``wearers with rows``, ``rows in a group``
        (with `by`), then each outcome (rows with a value). Int64 ``wearers`` and ``n`` that are
        left; ``n`` is missing before there are rows. For a table without `wearers`, the first step
        is ``wearers with rows``.

        ``excluded``: the wearers that are in no group. Index ``account``; text ``reason``.

    Raises
    ------
    FieldError
        If the table has none of `covariates`.
    ConfigurationError
        If the table is not that of a cohort, `by` is not one of these, or a covariate does not
        hold numbers.
    ArchiveError
        If the place has no whole result: the run was stopped, or there was none.

    Notes
    -----
    Days of one wearer are not independent observations, so intervals are based on wearers.
    Failures are those of a dataset's report.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import pandas as pd, eyelog as el
    >>> archive, log = el.Archive(mkdtemp()), "standard_mode_logs"
    >>> for seed in range(4):
    ...     days = el.simulate("2026-10-19", 2, log=log, seed=seed, tz="Asia/Tokyo")
    ...     _ = archive.write(log, days, account=f"w{seed}")
    >>> wearers = pd.DataFrame({"account": ["w0", "w1", "w2", "w3"], "group": list("abab")})
    >>> table = el.cohort.daily(archive, log, tz="Asia/Tokyo", wearers=wearers)
    >>> groups, attrition, excluded = el.cohort.summary(table, by="group")
    >>> groups.loc[("a", "worn_h"), ["wearers", "n"]].tolist()
    [2, 4]
    >>> attrition.loc["worn_h", "wearers"], len(excluded)
    (np.int64(4), 0)
    """
    result = result_of(table, what="summary", wearers=wearers)
    rows, lost = result.rows, {**result.without, **result.failed}
    if "account" not in rows.index.names:
        raise ArchiveError(f"{table} has no rows: no wearer had records")
    names: list[str] = []
    if by is not None:
        rows, names = keyed(rows, by, what="summary")
    accounts = rows.index.get_level_values("account")
    inside = rows[names].notna().all(axis=1).to_numpy()
    grouped = rows[inside]
    unplaced = sorted(set(accounts) - set(accounts[inside]))
    lost_all = {**lost, **dict.fromkeys(unplaced, f"no value of {', '.join(names)}")}
    averaged = averaged_covariates(rows, result.covariates, covariates, what="summary")
    left_out = {*names, *(set(result.covariates) - set(averaged))}
    outcomes = [
        str(name)
        for name in rows.columns
        if name not in left_out and pd.api.types.is_numeric_dtype(rows[name].dtype)
    ]
    excluded = pd.DataFrame(
        {"reason": [lost_all[name] for name in sorted(lost_all)]},
        index=pd.Index(sorted(lost_all), name="account", dtype="str"),
        dtype="str",
    )
    parts = {"wearers with rows": rows} | ({"rows in a group": grouped} if names else {})
    parts |= {name: grouped[grouped[name].notna()] for name in outcomes}
    left: dict[str, tuple[int, int | None]] = {
        step: (part.index.get_level_values("account").nunique(), len(part))
        for step, part in parts.items()
    }
    without_failure = left["wearers with rows"][0] + len(result.without)
    if result.failed:
        left = {"wearers without a failure": (without_failure, None)} | left
    if result.is_whole:
        left = {"wearers asked for": (without_failure + len(result.failed), None)} | left
    steps = pd.Index([*left], name="step", dtype="str")
    attrition = pd.DataFrame([*left.values()], index=steps, columns=["wearers", "n"])
    attrition = attrition.astype({"wearers": "int64", "n": "Int64"})
    return Summary(_groups(grouped, names, outcomes), attrition, excluded)


def _groups(rows: pd.DataFrame, names: Sequence[str], outcomes: Sequence[str]) -> pd.DataFrame:
    """Return one row per group and outcome, each wearer counted once."""
    summaries: list[dict[str, Any]] = []
    keys: list[tuple[Hashable, ...]] = []
    values = rows[list(outcomes)].astype("float64")
    values = values.where(np.isfinite(values))
    keys_of_rows = [pd.Index(rows[name]) for name in names]  # a name may be one of the index too
    groups: Iterable[tuple[Any, Any]] = (
        rows.groupby(keys_of_rows, sort=True, observed=True).indices.items()
        if names
        else [((), np.arange(len(rows)))]
    )
    for key, places in groups:
        part = values.iloc[places]
        counts = part.notna().sum()
        means = part.groupby(level="account").mean()
        label = key if isinstance(key, tuple) else (key,)
        for name in outcomes:
            keys.append((*label, name))
            summaries.append({"n": counts[name], **_of_wearers(means[name].dropna().to_numpy())})
    columns = ["wearers", "n", "mean", "sd", "low", "high", *(f"p{p}" for p in PERCENTILES)]
    table = pd.DataFrame(summaries, columns=columns).astype({"wearers": "int64", "n": "int64"})
    levels = pd.DataFrame(keys, columns=[*names, "outcome"])
    return table.set_index(pd.MultiIndex.from_frame(levels) if names else levels["outcome"])


def _of_wearers(means: Any) -> dict[str, float]:
    count = len(means)
    if not count:
        return {"wearers": 0}
    mean = float(means.mean())
    sd = float(means.std(ddof=1)) if count > 1 else float("nan")
    reach = float(scipy.stats.t.ppf((1 + LEVEL) / 2, count - 1)) if count > 1 else sd
    half = reach * sd / count**0.5
    values = {"wearers": count, "mean": mean, "sd": sd, "low": mean - half, "high": mean + half}
    shares = np.percentile(means, PERCENTILES).tolist()
    return values | {f"p{p}": share for p, share in zip(PERCENTILES, shares, strict=True)}
