"""How long conditions last: episodes, bouts of activity, and how fragmented they are."""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from eyelog.checks import duration_us, number
from eyelog.clock import HOUR_US, stamps_at
from eyelog.errors import ConfigurationError
from eyelog.frame import OFFSET, derived, takes_tables
from eyelog.judge.arrays import Bools, Floats, follows, runs
from eyelog.judge.limits import Limits
from eyelog.measure.sheet import all_missing, shown
from eyelog.series.observed import Rows, column_of, rows_of

ROUNDING: Final = 1e-12
HALF: Final = 0.5 + ROUNDING


@takes_tables
def episodes(
    states: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    at_least: str | pd.Timedelta = "0s",
    limits: Limits | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """Return the stretches of time in which a condition holds without a break.

    Parameters
    ----------
    states : Series or DataFrame
        A frame or another table indexed by time-zone aware stamps, or by dates; or one Series of
        true, false and missing values, such as ``days["steps"] > 8000``, whose stamps open their
        rows.
    column : str or Series, optional
        The condition for the rows of a table: a boolean column, or a Series such as
        ``masked["sc_fcs"] >= 60``. Columns of records are judged first.
    at_least : str or Timedelta
        Leave out shorter episodes.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        Length of one row, such as ``"15s"``. Default: of records that of their log, otherwise the
        smallest distance between neighbouring rows. Needed for a single row.

    Returns
    -------
    DataFrame
        One row per episode, in order of time. Columns: ``start`` (where the first interval opens),
        ``end`` (where the last one closes; both in the zone of the index, or dates), float64
        ``duration_min``, int64 ``n`` (rows). Without an episode the table is empty.

    Raises
    ------
    ConfigurationError
        If the condition is not boolean, is a Series of records without their frame, its index holds
        no stamps or dates in order, each once, or a duration is not valid.

    Notes
    -----
    An episode ends where the condition is missing and at a gap in the data, a row that comes more
    than one and a half rows after the one before: whether the condition held is unknown there.

    Examples
    --------
    >>> import eyelog as el
    >>> masked = el.mask(el.sample(), el.flag(el.sample()))
    >>> immersed = el.episodes(masked, masked["sc_fcs"] >= 60, at_least="5min")
    >>> bool((immersed["duration_min"] >= 5).all())
    True
    """
    condition = column if isinstance(column, pd.Series) else None
    if condition is None:
        condition = column_of(states, column, what="episodes")
    if not pd.api.types.is_bool_dtype(condition.dtype):
        raise ConfigurationError(
            "episodes takes a boolean column, or a condition such as masked['sc_fcs'] >= 60, not"
            f" {condition.dtype}"
        )
    least = duration_us(at_least, "at_least", example="5min")
    rows = rows_of(states, column, "episodes", limits, interval)
    if not rows.step_us and rows.n:
        raise ConfigurationError(
            "cannot tell how long one row is from a single row: pass interval='15s' or '60s'"
        )
    firsts, lasts = runs(rows.values == 1.0, rows.us, rows.step_us)
    start, end = rows.opens_us[firsts], rows.closes_us[lasts]
    long = end - start >= least
    start, end, n = start[long], end[long], (lasts - firsts + 1)[long]
    table = pd.DataFrame(
        {
            "start": stamps_at(start, rows.index.tz),
            "end": stamps_at(end, rows.index.tz),
            "duration_min": (end - start) / 60e6,
            "n": n.astype(np.int64),
        }
    )
    return derived(table, states, "episodes", at_least_s=least / 1e6, interval_s=rows.step_us / 1e6)


@shown("Fragmentation: how long bouts last")
class Fragmentation(NamedTuple):
    """How long the bouts of a condition last, in epochs of the Series."""

    mean_bout: float
    inverse_mean: float
    gini: float
    hazard: float
    alpha: float
    median_bout: float
    mean_bout_km: float
    median_bout_km: float
    n: int
    censored: int
    epoch_min: float
    exposure_h: float
    coverage: float
    reason: str


def bout_lengths(rows: Rows) -> tuple[Floats, Bools, Bools]:
    """Return the length of each run of True in epochs, and whether gaps hide its beginning and end.

    A missing value is a gap, and nothing was recorded before the first row and after the last.
    """
    values = rows.values
    if not np.isin(values[np.isfinite(values)], (0.0, 1.0)).all():
        raise ConfigurationError("fragmentation takes states: True, False or missing")
    us, step = rows.us, rows.step_us
    firsts, lasts = runs(values == 1.0, us, step)
    # Pairs of rows between which the state is known: both are present, and one follows the other.
    seen = np.zeros(len(values) + 1, dtype=bool)
    seen[1:-1] = np.isfinite(values[1:]) & np.isfinite(values[:-1]) & follows(us, step)
    return (lasts - firsts + 1).astype(np.float64), ~seen[firsts], ~seen[lasts + 1]


@takes_tables
def fragmentation(
    states: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    limits: Limits | None = None,
    interval: str | None = None,
    exposure: Any = None,
) -> Fragmentation:
    """Summarise the bouts in which a condition holds.

    Parameters
    ----------
    states : Series or DataFrame
        True, False or missing per epoch; aware, sorted stamps; or a table that has them as a
        column. A missing value, a gap in the stamps and either end of the record cut a bout off:
        how long it lasted is not known.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    limits : Limits, optional
        By which the records of a frame are judged, see `eyelog.Limits`.
    interval : str, optional
        The length of a row, such as ``"15s"``. Default: of a frame, the interval of its log or the
        width of its bins; of a Series, the smallest distance of neighbouring stamps.
    exposure : Series or array, optional
        The hours that each row is based on: a Series with the same index, or one number for each
        row. Default: what the table states (``worn_h``, ``exposure_min``, ``recorded_h``), else the
        length of a row; missing for a Series by day, which does not carry the hours of its days.

    Returns
    -------
    Fragmentation
        Of whole bouts, which nothing has cut off: ``mean_bout`` and ``median_bout`` (epochs),
        ``inverse_mean`` (per epoch), ``gini`` (with the factor n/(n-1)) and ``alpha`` (exponent of
        a power law).
        ``mean_bout_km`` and ``median_bout_km`` (epochs): the same by Kaplan-Meier, which use the
        bouts that were cut off too: prefer them if ``censored`` is not small. ``hazard`` (per
        epoch): mean over their distinct lengths of the bouts that ended at a length / all bouts
        that were seen to begin and reached it, cut off or not. Then ``n`` bouts, ``censored``
        (how many of them were cut off), ``epoch_min``, ``exposure_h``, ``coverage`` and
        ``reason``. Without a whole bout every measure is missing and the reason says so; ``gini``
        and ``alpha`` need more than one. If the longest bout was cut off, ``mean_bout_km`` counts
        time up to its length only (a restricted mean), and the reason says so.

    Raises
    ------
    FieldError
        If the table has no such column.
    ConfigurationError
        If the stamps are not time-zone aware and in order, a Series holds a field of records (pass
        the frame and the name) or the invalid value of a field, or an argument is not valid.

    Notes
    -----
    Di et al. (2017), "Patterns of sedentary and active time accumulation are associated with
    mortality in US adults", bioRxiv 182337. ``alpha = 1 + n / sum ln(x / (x_min - 1/2))``. A bout
    whose end a gap hides lasted at least as long as it was seen: it is censored (Kaplan & Meier
    1958), so the hazard counts it among those at risk and never as ended. Longer bouts are cut off
    more often, so measures of whole bouts are too short if ``censored`` is large: with 46 % cut
    off, their mean was 29.2 minutes where 39.2 were planted. The Kaplan-Meier estimates were then
    within 2 % on average (60 days; `benchmarks/levels.py`). They leave out bouts whose
    beginning a gap hides, and treat those whose end it hides as at risk until the last epoch that
    was seen to be followed by another. A bout that reaches the first or the last row is cut off
    there.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> minutes = pd.date_range("2026-10-19", periods=10, freq="min", tz="UTC")
    >>> worn = pd.Series([1, 1, 0, 1, 0, 1, 1, 1, 0, 0], index=minutes).astype(bool)
    >>> found = el.rhythm.fragmentation(worn)  # the first bout began before the record
    >>> found.n, found.censored, found.mean_bout, round(found.gini, 4)
    (3, 1, 2.0, 0.5)
    """
    rows = rows_of(states, column, "fragmentation", limits, interval, exposure)
    seen = rows.keep(np.isfinite(rows.values))
    seen_lengths, begins_hidden, ends_hidden = bout_lengths(rows)
    cut = begins_hidden | ends_hidden
    found = all_missing(
        Fragmentation,
        censored=int(cut.sum()),
        epoch_min=seen.step_us / HOUR_US * 60,
        **seen.behind | {"n": len(cut)},
    )
    lengths = np.sort(seen_lengths[~cut])
    n = len(lengths)
    if n == 0:
        reason = "no value was observed" if seen.n == 0 else "the condition never held"
        if len(cut):
            reason = "every bout was cut off, by gaps or the ends of the record"
        return found._replace(reason=reason)
    begun, cut_after = seen_lengths[~begins_hidden], ends_hidden[~begins_hidden]
    mean_km, median_km, restricted = _kaplan_meier(begun, cut_after)
    distinct, ended = np.unique(lengths, return_counts=True)
    at_risk = len(begun) - np.searchsorted(np.sort(begun), distinct, side="left")
    reason = "the longest bout was cut off: the Kaplan-Meier mean counts time up to it only"
    found = found._replace(
        mean_bout=float(lengths.mean()),
        inverse_mean=1 / float(lengths.mean()),
        hazard=float((ended / at_risk).mean()),
        median_bout=float(np.median(lengths)),
        mean_bout_km=mean_km,
        median_bout_km=median_km,
        reason=reason if restricted else "",
    )
    if n == 1:
        return found._replace(reason="one bout: no spread of lengths to describe")
    rank = 2 * np.arange(1, n + 1) - n - 1
    return found._replace(
        gini=float((rank * lengths).sum() / (n * lengths.sum()) * n / (n - 1)),
        alpha=float(1 + n / np.log(lengths / (lengths[0] - 0.5)).sum()),
    )


def _kaplan_meier(lengths: Floats, cut: Bools) -> tuple[float, float, bool]:
    """Return mean and median length (Kaplan & Meier 1958), and whether the mean is restricted.

    For a bout that was seen for k epochs and then cut off, it is not known whether it ended after
    epoch k, so it is at risk until shortly before.
    """
    seen = np.where(cut, lengths - 0.5, lengths)
    lasting = scipy.stats.ecdf(scipy.stats.CensoredData.right_censored(seen, cut)).sf
    at, share = lasting.quantiles, lasting.probabilities
    mean = float((np.append(1.0, share[:-1]) * np.diff(at, prepend=0.0)).sum())
    half = np.flatnonzero(share <= HALF)
    return mean, float(at[half[0]]) if half.size else float("nan"), bool(share[-1] > ROUNDING)


@takes_tables
def activity_bouts(
    series: pd.Series | pd.DataFrame,
    column: str | pd.Series | None = None,
    *,
    threshold: float,
    min_length: str = "10min",
    share: float = 0.8,
    limits: Limits | None = None,
    interval: str | None = None,
) -> pd.DataFrame:
    """List the stretches in which a series stays at or above a threshold for most of the time.

    From the first epoch on, each bout is the longest stretch without a gap that begins and ends at
    or above `threshold`, stays there for at least `share` of its epochs, and lasts `min_length`.

    Parameters
    ----------
    series : Series or DataFrame
        Numbers per epoch; aware, sorted stamps; or a table that has them as a column. A missing
        value counts as a gap.
    column : str or Series, optional
        The column of a DataFrame, or values of its rows, such as ``masked["stp"] > 0``.
    threshold : float
        The value to reach, in the unit of the series.
    min_length : str
        Shortest bout, as a pandas duration.
    share : float
        Share of epochs at or above the threshold, in (0, 1].
    limits, interval : optional
        As in `eyelog.rhythm.most_active`.

    Returns
    -------
    DataFrame
        One row per bout: ``start`` and ``end`` (aware; the start is where the first epoch opens,
        the end where the last one closes), ``duration_min``, ``n`` (epochs), ``share``, ``mean``
        and ``max`` of the values, and boolean ``censored``: a gap, or an end of the record, lies
        right before or after it, so it may have lasted longer. Of a table with ``utc_offset_min``
        also that column: the wearer's clock where the bout begins, in minutes east of UTC.

    Raises
    ------
    ConfigurationError
        As `eyelog.rhythm.most_active`, or if `share` or `min_length` is not valid.

    Notes
    -----
    The allowance for drops is that used for bouts of moderate activity in accelerometry (Troiano et
    al. 2008 allow 2 of 10 minutes below the cut-point).

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> minutes = pd.date_range("2026-10-19", periods=12, freq="min", tz="UTC")
    >>> pace = pd.Series([0, 110, 112, 0, 115, 111, 0, 0, 0, 0, 120, 0.0], index=minutes)
    >>> el.rhythm.activity_bouts(pace, threshold=100, min_length="5min")[["n", "share"]]
       n  share
    0  5    0.8
    """
    rows = rows_of(series, column, "activity_bouts", limits, interval)
    shortest = duration_us(min_length, "min_length", sign="positive")
    if not 0 < number(share, "share") <= 1:
        raise ConfigurationError(f"share must be above 0 and at most 1, not {share!r}")
    least, values, step = number(threshold, "threshold"), rows.values, rows.step_us
    firsts, lasts = runs(np.isfinite(values), rows.us, step)
    # A single stamp has no known length, so it cannot be a bout.
    need = -(-shortest // step) if step else len(values) + 1
    found = [
        (low + first, low + last, first == 0 or high == low + last)
        for low, high in zip(firsts.tolist(), lasts.tolist(), strict=True)
        for first, last in _stretches(values[low : high + 1] >= least, share, int(need))
    ]
    first, last, cut = np.array(found, dtype=np.int64).reshape(-1, 3).T
    parts = [values[i : j + 1] for i, j in zip(first, last, strict=True)]
    table = pd.DataFrame(
        {
            "start": stamps_at(rows.opens_us[first], rows.index.tz),
            "end": stamps_at(rows.closes_us[last], rows.index.tz),
            "duration_min": (last - first + 1) * step / 60e6,
            "n": last - first + 1,
            "share": np.array([(part >= threshold).mean() for part in parts], dtype=np.float64),
            "mean": np.array([part.mean() for part in parts], dtype=np.float64),
            "max": np.array([part.max() for part in parts], dtype=np.float64),
            "censored": cut == 1,
        }
    )
    if isinstance(series, pd.DataFrame) and OFFSET in series.columns:
        table[OFFSET] = rows.clock.offset_min(rows.opens_us[first])
    return table


def _stretches(on: npt.NDArray[np.bool_], share: float, need: int) -> list[tuple[int, int]]:
    """Return (first, last) of the longest stretches from the left that keep the share."""
    stretches: list[tuple[int, int]] = []
    if len(on) < need:
        return stretches
    # A stretch [i, j) keeps the share if its running surplus does not fall below its start. Whole
    # units of 1e-9 keep 0.8 of 10 from failing by rounding.
    surplus = np.r_[0, np.cumsum(np.where(on, 10**9, 0) - round(share * 10**9))]
    best_after = np.maximum.accumulate(surplus[::-1])[::-1]
    descending = -best_after
    first = 0
    for start in np.flatnonzero(on).tolist():
        if start < first:
            continue
        end = int(np.searchsorted(descending, -surplus[start], side="right")) - 1
        while end > start and not on[end - 1]:
            end -= 1
        if end - start >= need:
            stretches.append((start, end - 1))
            first = end
    return stretches
