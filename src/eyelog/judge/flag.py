"""Which values can be trusted, and why the others cannot.

`flag` gives the reasons against each value, `mask` replaces the flagged values with missing ones,
`explain` counts them, and `states` gives the state of the eyewear in each row. Nothing is dropped:
rows stay. What a masked frame was masked with stands in its columns, so that it gives the same
hours wherever it has been stored.
"""

from functools import partial
from typing import Any, Final

import numpy as np
import pandas as pd

from eyelog.catalogue import role
from eyelog.cores import on_cores
from eyelog.errors import ConfigurationError
from eyelog.frame import (
    LIMITS,
    OFFSET,
    SECONDS,
    STATE,
    STORED,
    derived,
    history,
    require,
    require_frame,
    stated_log,
    takes_tables,
)
from eyelog.judge.intervals import Rows, enter
from eyelog.judge.limits import Limits, limits_column
from eyelog.judge.reasons import CONTEXT, Reason
from eyelog.judge.records import KINDS, Bits

OF_CONTEXT: Final = np.uint16(sum(CONTEXT))
OF_STATES: Final = Reason(sum(CONTEXT)) & ~Reason.STILL


@takes_tables
def flag(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Flag every value with the reasons against it.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`. Default: the
        documented limits.
    log : str, optional
        The log, if neither provenance nor columns show it.

    Returns
    -------
    DataFrame of uint16
        Same index and columns; each value is a sum of `Reason` bits, 0 if there is no reason
        against it. The provenance records the limits and, as ``unchecked``, the reasons that could
        not be judged because their evidence is not in the frame: an unchecked value is neither good
        nor bad.

    Raises
    ------
    ConfigurationError
        If a numeric column holds text, the log cannot be determined, the records overlap (two
        sources), or the frame was masked with other limits.
    MixedLogsError
        If the frame has fields of both logs.

    Warns
    -----
    EyelogWarning
        If the evidence for a reason is not in the frame: once per call, with the fields to add
        (``eyelog.fields(log, of="daily")`` lists them). Every summary that judges warns too.

    Notes
    -----
    The limits are the vendor's documented ones. At exactly 3 s of noise the vendor's English and
    Japanese texts differ on ``vld``; the eyewear's own verdict (INVALID) then decides.

    The blink statistics come from a buffer of recent blinks. If their count is 0 and the value
    equals the one before (or, at the start of such a run, the one after), the value is an old one
    from the buffer: STALE. Gaps in time do not empty the buffer, so they do not end a run; a
    missing value does. A total of 0 is a measurement and never stale.

    The reasons from the context (worn, walking, noise, tilt) are set together with MISSING too:
    they may be why the value is missing. In a frame that was masked before, they are those that its
    column ``state`` shows.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample("standard_mode_logs")
    >>> reasons = el.flag(frame)
    >>> reasons.shape == frame.shape, str(reasons["lc_bk_n"].dtype)
    (True, 'uint16')
    """
    columns = getattr(frame, "columns", ())
    rows = enter(frame, "flag", (), limits=limits, log=log, wide=False, fields=columns).warn()
    table = pd.DataFrame(all_reasons(rows).T, frame.index, frame.columns, copy=False)
    details: dict[str, Any] = {"limits": rows.limits.details(), "unchecked": rows.lacking}
    return derived(table, frame, "flag", log=rows.log, **details)


def all_reasons(rows: Rows) -> Bits:
    """Return the reasons against each value, a row for each column, in the order of the frame."""
    names = rows.frame.columns
    # One row in memory per column: every column of the result is contiguous, without a copy.
    bits = np.empty((len(names), rows.size), dtype=np.uint16)

    def write(part: slice) -> None:
        records = rows.records.at(part)
        for at, name in enumerate(names):
            bits[at, part] = records.bits(name)

    if rows.single:  # neighbours are evidence too: judged once, before the parts share it
        rows.records.context  # noqa: B018
    on_cores([partial(write, part) for part in rows.parts], values=bits.size)
    if rows.order is not None:
        bits[:, rows.order] = bits.copy()
    return bits


@takes_tables
def mask(
    frame: pd.DataFrame,
    reasons: pd.DataFrame,
    *,
    allow: Reason | int | None = None,
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Mask the flagged values: replace each with a missing value.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    reasons : DataFrame of integers
        Same index and columns, as from `eyelog.flag`.
    allow : Reason, optional
        Reasons that do not mask a value. Default: ``Reason.SATURATED``, since a count at its cap
        is still a lower bound; a value of your own replaces this default.
    limits : Limits, optional
        The limits of the reasons. Default: those in the provenance of the reasons.
    log : str, optional
        The log, if neither provenance nor columns show it.

    Returns
    -------
    DataFrame
        Same index, dtypes and rows. Masked numbers become NaN, masked booleans ``<NA>``; texts
        stay. The same columns and, last, what the evidence said before it was masked, from which
        every summary takes its hours:

        - boolean ``stored``: whether the eyewear was off pose (OFF_POSE), missing for a row without
          any value. This column shows that the values have been judged;
        - category ``state``, as in `eyelog.states`, if the frame shows wear;
        - float64 ``worn_s``, ``valid_s`` and ``walking_s``: the seconds of each record that were
          worn, worn and usable at rest, and walked, those that the frame shows;
        - category ``limits``: those that are not the default ones, as JSON. A summary asks for the
          same ones, and refuses rows of several.

    Raises
    ------
    ConfigurationError
        If the reasons do not have the shape of the frame, are not integers, or do not show the
        limits they were made with; if `allow` is no reason; or if the frame has a column of its own
        with one of these names.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.sample()
    >>> clean = el.mask(frame, el.flag(frame))
    >>> bool(clean["sc_fcs"].min() >= 0), len(clean) == len(frame)
    (True, True)
    """
    require_frame(frame, what="mask", wanted="a frame and its reasons")
    if not isinstance(reasons, pd.DataFrame) or not reasons.columns.equals(frame.columns):
        raise ConfigurationError(
            "the reasons do not have the columns of the frame: type mask(frame, flag(frame))"
        )
    if not reasons.index.equals(frame.index):
        raise ConfigurationError(
            f"the reasons ({len(reasons)} rows) do not have the stamps of the frame"
            f" ({len(frame)} rows): type mask(frame, flag(frame))"
        )
    if not {dtype.kind for dtype in reasons.dtypes} <= {"i", "u"}:
        raise ConfigurationError("the reasons must be integers, as flag(frame) returns them")
    if allow is None:
        allow = Reason.SATURATED
    if not isinstance(allow, int) or isinstance(allow, bool) or not 0 <= allow < 2 * max(Reason):
        raise ConfigurationError(
            f"allow takes eyelog.Reason, such as eyelog.Reason.SATURATED | eyelog.Reason.STALE,"
            f" not {allow!r}"
        )
    steps = [step for step in history(reasons) if step["step"] == "flag"]
    if limits is None and steps:
        limits = Limits(**steps[-1]["limits"])
    log = log or stated_log(reasons)
    rows = enter(frame, "mask", (), limits=limits, log=log, wide=False)
    if limits is None and ((all_reasons(rows).T ^ reasons.to_numpy()) & OF_CONTEXT).any():
        raise ConfigurationError(
            "the reasons do not show the limits that they were made with, and those by default give"
            " others: pass limits=, the limits of flag"
        )
    table = masked(rows, reasons, ~Reason(allow), frame)
    details: dict[str, Any] = {
        "allow": [reason.name for reason in Reason if reason & allow],
        "limits": rows.limits.details(),
    }
    return derived(table, frame, "mask", log=rows.log, **details)


def masked(rows: Rows, reasons: pd.DataFrame, against: Reason, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without the values that a reason is against, and with what masking keeps."""
    bits = np.uint16(int(against) & 0xFFFF)
    names = [name for name in frame.columns if name not in (STORED, STATE, *SECONDS, LIMITS)]
    own = len(names) < len(frame.columns)
    if own and STORED not in frame.columns:
        name = next(name for name in (STATE, *SECONDS, LIMITS) if name in frame.columns)
        raise ConfigurationError(
            f"{rows.what} adds a column {name!r}, and the frame has one of its own: give it another"
            f" name, frame.rename(columns={{{name!r}: 'my_{name}'}})"
        )

    def without(name: Any) -> Any:
        column, bad = frame[name], (reasons[name].to_numpy() & bits) != 0
        if not bad.any() or isinstance(column.dtype, pd.StringDtype):
            return column
        if isinstance(column.dtype, np.dtype) and column.dtype.kind in "fiu":
            return np.where(bad, np.nan, column.to_numpy())
        return column.mask(bad)

    context = rows.records.context
    stored, recorded = context[Reason.OFF_POSE] & context["recorded"], context["recorded"]
    said: dict[str, Any] = {STORED: pd.arrays.BooleanArray(stored, ~recorded)}
    if Reason.UNWORN in context or STATE in frame.columns:
        said[STATE] = pd.Categorical.from_codes(context["state"], dtype=KINDS)
    said |= {name: context[name] for name in SECONDS if name in context}
    if rows.order is not None:
        back = np.argsort(rows.order)
        said = {name: column[back] for name, column in said.items()}
    made = on_cores([partial(without, name) for name in names], values=len(frame) * len(names))
    said[LIMITS] = limits_column(rows.limits, len(frame))
    data = dict(zip(names, made, strict=True)) | said
    return pd.DataFrame(data, index=frame.index, copy=False)


@takes_tables
def explain(reasons: pd.DataFrame) -> pd.DataFrame:
    """Return how many values of each field have each reason against them.

    Parameters
    ----------
    reasons : DataFrame of integers
        As from `eyelog.flag`.

    Returns
    -------
    DataFrame
        Index ``field``. Columns: int64 ``n`` (values judged), one int64 column per `Reason`, named
        after it (a value can have several reasons), int64 ``masked`` (values that `eyelog.mask`
        removes by default: those with any reason but SATURATED) and float64 ``masked_share`` (of
        ``n``; missing if ``n`` is 0).

    Raises
    ------
    ConfigurationError
        If the values are not the reasons of `eyelog.flag`.

    Examples
    --------
    >>> import eyelog as el
    >>> table = el.explain(el.flag(el.sample()))
    >>> bool(table.loc["sc_fcs", "SENTINEL"] > 0), int(table.loc["isl", "UNWORN"])
    (True, 0)
    """
    require_frame(reasons, what="explain", wanted="a table of reasons")
    if not {dtype.kind for dtype in reasons.dtypes} <= {"i", "u"}:
        raise ConfigurationError(
            "explain takes a table of reasons, which are integers, not values: type"
            " explain(flag(frame))"
        )
    codes = np.arange(2 * max(Reason))
    carries = {str(reason.name): (codes & reason) != 0 for reason in Reason}
    lost = (codes & ~int(Reason.SATURATED)) != 0
    n = len(reasons)
    rows = []
    for i in range(reasons.shape[1]):
        values = reasons.iloc[:, i].to_numpy()
        if n and not 0 <= values.min() <= values.max() < len(codes):
            raise ConfigurationError(
                f"column {reasons.columns[i]!r} holds numbers that are not reasons: type"
                " explain(flag(frame))"
            )
        counts = np.bincount(values, minlength=len(codes))
        row = {"n": n} | {name: int(counts[c].sum()) for name, c in carries.items()}
        rows.append(row | {"masked": int(counts[lost].sum())})
    columns = ["n", *carries, "masked"]
    table = pd.DataFrame(rows, index=pd.Index(reasons.columns, name="field"), columns=columns)
    table = table.astype("int64")
    table["masked_share"] = table["masked"] / n if n else np.nan
    return derived(table, reasons, "explain")


@takes_tables
def states(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.Series:
    """Return the state of the eyewear in each row.

    Parameters
    ----------
    frame : DataFrame
        A frame of one log.
    limits : Limits, optional
        What counts as worn, noisy, walking and in pose, see `eyelog.Limits`.
    log : str, optional
        The log, if neither the provenance nor the columns show it.

    Returns
    -------
    Series of category
        Same index, named ``state``. The first of these that holds: ``not worn``; ``off pose`` (the
        tilt of stored eyewear); ``walking``; ``noisy`` (too many seconds of noise, or, in the
        15-second log, not valid by the eyewear's own verdict); otherwise ``usable``. The categories
        are ordered from ``usable`` to ``not worn``. Missing if the evidence is missing, as in a
        record without values. Time without records has no row.

    Raises
    ------
    ConfigurationError
        If the frame holds no records, they overlap (two sources), it was masked with other limits,
        or nothing shows which log it is.
    FieldError
        If the frame lacks the field that shows wear.
    MixedLogsError
        If the frame has fields of both logs.

    Warns
    -----
    EyelogWarning
        If other evidence is not in the frame: once per call, with the fields to add.

    Notes
    -----
    The usable rows are those whose worn time `eyelog.coverage` counts in ``valid_h``. A masked
    frame has the same states as the frame it was made from: they are its column ``state``.

    Examples
    --------
    >>> import eyelog as el
    >>> state = el.states(el.sample())
    >>> list(state.cat.categories)
    ['usable', 'walking', 'noisy', 'off pose', 'not worn']
    >>> bool((state == "usable").mean() > 0.3)
    True
    """
    rows = enter(frame, "states", (), limits=limits, log=log, wide=False)
    if not {STATE, STORED} <= set(frame.columns):
        require(frame, role(rows.log, "worn"), purpose="states")
    rows.warn(also=OF_STATES)
    codes = rows.records.context["state"]
    if rows.order is not None:
        codes = codes[np.argsort(rows.order)]
    kinds = pd.Categorical.from_codes(codes, dtype=KINDS)
    details: dict[str, Any] = {"limits": rows.limits.details()}
    if OFFSET in frame.columns:  # a Series has no room for the wearer's clock
        details["zones_vary"] = True
    table = pd.Series(kinds, index=frame.index, name=STATE)
    return derived(table, frame, "states", log=rows.log, **details)
