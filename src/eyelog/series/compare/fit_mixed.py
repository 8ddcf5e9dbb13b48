"""A linear mixed model of many wearers' days."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.checks import names_of
from eyelog.errors import ConfigurationError, FieldError
from eyelog.frame import derived, stated_log, takes_tables
from eyelog.judge.arrays import Floats, numbers
from eyelog.series.cluster_robust import cluster_robust
from eyelog.series.compare.random_intercept import RandomIntercept, random_intercept
from eyelog.series.compare.wearer_of_row import with_account
from eyelog.series.observed import check_frame

LEAST_WEARERS: Final = 2
LEAST_FOR_ERROR: Final = 5  # errors from the differences between fewer wearers are too small
LEAST_SHARE: Final = 1e-9  # of the outcome's range: less variation within wearers is rounding
COEFFICIENTS: Final = ("estimate", "se", "low", "high", "p")


@takes_tables
def fit_mixed(
    table: pd.DataFrame,
    outcome: str,
    *,
    predictors: str | Sequence[str] = (),
) -> pd.DataFrame:
    """Fit a linear mixed model with an intercept for each wearer, and errors clustered by wearer.

    Parameters
    ----------
    table : DataFrame
        As from `mixed_table` or `eyelog.cohort.daily`: ``account`` in a column or the index, and
        numbers; more columns may have been added, such as the wearer's group. Rows with a missing
        value in a used column are left out.
    outcome : str
        The column to explain.
    predictors : str or sequence of str
        The columns to explain it with: numbers, booleans, or labels (the first label in order is
        the reference of the others).

    Returns
    -------
    DataFrame
        Index ``term``: ``intercept``, the predictors (labels as ``group[b]``), then ``sd_wearers``
        and ``sd_residual`` (SD between wearers and within them). Float64 ``estimate`` (unit of the
        outcome, per unit of the predictor), ``se``, ``low`` and ``high`` (95 %), ``p`` (missing
        for the SDs, and with fewer than five wearers, or of a group); int64 ``n`` (rows) and
        ``wearers``; ``reason``: why the model is missing, or a caution about it.

    Raises
    ------
    FieldError
        If the table lacks a column.
    ConfigurationError
        If a column is not numeric, boolean or text.

    Notes
    -----
    Restricted maximum likelihood (Laird & Ware 1982, Biometrics 38:963), as in R's ``lme`` and
    statsmodels' ``MixedLM``; since only the ratio of the two variances has to be searched for, it
    takes milliseconds and reaches the boundary at which wearers do not differ.

    Wearers may respond differently to a predictor (a random slope), and neighbouring days are
    alike. The model has neither, so its own errors are too small: without any effect, p is below
    .05 in 30 to 40 of 100 cases with random slopes of half the residual SD. The errors are
    therefore clustered by wearer (CR2: Bell & McCaffrey 2002; Pustejovsky & Tipton 2018), with
    Satterthwaite's degrees of freedom, as in R's ``clubSandwich``. With ten wearers p is then below
    .05 in 3 to 6 of 100 cases, see the table in the definitions. An effect that all wearers share
    needs more wearers to be found, not more days. A coefficient that only one wearer determines,
    such as the only one of a group, has no error; where wearers are in groups (labels, or 0 and 1
    that do not vary within a wearer), each needs five of them, as in
    `eyelog.compare.group_difference`. Of counts, take the rate per exposure, or
    `eyelog.compare.group_rates`.

    Examples
    --------
    >>> import numpy as np, pandas as pd, eyelog as el
    >>> draw = np.random.default_rng(1)
    >>> people = np.repeat([f"p{i:02}" for i in range(20)], 10)
    >>> x = draw.normal(size=200)
    >>> y = 5 + 2 * x + np.repeat(draw.normal(size=20), 10) + draw.normal(size=200)
    >>> table = pd.DataFrame({"account": people, "x": x, "y": y})
    >>> fit = el.compare.fit_mixed(table, "y", predictors="x")
    >>> bool(fit.loc["x", "low"] < 2 < fit.loc["x", "high"]), fit.loc["x", "wearers"]
    (True, np.int64(20))
    """
    check_frame(table, what="fit_mixed")
    table = with_account(table, what="fit_mixed")
    names = names_of(predictors, "predictors")
    absent = [name for name in ("account", outcome, *names) if name not in table.columns]
    if absent:
        raise FieldError(f"fit_mixed: the table has no column {', '.join(map(repr, absent))}")
    if outcome in names:
        raise ConfigurationError(f"fit_mixed: the outcome {outcome!r} cannot also be a predictor")
    used = table[["account", outcome, *names]].dropna()
    y = _numeric(used, outcome)
    columns: dict[str, Floats] = {"intercept": np.ones(len(used))}
    for name in names:
        columns |= _design(used, name, table)
    good = np.isfinite(y)
    for values in columns.values():
        good &= np.isfinite(values)
    # Sort the rows, so that their order in the table cannot change the last digits.
    wearers = used["account"].astype(str).to_numpy()[good]
    x = np.column_stack(list(columns.values()))[good]
    y = y[good]
    order = np.lexsort((*x.T, y, wearers))
    wearers, x, y = wearers[order], x[order], y[order]
    count = len(set(wearers.tolist()))
    terms = [*columns, "sd_wearers", "sd_residual"]
    rows, reason = np.full((len(terms), 5), np.nan), _refusal(x, y, wearers, list(columns))
    if not reason:
        rows, reason = _fit(y, x, wearers)
        small = _small_groups(x, wearers)
        rows[:-2][small, 1:] = np.nan
        if small.any() and count >= LEAST_FOR_ERROR:
            few = f"fewer than {LEAST_FOR_ERROR} wearers in a group: no interval and no p of it"
            reason = "; ".join(filter(None, [few, reason]))
    result = pd.DataFrame(rows, index=pd.Index(terms, name="term"), columns=list(COEFFICIENTS))
    result["n"], result["wearers"] = np.int64(len(y)), np.int64(count)
    result["reason"] = pd.array([reason] * len(terms), dtype="string")
    left_out = len(table) - len(y)
    return derived(
        result,
        table,
        "compare.fit_mixed",
        log=stated_log(table),
        outcome=outcome,
        rows_left_out=left_out,
    )


def _numeric(table: pd.DataFrame, name: str) -> Floats:
    column = table[name]
    if not (
        pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype)
    ):
        raise ConfigurationError(f"fit_mixed: {name!r} holds {column.dtype}, not numbers")
    return numbers(column)


def _design(used: pd.DataFrame, name: str, table: pd.DataFrame) -> dict[str, Floats]:
    """Return the columns of one predictor: its numbers, or one for each label but the first."""
    dtype = table[name].dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        raise ConfigurationError(f"fit_mixed: {name!r} holds stamps: turn them into numbers")
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        return {name: _numeric(used, name)}
    labels = used[name].astype(str).to_numpy()
    return {
        f"{name}[{label}]": (labels == label) * 1.0 for label in sorted(set(labels.tolist()))[1:]
    }


def _refusal(x: Floats, y: Floats, wearers: npt.NDArray[Any], names: list[str]) -> str:
    """Return why no model can be fitted, or an empty text."""
    if len(set(wearers.tolist())) < LEAST_WEARERS:
        return f"fewer than {LEAST_WEARERS} wearers have all values"
    if len(y) <= x.shape[1] + 1 or len(y) <= len(set(wearers.tolist())):
        return "too few rows for the model: wearers need several days"
    if np.ptp(y) == 0:
        return "the outcome does not vary"
    _, of_row, counts = np.unique(wearers, return_inverse=True, return_counts=True)
    within = y - (np.bincount(of_row, y) / counts)[of_row]
    if np.abs(within).max() < LEAST_SHARE * np.ptp(y):
        return "the outcome does not vary within wearers: compare their means"
    flat = [name for name, column in zip(names[1:], x.T[1:], strict=True) if np.ptp(column) == 0]
    if flat:
        return f"predictors that do not vary: {', '.join(flat)}"
    if np.linalg.matrix_rank(x / np.sqrt((x**2).mean(axis=0))) < x.shape[1]:
        return "the predictors are collinear"
    return ""


def _small_groups(x: Floats, wearers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which columns compare groups of wearers of which one has too few."""
    _, of_row, rows = np.unique(wearers, return_inverse=True, return_counts=True)
    means = np.column_stack([np.bincount(of_row, column) / rows for column in x.T])
    groups = np.isin(x, (0.0, 1.0)).all(axis=0) & np.isin(means, (0.0, 1.0)).all(axis=0)
    ones = means.sum(axis=0)
    neither = (means[:, groups].sum(axis=1) <= 1).sum() if groups.any() else 0  # with the intercept
    too_few: npt.NDArray[np.bool_] = (
        groups
        & (np.ptp(means, axis=0) > 0)
        & (
            (ones < LEAST_FOR_ERROR)
            | (len(rows) - ones < LEAST_FOR_ERROR)
            | (neither < LEAST_FOR_ERROR)
        )
    )
    return too_few


