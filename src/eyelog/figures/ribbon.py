"""The ribbon of states: the state of the eyewear, in colours averaged over the time of one column.

A column of a ribbon shows more than one record as soon as the range is long. Its colour is then
the mean of the colours of its states, weighted by time, as a distant eye would mix them: in linear
light. Its opacity is the share of its time for which there are records; the hatching of no record
shows through.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle, StepPatch

from eyelog.clock import DAY_US, LocalClock, local_days, microseconds, time_of_day_us
from eyelog.errors import ConfigurationError
from eyelog.figures.axes import key, labelled, once
from eyelog.figures.style import COLOURS, HATCH
from eyelog.figures.tables import log_or_none, require_order, row_seconds, stamps
from eyelog.frame import clock_of, history
from eyelog.judge.arrays import Floats, Ints, follows
from eyelog.judge.flag import states as states_of
from eyelog.judge.limits import Limits
from eyelog.judge.records import STATES

UNKNOWN: Final = "not known"
NAMES: Final = (*STATES, UNKNOWN)

# What is drawn over the states whose greys are too similar, for print without colour
PATTERNS: Final = {"noisy": "." * 6, "off pose": "x" * 5}

LEAST_MIN: Final = 6  # half a millimetre in two columns of a journal
# The columns of a day: one per minute
DAY_SHARES: Final = 1440


def require_states(states: object, *, what: str) -> pd.Series:
    """Return the states, or raise `ConfigurationError` if something else was passed."""
    if isinstance(states, pd.Series) and isinstance(states.dtype, pd.CategoricalDtype):
        unknown = [name for name in states.cat.categories if name not in STATES]
        if not unknown:
            return states
        raise ConfigurationError(
            f"{what} cannot draw the state {unknown[0]!r}: pass eyelog.states(frame)"
        )
    raise ConfigurationError(
        f"{what} takes the states of eyelog.states, not {type(states).__name__}: pass"
        " eyelog.states(frame)"
    )


class Judged(NamedTuple):
    """States by their stamps, and what they say of time."""

    states: pd.Series
    stamps: pd.DatetimeIndex
    codes: Ints
    """The place of each in `NAMES`."""
    clock: LocalClock
    seconds: float
    """How long one lasts."""

    def of_rows(self, chosen: Any) -> "Judged":
        """Return some of the rows."""
        parts = (self.states[chosen], self.stamps[chosen], self.codes[chosen])
        return Judged(*parts, self.clock, self.seconds)


def judged(
    states: pd.Series | pd.DataFrame,
    *,
    limits: Limits | None = None,
    day_starts: str | None = None,
    clock: LocalClock | None = None,
    seconds: float | None = None,
    what: str,
) -> Judged:
    """Return the states of a frame, or those that were passed, as far as their clock is known.

    Those of several wearers are indexed by account and stamp.
    """
    if isinstance(states, pd.DataFrame):
        seconds, clock = row_seconds(states, log_or_none(states)), clock_of(states)
        states = states_of(states, limits=limits)
    elif limits is not None:
        raise ConfigurationError(
            f"{what} judges a frame by limits=, and these are states: pass the frame, or"
            " eyelog.states(frame, limits=limits)"
        )
    states = require_states(states, what=what)
    if clock is None and any(step.get("zones_vary") for step in history(states)):
        raise ConfigurationError(
            f"{what} needs the wearer's clock, and states do not hold it where the zone varies:"
            " pass the frame itself"
        )
    index, one = states.index, states
    if isinstance(index, pd.MultiIndex):
        if index.nlevels != 2:
            raise ConfigurationError(
                f"{what} takes states by stamp, or by account and stamp:"
                ' pd.concat({"anna": states}, names=["account"])'
            )
        one, index = states.xs(index[0][0], level=0), index.get_level_values(1)
    index = stamps(index, what=what)
    if one is states:
        require_order(index, what=what, name="states")
    clock = (clock or LocalClock(index.tz)).set_back(day_starts, np.sort(microseconds(index)))
    seconds = row_seconds(one, None) if seconds is None else seconds
    if seconds > 60.0:
        raise ConfigurationError(
            f"{what} draws states of a minute at most, and these last {seconds:g} s"
        )
    return Judged(states, index, state_codes(states), clock, seconds)


def state_codes(states: pd.Series) -> Ints:
    """Return the place of each row's state in `NAMES`; a missing state counts as not known."""
    places = np.array([*map(STATES.index, states.cat.categories), len(STATES)], dtype=np.int64)
    return places[states.cat.codes.to_numpy()]


