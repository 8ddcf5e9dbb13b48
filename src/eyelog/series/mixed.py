"""Many wearers in one long table, and a linear mixed model of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import pandas as pd
import scipy

from eyelog.checks import names_of
from eyelog.errors import ConfigurationError, FieldError, MixedLogsError
from eyelog.frame import ACCOUNT, derived, in_pandas, record, stated_log, takes_tables
from eyelog.judge.arrays import Bools, Floats, Ints, numbers
from eyelog.judge.limits import Limits
from eyelog.measure.columns import is_measured
from eyelog.measure.daily import daily
from eyelog.series.groups import with_account
from eyelog.series.inference import cluster_robust, means_of
from eyelog.series.observed import check_numbers, one_log

# The data behind a daily table; all its other numbers are outcomes.
CONTEXT: Final = ("n", "coverage", "recorded_h", "worn_h", "valid_h", "walking_h")
CONTEXT_ENDS: Final = ("_n", "_exposure_min", "_low", "_high")
LEAST_WEARERS: Final = 2
LEAST_FOR_ERROR: Final = 5  # errors from the differences between fewer wearers are too small
LEAST_SHARE: Final = 1e-9  # of the outcome's range: less variation within wearers is rounding
COEFFICIENTS: Final = ("estimate", "se", "low", "high", "p")
# Variance between wearers over that within them: beyond these limits it is 0 or infinite.
LOWEST, HIGHEST = -18.0, 18.0
STEPS: Final = 37
LEAST_RSS: Final = 1e-300


@takes_tables
def mixed_table(
    frames: Mapping[str, pd.DataFrame] | pd.DataFrame,
    *,
    outcomes: str | Sequence[str] | None = None,
    covariates: str | Sequence[str] | None = None,
    exposure: str = "worn_h",
    limits: Limits | None = None,
) -> pd.DataFrame:
    """Return one row per wearer and day, ready for mixed models.

    Parameters
    ----------
    frames : mapping of str to DataFrame, or DataFrame
        For each wearer a frame of one log (which is summarised by `eyelog.daily`) or a daily table,
        all of the same log. Or the table of `eyelog.cohort.daily`: ``account`` and ``day`` in its
        index, or as columns.
    outcomes : str or sequence of str, optional
        Columns of the daily tables. Default: every number in them other than exposures, counts of
        values, intervals and covariates.
    covariates : str or sequence of str, optional
        Columns to carry along unchanged, such as the group and the age of a wearer. Default: the
        columns of your own that hold text, labels, booleans or integers; name others, such as an
        age with decimals.
    exposure : str
        The column of the daily tables with the time over which the outcome was observed: hours
        (``"worn_h"``), or minutes if the name ends in ``_min`` (``"blink_exposure_min"``).
    limits : Limits, optional
        The limits that `eyelog.daily` follows where it summarises a frame, see `eyelog.Limits`.

    Returns
    -------
    DataFrame
        Sorted by wearer and day, one row each. Columns: ``account`` (string), ``day`` (the local
        date as a naive timestamp, since wearers live in different zones), int64 ``n`` (records)
        and float64 ``coverage`` of the day if the tables have them, float64 ``exposure_h`` and
        ``log_exposure_h`` (its logarithm: the offset of a model of counts; missing if the exposure
        is 0). Then for each outcome x, in its own unit, float64 ``x``, ``x_wearer_mean`` (mean of
        the wearer's days) and ``x_within`` (the day less that mean). Last, the covariates.

    Raises
    ------
    MixedLogsError
        If the wearers' tables are of different logs.
    FieldError
        If no table has an outcome, or one has no exposure.
    ConfigurationError
        If `frames` is not a mapping of wearers to tables, or is empty.

    Notes
    -----
    A wearer's mean and the deviation from it separate differences between wearers from variation
    within a wearer (Curran & Bauer 2011, Annual Review of Psychology 62:583); a raw daily value as
    a predictor mixes both. A column that one wearer's table lacks is missing for that wearer.
    Wearers without days have no row.

    Examples
    --------
    >>> import eyelog as el
    >>> log = "standard_mode_logs"
    >>> people = {f"p{i}": el.simulate("2026-10-19", 2, log=log, seed=i) for i in range(2)}
    >>> table = el.compare.mixed_table(people, outcomes="head_moves_yaw_per_h")
    >>> table["account"].tolist(), "head_moves_yaw_per_h_within" in table
    (['p0', 'p0', 'p1', 'p1'], True)
    """
    if isinstance(frames, pd.DataFrame):
        frames = _of_cohort(frames)
    if not isinstance(frames, Mapping) or not frames:
        raise ConfigurationError("mixed_table takes a mapping such as {'ann': frame, 'bob': frame}")
    days = {str(account): _days(str(account), frame, limits) for account, frame in frames.items()}
    if len(days) < len(frames):
        raise ConfigurationError("mixed_table: two wearers have the same name as text")
    log = one_log(*days.values(), what="mixed_table")
    lacking = [account for account, table in days.items() if exposure not in table.columns]
    if lacking:
        raise FieldError(
            f"mixed_table: no column {exposure!r} of exposure for {', '.join(lacking)}"
        )
    carried, chosen = _columns(days, covariates, outcomes)
    used = list(dict.fromkeys(["n", "coverage", exposure, *chosen, *carried]))
    parts = {account: days[account].filter(used).sort_index() for account in sorted(days)}
    rows = pd.concat(parts, names=[ACCOUNT, "day"])
    accounts = rows.index.get_level_values(ACCOUNT)
    hours = numbers(rows[exposure]) / (60.0 if exposure.endswith("_min") else 1.0)
    data: dict[str, Any] = {
        "account": accounts.astype("string"),
        "day": rows.index.get_level_values("day"),
        **{name: rows[name].to_numpy() for name in ("n", "coverage") if name in rows.columns},
        "exposure_h": hours,
        "log_exposure_h": np.log(np.where(hours > 0, hours, np.nan)),
    }
    for name in chosen:
        values = pd.Series(numbers(rows[name])).replace([np.inf, -np.inf], np.nan)
        means = values.groupby(accounts.to_numpy()).transform("mean")
        data |= {name: values, f"{name}_wearer_mean": means, f"{name}_within": values - means}
    data |= {name: rows[name].array for name in carried}
    return record(
        pd.DataFrame(data),
        "compare.mixed_table",
        log=log,
        wearers=len(days),
        outcomes=chosen,
        covariates=carried,
        exposure=exposure,
    )


def _of_cohort(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the days of each wearer of a cohort."""
    names = [ACCOUNT, "day"]
    if not set(names) <= {*table.columns, *table.index.names}:
        raise ConfigurationError(
            "mixed_table takes a cohort's days, indexed by account and day, as eyelog.cohort.daily"
            f" returns them, not a table indexed by {' and '.join(map(str, table.index.names))}"
        )
    rows = table.reset_index([name for name in table.index.names if name in names])
    days = {str(account): part for account, part in rows.set_index("day").groupby(ACCOUNT)}
    for account, part in days.items():
        days[account] = part.drop(columns=ACCOUNT)
        days[account].attrs = dict(table.attrs)
    return days


def _days(account: str, frame: Any, limits: Limits | None) -> pd.DataFrame:
    """Return the daily table of one wearer, by naive dates, since zones of wearers differ."""
    table = in_pandas(frame)
    if not isinstance(table, pd.DataFrame):
        raise ConfigurationError(f"mixed_table: {account!r} needs a frame or a daily table")
    if table.index.name != "day":
        try:
            table = daily(table, limits=limits)
        except (ConfigurationError, MixedLogsError) as error:
            raise type(error)(f"{account!r}: {error}") from None
    elif limits is not None:
        raise ConfigurationError(
            f"mixed_table: limits judge records, and {account!r} has days already: give limits to"
            " eyelog.daily"
        )
    index = table.index
    if not isinstance(index, pd.DatetimeIndex) or index.has_duplicates:
        raise ConfigurationError(f"mixed_table: the table of {account!r} needs one row per day")
    return table.set_axis(index.tz_localize(None).normalize().as_unit("us"))


def _columns(
    days: Mapping[str, pd.DataFrame],
    covariates: str | Sequence[str] | None,
    outcomes: str | Sequence[str] | None,
) -> tuple[list[str], list[str]]:
    """Return the columns to carry along and the outcomes, in the order of the tables."""
    is_float: dict[str, list[bool]] = {}
    for table in days.values():
        for column, dtype in table.dtypes.items():
            is_float.setdefault(str(column), []).append(pd.api.types.is_float_dtype(dtype))
    carried, chosen = names_of(covariates or (), "covariates"), names_of(outcomes or (), "outcomes")
    for names, what in ((carried, " as a covariate"), (chosen, "")):
        if lacking := [name for name in names if name not in is_float]:
            raise FieldError(f"mixed_table: no wearer's daily table has {', '.join(lacking)}{what}")
    if covariates is None:
        own = [name for name in is_float if name not in chosen and not is_measured(name)]
        carried = [name for name in own if not any(is_float[name])]
    if outcomes is None:
        measured = [name for name in is_float if name not in (*CONTEXT, *carried)]
        chosen = [
            name for name in measured if not name.endswith(CONTEXT_ENDS) and all(is_float[name])
        ]
    elif not chosen:
        raise FieldError("mixed_table: no wearer's daily table has an outcome")
    return carried, chosen


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
    alike. The model has neither, so its own errors are too small, and its p would be below .05 too
    often without any effect. The errors are therefore clustered by wearer (CR2: Bell & McCaffrey
    2002; Pustejovsky & Tipton 2018), with Satterthwaite's degrees of freedom, as in R's
    ``clubSandwich``. With ten wearers p is then below .05 in 3 to 6 of 100 cases, see the table in
    the definitions. An effect that all wearers share
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
    names = names_of(predictors, "predictors")
    table = with_account(table, ["account", outcome, *names], what="fit_mixed")
    if outcome in names:
        raise ConfigurationError(f"fit_mixed: the outcome {outcome!r} cannot also be a predictor")
    used = table[["account", outcome, *names]].dropna()
    check_numbers(used[outcome], what=f"fit_mixed: {outcome!r}")
    columns: dict[str, Floats] = {"intercept": np.ones(len(used))}
    for name in names:
        columns |= _design(used[name])
    accounts, y = used["account"].astype(str).to_numpy(), numbers(used[outcome])
    terms, x = list(columns), np.column_stack(list(columns.values()))
    # Sort the rows, so that their order in the table cannot change the last digits.
    order = np.lexsort((*x.T, y, accounts))
    order = order[np.isfinite(np.column_stack([x, y])[order]).all(axis=1)]
    x, y = x[order], y[order]
    of_row = np.unique(accounts[order], return_inverse=True)[1]
    wearers = int(of_row.max(initial=-1)) + 1
    found = np.full((len(terms) + 2, len(COEFFICIENTS)), np.nan)
    reason = _refusal(x, y, of_row, wearers, terms)
    if not reason:
        reason = _fit(y, x, of_row, found)
    named = pd.Index([*terms, "sd_wearers", "sd_residual"], name="term")
    result = pd.DataFrame(found, index=named, columns=list(COEFFICIENTS))
    result["n"], result["wearers"] = np.int64(len(y)), np.int64(wearers)
    result["reason"] = pd.array([reason] * len(result), dtype="string")
    return derived(
        result,
        table,
        "compare.fit_mixed",
        log=stated_log(table),
        outcome=outcome,
        rows_left_out=len(table) - len(y),
    )


def _design(column: "pd.Series[Any]") -> dict[str, Floats]:
    """Return the columns of one predictor: its numbers, or one for each label but the first."""
    name = column.name
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        raise ConfigurationError(f"fit_mixed: {name!r} holds stamps: turn them into numbers")
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return {str(name): numbers(column)}
    labels = column.astype(str).to_numpy()
    return {
        f"{name}[{label}]": (labels == label) * 1.0 for label in sorted(set(labels.tolist()))[1:]
    }


def _refusal(x: Floats, y: Floats, of_row: Ints, wearers: int, names: list[str]) -> str:
    """Return why no model can be fitted, or an empty text."""
    if wearers < LEAST_WEARERS:
        return f"fewer than {LEAST_WEARERS} wearers have all values"
    if len(y) <= x.shape[1] + 1 or len(y) <= wearers:
        return "too few rows for the model: wearers need several days"
    if np.ptp(y) == 0:
        return "the outcome does not vary"
    if np.abs(y - means_of(y, of_row)[of_row]).max() < LEAST_SHARE * np.ptp(y):
        return "the outcome does not vary within wearers: compare their means"
    flat = [name for name, column in zip(names[1:], x.T[1:], strict=True) if np.ptp(column) == 0]
    if flat:
        return f"predictors that do not vary: {', '.join(flat)}"
    if np.linalg.matrix_rank(x / np.sqrt((x**2).mean(axis=0))) < x.shape[1]:
        return "the predictors are collinear"
    return ""


def _fit(y: Floats, x: Floats, of_row: Ints, found: Floats) -> str:
    """Write (estimate, se, low, high, p) by term into `found`, and return a caution."""
    fit, days = random_intercept(y, x, of_row), np.bincount(of_row)
    found[:, 0] = *fit.coefficients, fit.sd_wearers, fit.sd_residual
    doubts = []
    if len(days) < LEAST_FOR_ERROR:
        doubts.append(f"fewer than {LEAST_FOR_ERROR} wearers: no interval and no p")
    else:
        # After subtracting this share of the wearer's mean, rows are independent with one variance
        # in the model.
        share = (1.0 - 1.0 / np.sqrt(1.0 + days * fit.ratio))[of_row, None]
        both = np.column_stack([x, y - x @ fit.coefficients])
        whitened = both - share * means_of(both, of_row)[of_row]
        made = cluster_robust(whitened[:, :-1], whitened[:, -1], of_row)
        small = _small_groups(x, of_row)
        errors = np.where(np.isnan(made.freedom) | small, np.nan, np.sqrt(np.diag(made.covariance)))
        reach = scipy.special.stdtrit(made.freedom, 0.975) * errors
        t = -np.abs(fit.coefficients / errors)
        found[:-2, 1:] = np.column_stack(
            [
                errors,
                fit.coefficients - reach,
                fit.coefficients + reach,
                2.0 * scipy.special.stdtr(made.freedom, t),
            ]
        )
        if small.any():
            few = f"fewer than {LEAST_FOR_ERROR} wearers in a group: no interval and no p of it"
            doubts.append(few)
        if np.isnan(made.freedom).any():
            doubts.append("one wearer alone determines a coefficient: it has no interval")
    if fit.sd_wearers == 0:
        doubts.append("wearers differ no more than their days do: the SD is at its boundary of 0")
    return "; ".join(doubts)


def _small_groups(x: Floats, of_row: Ints) -> Bools:
    """Return which columns compare groups of wearers of which one has too few."""
    means = means_of(x, of_row)
    groups = np.isin(x, (0.0, 1.0)).all(axis=0) & np.isin(means, (0.0, 1.0)).all(axis=0)
    groups &= np.ptp(means, axis=0) > 0
    ones = means.sum(axis=0)
    fewest = np.minimum(ones, len(means) - ones)
    if groups.any():  # the group that the others are compared with is in none of the columns
        fewest = np.minimum(fewest, (means[:, groups].sum(axis=1) == 0).sum())
    return np.asarray(groups & (fewest < LEAST_FOR_ERROR), dtype=np.bool_)


class RandomIntercept(NamedTuple):
    """Coefficients, the variance between wearers over that within them, and both SDs."""

    coefficients: Floats
    ratio: float
    sd_wearers: float
    sd_residual: float


def random_intercept(y: Floats, x: Floats, of_row: Ints) -> RandomIntercept:
    """Fit ``y = x b + wearer + residual`` by restricted maximum likelihood.

    With one variance between wearers, the likelihood has a closed form except for the ratio of the
    two variances: a one-dimensional search finds it exactly, even at the boundary of 0.

    Parameters
    ----------
    y : array of float64
        One value per row.
    x : array of float64
        One column per coefficient, the first of them 1 in each row, of full rank.
    of_row : array of int64
        The number of each row's wearer, from 0 on, none left out.
    """
    shift = np.append(x.mean(axis=0), y.mean())
    scale = np.append(x.std(axis=0), y.std())
    shift[0], scale[0] = 0.0, 1.0
    both = (np.column_stack([x, y]) - shift) / scale
    counts, means = np.bincount(of_row), means_of(both, of_row)
    inside = both - means[of_row]
    within = inside.T @ inside
    size, terms = x.shape

    def normal(ratio: float) -> Floats:
        """Return [x y]' V^-1 [x y], V in units of the variance within wearers."""
        weights = counts / (1.0 + counts * ratio)
        return np.asarray(within + (means * weights[:, None]).T @ means, dtype=np.float64)

    def solved(ratio: float) -> tuple[Floats, Floats, float]:
        whole = normal(ratio)
        left, right = whole[:-1, :-1], whole[:-1, -1]
        beta = np.asarray(np.linalg.solve(left, right), dtype=np.float64)
        return beta, left, max(float(whole[-1, -1] - right @ beta), LEAST_RSS)

    def deviance(ratio: float) -> float:
        _, left, rss = solved(ratio)
        spread = float(np.log1p(counts * ratio).sum()) + float(np.linalg.slogdet(left)[1])
        return float((size - terms) * np.log(rss) + spread)

    grid = np.linspace(LOWEST, HIGHEST, STEPS)
    best = int(np.argmin([deviance(float(np.exp(at))) for at in grid]))
    optimum = scipy.optimize.minimize_scalar(
        lambda at: deviance(float(np.exp(at))),
        bounds=(grid[max(best - 1, 0)], grid[min(best + 1, STEPS - 1)]),
        method="bounded",
        options={"xatol": 1e-9},
    )
    ratio = float(np.exp(optimum.x))
    if deviance(0.0) <= float(optimum.fun):
        ratio = 0.0
    beta, _, rss = solved(ratio)
    variance = rss / (size - terms)
    # Back to the units and the zeros of the columns.
    back = np.diag(scale[-1] / scale[:-1])
    back[0, 1:] = -scale[-1] * shift[1:-1] / scale[1:-1]
    coefficients = back @ beta
    coefficients[0] += shift[-1]
    return RandomIntercept(
        coefficients,
        ratio,
        float(scale[-1] * np.sqrt(variance * ratio)),
        float(scale[-1] * np.sqrt(variance)),
    )