def _fit(y: Floats, x: Floats, wearers: npt.NDArray[Any]) -> tuple[Floats, str]:
    """Return (estimate, se, low, high, p) by term, and a caution."""
    fit = random_intercept(y, x, wearers)
    fixed = np.full((x.shape[1], 5), np.nan)
    fixed[:, 0] = fit.coefficients
    spread = np.full((2, 5), np.nan)
    spread[:, 0] = fit.sd_wearers, fit.sd_residual
    doubts = []
    if len(set(wearers.tolist())) < LEAST_FOR_ERROR:
        doubts.append(f"fewer than {LEAST_FOR_ERROR} wearers: no interval and no p")
    else:
        errors, freedom = _errors(y, x, wearers, fit)
        reach = scipy.stats.t.ppf(0.975, freedom) * errors
        fixed[:, 1] = np.where(np.isnan(freedom), np.nan, errors)
        fixed[:, 2], fixed[:, 3] = fixed[:, 0] - reach, fixed[:, 0] + reach
        fixed[:, 4] = 2.0 * scipy.stats.t.sf(np.abs(fixed[:, 0] / errors), freedom)
        if np.isnan(freedom).any():
            doubts.append("one wearer alone determines a coefficient: it has no interval")
    if fit.sd_wearers == 0:
        doubts.append("wearers differ no more than their days do: the SD is at its boundary of 0")
    return np.vstack([fixed, spread]), "; ".join(doubts)


def _errors(
    y: Floats, x: Floats, wearers: npt.NDArray[Any], fit: RandomIntercept
) -> tuple[Floats, Floats]:
    """Return the errors of the coefficients clustered by wearer, and their degrees of freedom."""
    _, of_row, days = np.unique(wearers, return_inverse=True, return_counts=True)
    # After subtracting this share of the wearer's mean, rows are independent with one variance in
    # the model.
    share = (1.0 - 1.0 / np.sqrt(1.0 + days * fit.ratio))[of_row]

    def whitened(column: Floats) -> Floats:
        means = np.bincount(of_row, column) / days
        return np.asarray(column - share * means[of_row], dtype=np.float64)

    design = np.column_stack([whitened(column) for column in x.T])
    made = cluster_robust(design, whitened(y - x @ fit.coefficients), of_row.astype(np.int64))
    return np.sqrt(np.diag(made.covariance)), made.freedom