def row_starts(us: Ints, seconds: float) -> Ints:
    """Return the beginning of each row's time, in microseconds: the end of the row before.

    Stamps drift, so successive rows are assumed to touch unless there is a real gap between them.
    """
    length = int(seconds * 1e6)
    starts = us - length
    if len(us) > 1:
        starts[1:] = np.where(follows(us, length), us[:-1], starts[1:])
    return starts


def day_shares(judged: Judged, rows: Ints, n_rows: int, *, column_min: int = 1) -> Floats:
    """Return the share of each minute of each day, or of each few, that each state took.

    Parameters
    ----------
    judged : Judged
        The states, in order within a wearer.
    rows : array of int
        The row of the figure (wearer and day) of each record.
    n_rows : int
        How many rows the figure has.
    column_min : int
        How many minutes a column has.

    Returns
    -------
    array
        Of shape (n_rows, columns, states): the shares of a column add up to its recorded share. In
        time that the clock shows twice it is the mean of both passes.
    """
    _, index, codes, clock, seconds = judged
    us = index.as_unit("us").asi8
    # Stamps go back at the start of another wearer's rows, which do not continue the rows before.
    starts = np.where(
        np.diff(us, prepend=us[:1]) < 0, us - int(seconds * 1e6), row_starts(us, seconds)
    )
    column_us = DAY_US // DAY_SHARES
    end = time_of_day_us(index, clock=clock)
    start = np.maximum(end - np.minimum(us - starts, column_us), 0)
    last = (end - 1) // column_us
    first = np.minimum(start // column_us, last)
    shape = (n_rows, DAY_SHARES, len(NAMES))
    border = last * column_us
    out = np.zeros(shape[0] * shape[1] * shape[2])
    for column, spent in (
        (last, end - np.maximum(start, border)),
        (first, np.where(first < last, border - start, 0)),
    ):
        place = (rows * DAY_SHARES + column) * len(NAMES) + codes
        out += np.bincount(place, weights=spent / column_us, minlength=len(out))
    shares = out.reshape(shape)
    total = shares.sum(axis=2, keepdims=True)
    np.divide(shares, total, out=shares, where=total > 1)
    if column_min == 1:
        return shares
    columns: Floats = shares.reshape(n_rows, -1, column_min, len(NAMES)).mean(axis=2)
    return columns


def shares_of_days(
    judged: Judged, days: pd.DatetimeIndex, *, column_min: int = 1, what: str
) -> Floats:
    """Return `day_shares` of some dates, in order, or raise if `what` has no states of them."""
    rows = days.get_indexer(local_days(judged.stamps, clock=judged.clock))
    mine = rows >= 0
    if not mine.any():
        first, last = judged.stamps[0], judged.stamps[-1]
        raise ConfigurationError(
            f"{what} has states from {first:%Y-%m-%d} to {last:%Y-%m-%d}, and none from"
            f" {days[0]:%Y-%m-%d} to {days[-1]:%Y-%m-%d}: pass those of the same records"
        )
    return day_shares(judged.of_rows(mine), rows[mine], len(days), column_min=column_min)


def widened(shares: Floats) -> tuple[Floats, str]:
    """Return `day_shares` in which records by themselves are wide enough to be seen, and a note.

    A run of fewer minutes than `LEAST_MIN`, with none next to it, would be a hair or a shimmer: it
    takes as many from its beginning, at full opacity, as far as they are free. The note says so
    where it happens.
    """
    recorded = np.asarray(shares.any(axis=2))
    edges = np.diff(recorded.astype(np.int8), axis=1, prepend=0, append=0)
    rows, firsts = np.nonzero(edges == 1)
    ends = np.nonzero(edges == -1)[1]
    short = np.flatnonzero(ends - firsts < LEAST_MIN)
    if not short.size:
        return shares, ""
    shares = shares.copy()
    for row, first, end in zip(rows[short], firsts[short], ends[short], strict=True):
        follows = np.flatnonzero(recorded[row, end : first + LEAST_MIN])
        until = end + follows[0] if follows.size else first + LEAST_MIN
        mean = shares[row, first:end].sum(axis=0)
        shares[row, first:until] = mean / mean.sum()
    return shares, f"Records by themselves are {LEAST_MIN} min wide"


def time_shares(
    us: Ints, codes: Ints, seconds: float, edges: Ints, *, n: int = len(NAMES)
) -> Floats:
    """Return the share of the time between neighbouring edges that each state took.

    Parameters
    ----------
    us : array of int64
        Sorted stamps in microseconds.
    codes : array of int
        The state of each row, of `state_codes`.
    seconds : float
        How long a record lasts.
    edges : array of int64
        Sorted edges of the columns in microseconds.
    n : int
        How many states there are.

    Returns
    -------
    array
        Of shape (columns, states).
    """
    out = np.zeros((len(edges) - 1, n))
    starts = row_starts(us, seconds)
    for code in np.unique(codes):
        chosen = codes == code
        knots = np.stack([starts[chosen], us[chosen]], axis=1).ravel()
        spent = np.zeros(len(knots))
        spent[1::2] = us[chosen] - starts[chosen]
        out[:, code] = np.diff(np.interp(edges, knots, np.cumsum(spent))) / np.diff(edges)
    return out


def colours(shares: Floats, names: Sequence[str] = NAMES) -> Floats:
    """Return the colour (RGBA) of each column: the mean of its states; see the module."""
    linear = np.array([to_rgb(COLOURS[name]) for name in names]) ** 2.2
    total = shares.sum(axis=-1, keepdims=True)
    mixed = shares @ linear
    mean = np.divide(mixed, total, out=np.ones_like(mixed), where=total > 0)
    opacity = np.clip(total, 0, 1)
    return np.concatenate([np.clip(mean, 0, 1) ** (1 / 2.2), opacity], axis=-1)


def stack(ax: Axes, shares: Floats, names: Sequence[str], edges: Floats) -> None:
    """Draw the shares of each column stacked, within the limits that the Axes will be given.

    The label of each patch is its state, once on each Axes.
    """
    tops = np.cumsum(shares, axis=1)
    for code, name in enumerate(names):
        if shares[:, code].any():
            feet = tops[:, code] - shares[:, code]
            own = np.where(shares[:, code] > 0, tops[:, code], np.nan)  # no outline of nothing
            steps = StepPatch(own, edges, baseline=cast(Any, feet), linewidth=0)
            steps.set(color=COLOURS[name], zorder=1, label=once(ax, name))
            # Not Axes.stairs, which looks for the limits in each of its thousands of corners.
            ax.add_artist(steps)


def hatched(ax: Axes, low: float, high: float, *, left: float, right: float) -> None:
    """Draw the background of a ribbon, hatched to show where there are no records."""
    look: dict[str, Any] = {"facecolor": COLOURS["no record"], "edgecolor": COLOURS["hatch"]}
    look |= {"hatch": HATCH, "linewidth": 0, "zorder": 0.5, "label": once(ax, "no record")}
    ax.add_patch(Rectangle((left, low), right - left, high - low, **look))


def patterned(ax: Axes, shares: Floats, rows: Sequence[int] | Ints) -> None:
    """Draw the patterns of states over rows of `day_shares`, where a state has most of its time.

    Parameters
    ----------
    ax : Axes
        The Axes with the ribbon, whose x is in hours.
    shares : array
        Of shape (rows, 1440, states).
    rows : sequence of int
        The place along y of each row.
    """
    most = np.where(shares.any(axis=2), shares.argmax(axis=2), -1)
    for name, pattern in PATTERNS.items():
        edges = np.diff(most == NAMES.index(name), axis=1, prepend=False, append=False)
        for row, changes in zip(rows, edges, strict=True):
            hours = np.flatnonzero(changes).reshape(-1, 2) * 24.0 / DAY_SHARES
            if not len(hours):
                continue
            spans = np.column_stack([hours[:, 0], np.diff(hours)[:, 0]])
            over = ax.broken_barh(spans.tolist(), (row - 0.5, 1.0), facecolor="none", zorder=1.5)
            over.set(hatch=pattern, edgecolor="white", linewidth=0.0)


def explain(ax: Axes, codes: Sequence[int] | Ints, *, patterns: bool = False) -> None:
    """Give every state an entry in the legend, and "not known" if it occurs."""
    occurs = len(STATES) in np.unique(codes)
    for name in (*STATES, *([UNKNOWN] if occurs else [])):
        if name not in labelled([ax]):
            key(ax, name)
        if patterns and name in PATTERNS:
            labelled([ax])[name].set(hatch=PATTERNS[name], edgecolor="white", linewidth=0.0)


def image(ax: Axes, rgba: Any, extent: tuple[float, float, float, float]) -> None:
    """Draw a ribbon's colours; parts too narrow to be seen are averaged, never left out."""
    look: dict[str, Any] = {"aspect": "auto", "interpolation": "antialiased", "zorder": 1}
    ax.imshow(rgba, extent=extent, interpolation_stage="rgba", **look)
