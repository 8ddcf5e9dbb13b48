"""The 20 Hz log: its single blinks, steps and movements, its angles, and records of 15 s."""

from itertools import pairwise
from typing import Any, Final, Literal, cast

import numpy as np
import pandas as pd
import scipy

from eyelog.catalogue import COMPUTED_DATA, CURRENT_DATA, catalogue, log_named, role_field
from eyelog.checks import one_of
from eyelog.clock import stamps_at
from eyelog.errors import ConfigurationError
from eyelog.frame import OFFSET, derived, require, takes_tables
from eyelog.judge import packets
from eyelog.judge.arrays import Bools, Floats, Ints, difference, numbers
from eyelog.judge.intervals import LONGEST, Groups, Rows, enter, sums
from eyelog.judge.limits import Limits, limit
from eyelog.judge.reasons import WORDS, Reason
from eyelog.judge.records import Records
from eyelog.judge.terms import Counted, ratio
from eyelog.measure.groups import STATISTICS, evaluate

ANGLES: Final = ("roll", "pitch", "yaw")  # the roles of the catalogue
# What a hump is (vendor documentation, motion-tracking-howto).
HUMP_DEG: Final = 0.4  # one packet moves by more than this,
QUIET_DEG: Final = 0.35  # while the packets before and after it move by less than this
STRETCHES: Final = 200  # of a connection, for its drift


@takes_tables
def events(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return the single blinks of the 20 Hz log, one row each.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``blinkSpeed`` and ``blinkStrength``, as it
        was read: what `eyelog.mask` removed cannot be listed.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row that reports the blink, about half a second after it.
        Float64 ``strength`` (uV-equiv) and ``closed_ms`` (how long the eye was closed); boolean
        ``counted``: whether the blink counts, which ``reason`` explains if not (``""`` otherwise).
        Float64 ``interval_s``: the time since the counted blink before; missing for blinks that do
        not count, and if a blink may have been missed within it. ``between`` says why: ``"noisy"``,
        ``"walking"``, ``"not worn"``, ``"no value"``, ``"packets lost"``, ``"a new connection"`` or
        ``"no blink before"``.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    A blink counts if it is within the limits of the 15-second log (strength 35 to 250, closed for
    90 to 250 ms; vendor documentation, data_es), the eyewear is worn, there is no noise, and the
    wearer is not walking. Noise counts for a second after its flag, a step from 0.25 s before its
    flag to 1 s after it, and unworn time for the 5 s before its flag.

    The device reports a blink about 0.5 s after it occurs (vendor documentation,
    external_integration). It finds more than 95 % of the blinks of a wearer at rest. Vertical eye
    movements share its channel.

    Examples
    --------
    >>> import pandas as pd, eyelog as el
    >>> stamps = pd.date_range("2026-10-24 10:00", periods=200, freq="50ms", tz="UTC", name="date")
    >>> frame = pd.DataFrame({"blinkStrength": 0.0, "blinkSpeed": 0.0, "fitError": 0.0}, stamps)
    >>> frame["noiseStatus"] = frame["walking"] = pd.array([False] * 200, dtype="boolean")
    >>> frame.iloc[[20, 110], [0, 1]] = 80.0, 120.0
    >>> el.blinks.events(frame)["interval_s"].tolist()
    [nan, 4.5]
    """
    instead = "holds counts and averages, so pass it to blinks.rate"
    rows, records = packets_of(
        frame, "blinks.events", packets.SINGLE, instead, packets.UNUSABLE, limits=limits, log=log
    )
    found = packets.single_blinks(records)
    names = [records.name(part) for part in packets.SINGLE]
    strength, closed_ms = (numbers(records.columns[name], name)[found.rows] for name in names)
    data = {
        "strength": strength,
        "closed_ms": closed_ms,
        "counted": found.counted,
        "reason": found.reason,
        "interval_s": found.since_s,
        "between": found.between,
    }
    return _table(rows, data, found.rows)


@takes_tables
def steps(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return the single steps of the 20 Hz log, one row each.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``walking``, as it was read: what
        `eyelog.mask` removed cannot be listed.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row that reports the step, 0.15 to 0.25 s after the foot
        has landed. Boolean ``counted`` and string ``reason`` (``"not worn"`` if the step does not
        count, otherwise empty). Float64 ``step_time_s``: the time since the counted step before, in
        whole packets of 0.05 s; missing where it is not that of one step, and ``between`` says why:
        ``"a pause"`` (longer than a second), ``"packets lost"``, ``"not worn"``, ``"a new
        connection"`` or ``"no step before"``.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    The longest time of a step is that of the vendor's slowest class, 1000 ms (vendor documentation,
    summarize_data). The lag is documented too (data_es), and differs from step to step, so that a
    single step time is uncertain by 0.1 s; its mean over many steps is not.
    `eyelog.gait.step_time`, `eyelog.gait.pace` and `eyelog.gait.bouts` take the frame itself.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data")
    >>> found = el.gait.steps(frame)
    >>> bool((found["step_time_s"].dropna() <= 1).all())
    True
    """
    instead = "counts steps, so pass it to gait.pace"
    rows, records = packets_of(
        frame, "gait.steps", ("step_event",), instead, packets.UNUSABLE[:1], limits=limits, log=log
    )
    events = packets.single_steps(records)
    data = {
        "counted": events.counted,
        "reason": events.reason,
        "step_time_s": events.since_s,
        "between": events.between,
    }
    return _table(rows, data, events.rows)


@takes_tables
def moves(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return the single eye movements of the 20 Hz log, one row each.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``eyeMoveUp``, ``eyeMoveDown``,
        ``eyeMoveLeft``, ``eyeMoveRight``, ``blinkStrength`` and ``blinkSpeed``, as it was read:
        what `eyelog.mask` removed cannot be listed.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row that reports the movement; a row may report one
        sideways and one vertical movement, so a stamp may occur twice. String ``direction``
        (``up``, ``down``, ``left`` or ``right``), float64 ``size`` (1 weakest to 7 strongest; the
        vendor gives no degrees), boolean ``counted``, and string ``reason``: why the movement does
        not count (``"not worn"``, ``"noisy"``, ``"walking"`` or ``"near a blink"``), otherwise
        empty.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    Vertical movements share their channel with blinks, so they do not count within 0.5 s of one in
    usable time (vendor documentation, data_es). Slow pursuit is not detected at all. Noise counts
    for a second after its flag, a step from 0.25 s before its flag to 1 s after it, and unworn time
    for the 5 s before its flag.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:12_000]
    >>> found = el.eyes.moves(frame)
    >>> sorted(found["direction"].unique())
    ['down', 'left', 'right', 'up']
    """
    ways = [f"eye_{way}" for way in packets.DIRECTIONS]
    parts = (*ways, *packets.SINGLE)
    instead = "counts eye movements, which daily sums up"
    rows, records = packets_of(
        frame, "eyes.moves", parts, instead, packets.UNUSABLE, limits=limits, log=log
    )
    sizes = np.column_stack([cast(Floats, records.evidence(way)) for way in ways])
    at, way = np.nonzero(sizes > 0)
    vertical = np.isin(way, [packets.DIRECTIONS.index("up"), packets.DIRECTIONS.index("down")])
    words = _against(records, packets.UNUSABLE, at) | {
        "near a blink": packets.near_blink(records)[at] & vertical
    }
    reason = packets.first_word(words, len(at))
    ways_of = np.array(packets.DIRECTIONS, dtype=object)[way]
    data = {"direction": ways_of, "size": sizes[at, way], "counted": reason == "", "reason": reason}
    return _table(rows, data, at)


@takes_tables
def turns(
    frame: pd.DataFrame,
    *,
    method: Literal["angles", "peaks"] = "angles",
    limits: Limits | None = None,
    log: str | None = None,
) -> pd.DataFrame:
    """Return the single movements of the head, one row each.

    A movement goes one way: a nod down and up again is two movements.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``pitch`` and ``yaw``, or, for
        ``method="peaks"``, ``accX`` and ``accZ``; as it was read: what `eyelog.mask` removed cannot
        be listed.
    method : {"angles", "peaks"}
        Find movements in the corrected angles, or as peaks of the acceleration, which the vendor
        counts (see Notes).
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Index ``date``: the stamp of the row in which the movement is fastest (two rows may have one
        stamp, if the head moves about both axes). String ``axis`` (``pitch``: a nod; ``yaw``: a
        turn), float64 ``size_deg`` (with its sign; missing for peaks) and ``peak_g`` (with its
        sign; missing for angles), float64 ``duration_s``, boolean ``counted`` and string ``reason``
        (why it does not count: ``"not worn"``, or, for peaks, ``"walking"``, since steps shake the
        head; otherwise empty).

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid, the frame is not one of the 20 Hz log, is resampled, or holds
        the records of several devices.

    Notes
    -----
    ``"angles"``: a run of packets in which the corrected angle (`eyelog.posture.angles`), averaged
    over three packets, moves in one direction by at least 20 degrees per second, and by at least 5
    degrees in all. Both are choices of eyelog. Lost packets within it do not end it.

    ``"peaks"``: two packets or more in which the acceleration (vertical for nods, sideways for
    turns) leaves its median of the 0.5 s around by 0.07 to 0.3 G (vendor documentation, feature);
    above that it is a step or a knock. One unit of acceleration is 0.06 G, so peaks are less
    certain: of the movements planted in a simulated day the angles find 99.9 % and the peaks 97 %
    of the nods and 99 % of the turns (a peak for each pair, there and back).

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:24_000]
    >>> found = el.posture.turns(frame)
    >>> bool((found["size_deg"].abs() >= 5).all())
    True
    """
    one_of(method, "method", ("angles", "peaks"))
    by_angle = method == "angles"
    parts = tuple(packets.AXES) if by_angle else tuple(packets.AXES.values())
    against = (Reason.UNWORN,) if by_angle else (Reason.UNWORN, Reason.MOVING)
    instead = "counts head movements, so pass it to posture.head_movements"
    rows, records = packets_of(
        frame, "posture.turns", parts, instead, against, limits=limits, log=log
    )
    found = []
    for axis in packets.AXES:
        if by_angle:
            at, size, took = _by_angle(records, axis)
        else:
            at, size, took = packets.head_peaks(records, axis)
        found.append(pd.DataFrame({"at": at, "axis": axis, "size": size, "took": took}))
    every = pd.concat(found).sort_values("at", kind="stable")
    at, size = every["at"].to_numpy(np.int64), every["size"].to_numpy(np.float64)
    reason, none = (
        packets.first_word(_against(records, against, at), len(at)),
        np.full(len(at), np.nan),
    )
    data = {
        "axis": every["axis"].to_numpy(object),
        "size_deg": size if by_angle else none,
        "peak_g": none if by_angle else size,
        "duration_s": every["took"].to_numpy(np.float64) * packets.PACKET_S,
        "counted": reason == "",
        "reason": reason,
    }
    return _table(rows, data, at, method=method)


@takes_tables
def angles(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return roll, pitch and yaw as continuous angles, corrected for drift and humps.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``) with ``roll``, ``pitch`` and ``yaw``.
    limits, log
        As in `eyelog.daily`.

    Returns
    -------
    DataFrame
        Same index; float64 ``roll_deg``, ``pitch_deg`` and ``yaw_deg``. In each connection they
        begin with the angle that the eyewear reports and continue without wraps, so they may exceed
        -180 to 180. Missing where the eyewear was not worn or reports no angle.

    Raises
    ------
    FieldError
        If the frame lacks a field it needs.
    MixedLogsError
        If the frame has fields of both logs.
    ConfigurationError
        If an argument is not valid.

    Notes
    -----
    A jump over half a turn from one packet to the next is a wrap. A single packet that moves by
    more than 0.4 degrees while its neighbours move by less than 0.35 is a hump: its movement is
    replaced by the mean of theirs (vendor documentation, motion-tracking-howto).

    Two estimates of a connection's drift are compared: the mean of the middle half of its
    velocities (over a second each), and the Theil-Sen slope through the medians of up to 200 equal
    stretches. The first is biased by slow changes of posture, the second by a lasting turn; so the
    smaller one is subtracted, and none if they differ in sign. The vendor treats any velocity that
    stays within a factor of 2 for 5 s as drift. On a simulated day this mistook slow changes of
    posture for drift, and the pitch ran away by thousands of degrees. A posture that changes at a
    constant speed for a whole connection cannot be distinguished from drift; `eyelog.posture.tilt`,
    which is taken from gravity, does not drift.

    Time is counted in packets, so late stamps do not change any velocity.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:12_000]
    >>> el.posture.angles(frame).columns.tolist()
    ['roll_deg', 'pitch_deg', 'yaw_deg']
    """
    instead = "holds averages of the tilt"
    rows, records = packets_of(
        frame, "posture.angles", ANGLES, instead, packets.UNUSABLE[:1], limits=limits, log=log
    )
    found, unworn = packets.sent(records), records.context.get(Reason.UNWORN)
    data = {}
    for axis in ANGLES:
        angle = corrected(cast(Floats, records.evidence(axis)), found)
        data[f"{axis}_deg"] = angle if unworn is None else np.where(unworn, np.nan, angle)
    return _table(rows, data, np.arange(records.size))


def packets_of(
    frame: pd.DataFrame,
    what: str,
    parts: tuple[str, ...],
    instead: str,
    against: tuple[Reason, ...],
    **options: Any,
) -> tuple[Rows, Records]:
    """Return the packets of a frame of the 20 Hz log that has the fields with these roles.

    `instead` says what to do with a frame of another log; `against` are the reasons that are
    judged, of which a warning names those without evidence.
    """
    rows = enter(frame, what, (), **options, wide=False)
    if not rows.single:
        raise ConfigurationError(
            f"{what} needs the {log_named(CURRENT_DATA).words}: the {log_named(rows.log).words}"
            f" {instead}"
        )
    require(rows.frame, [role_field(rows.log, part) for part in parts], purpose=what)
    records = rows.records
    rows.warn(also=Reason(sum(against)))
    return rows, records


def _against(records: Records, reasons: tuple[Reason, ...], at: Ints) -> dict[str, Bools]:
    return {WORDS[r]: records.context[r][at] for r in reasons if r in records.context}


def _table(rows: Rows, data: dict[str, Any], at: Ints, **details: Any) -> pd.DataFrame:
    """Return columns about some of the packets, with the step in their history."""
    dtypes = {"b": "boolean", "O": "string"}
    table = pd.DataFrame(data, index=rows.frame.index[at])
    table = table.astype({n: dtypes[d.kind] for n, d in table.dtypes.items() if d.kind in dtypes})
    details = {"limits": rows.limits.details(), **details}
    return derived(table, rows.frame, rows.what, log=rows.log, interval_s=None, **details)


def _by_angle(records: Records, axis: str) -> tuple[Ints, Floats, Ints]:
    """Return the movements about one axis, by its corrected angle: where, how far, how long."""
    found = packets.sent(records)
    path = corrected(cast(Floats, records.evidence(axis)), found)
    present = np.flatnonzero(~np.isnan(path))
    path, at = path[present], found.sent[present]
    connection = found.connection[present]
    # The velocity over three packets around each row, within its connection.
    ahead = np.minimum(np.arange(len(present)) + 1, len(present) - 1)
    behind = np.maximum(np.arange(len(present)) - 2, 0)
    spent_s = (at[ahead] - at[behind]) * packets.PACKET_S
    same = (connection[ahead] == connection[behind]) & (spent_s > 0)
    speed = np.where(same, path[ahead] - path[behind], 0.0) / np.where(same, spent_s, 1.0)
    fast = limit(records.log, "head_move_speed").keeps(np.abs(speed))
    way = np.where(fast, np.sign(speed), 0.0)
    first, last = packets.runs_of_sign(way, connection)

    def furthest(rows: Ints, beyond: tuple[int, ...], way: Floats) -> Floats:
        reached = path[rows]
        for step in beyond:
            other = np.clip(rows + step, 0, len(path) - 1)
            further = (connection[other] == connection[rows]) & (path[other] * way > reached * way)
            reached = np.where(further, path[other], reached)
        return reached

    # How far it goes between its turning points: the velocity is that of three packets, so a run
    # begins and ends within its movement.
    size = furthest(last, (1,), way[first]) - furthest(first, (-1, -2), -way[first])
    far = limit(records.log, "head_move_size").keeps(np.abs(size))
    first, last, size = first[far], last[far], size[far]
    return present[packets.highest(np.abs(speed), first, last)], size, at[last] - at[first] + 1


def corrected(angle: Floats, found: packets.Packets) -> Floats:
    """Return a continuous angle without drift and humps; missing where the angle is."""
    out = np.full(len(angle), np.nan)
    present = np.flatnonzero(~np.isnan(angle))
    if not len(present):
        return out
    raw, connection = angle[present], found.connection[present]
    opens = np.diff(connection, prepend=-1) != 0
    steps = np.where(opens, 1, np.diff(found.sent[present], prepend=0))
    move = np.where(opens, 0.0, difference(raw, np.roll(raw, 1)))
    # The movement of a hump is replaced by the mean of those around it.
    single = ~opens & (steps == 1)
    quiet = single & (np.abs(move) < QUIET_DEG)
    hump = single[1:-1] & (np.abs(move[1:-1]) > HUMP_DEG) & quiet[:-2] & quiet[2:]
    at = np.flatnonzero(hump) + 1
    move[at] = (move[at - 1] + move[at + 1]) / 2.0
    bounds = np.append(np.flatnonzero(opens), len(present))
    path = np.cumsum(move)
    for first, end in pairwise(bounds.tolist()):
        own = slice(first, end)
        since_s = (found.sent[present[own]] - found.sent[present[first]]) * packets.PACKET_S
        run = path[own] - path[first]
        out[present[own]] = raw[first] + run - _drift_per_s(run, since_s) * since_s
    return out


def _drift_per_s(run: Floats, since_s: Floats) -> float:
    """Return the drift of one connection, 0 if it shows none."""
    begin = np.searchsorted(since_s, since_s - 1.0 - packets.PACKET_S / 2)
    whole = since_s >= 1.0 - packets.PACKET_S / 2
    spent_s = (since_s - since_s[begin])[whole]
    if not len(spent_s):
        return 0.0
    velocity = (run - run[begin])[whole] / spent_s
    usual = float(scipy.stats.trim_mean(velocity, 0.25))
    stretch = np.floor(since_s * (STRETCHES / (since_s[-1] + packets.PACKET_S)))
    medians = pd.DataFrame({"run": run, "at": since_s}).groupby(stretch).median()
    slope = float(scipy.stats.theilslopes(medians["run"], medians["at"]).slope)
    return min(usual, slope, key=abs) if usual * slope > 0 else 0.0


WIDTH_US: Final = log_named(COMPUTED_DATA).interval_us


@takes_tables
def recompute(
    frame: pd.DataFrame, *, limits: Limits | None = None, log: str | None = None
) -> pd.DataFrame:
    """Return the 15-second log, recomputed from the rows of the 20 Hz log.

    The app takes statistics of blinks from a buffer of the latest events, so they repeat and lag
    behind. Here each record describes its own 15 seconds.

    Parameters
    ----------
    frame : DataFrame
        A frame of the 20 Hz log (``current_data``), as it was read: what `eyelog.mask` removed
        cannot be counted.
    limits : Limits, optional
        What counts as worn, for the intervals between blinks, see `eyelog.Limits`.
    log : str, optional
        The log, if neither provenance nor columns show it.

    Returns
    -------
    DataFrame
        A frame of the 15-second log (``computed_data``), which every function takes: index
        ``date``, the stamp that closes each record, and those of these columns for which `frame`
        has the fields: ``stp``, ``cad``, ``rbk_n``, ``bk_n``, ``bki_n``, ``bki_sum``, ``bki_av``,
        ``bkh_sum``, ``bkh_max``, ``bkh_av``, ``bkh_sd``, ``bkw_av``, ``re_u``, ``re_d``, ``re_r``,
        ``re_l``, ``tl_yav``, ``tl_ysd``, ``tl_xav``, ``tl_xsd``, ``hm_po``, ``hm_yo``, ``isl``,
        ``vld`` and ``nis_time``. `eyelog.fields` says what each is.

    Raises
    ------
    ConfigurationError
        If the log has no single events, or the frame holds the records of several devices.

    Notes
    -----
    The 15 seconds are counted from the start of each connection, one packet (50 ms) before its
    first row; what is left at its end is left out. Counts and sums are missing where more than a
    tenth of the packets of a record were lost.

    ``rbk_n`` counts every blink, ``bk_n`` those within the vendor's limits (strength 35 to 250,
    closed for 90 to 250 ms); strengths and durations are those of the latter, with the SD of all
    of them (divided by n, so that records combine to the SD of all their blinks). The intervals are
    those of `eyelog.blinks.events`, in the record in which each ends. ``cad`` is 60 / the mean
    step time; ``tl_*`` are mean and SD of the tilt from gravity (`eyelog.posture.tilt`), ``hm_*``
    the peaks of acceleration (`eyelog.posture.turns`), steps included. ``nis_time`` counts the
    rows with ``noiseStatus``; ``vld`` is true with at most 3 s of noise and at most 5 steps (vendor
    documentation, data_es); ``isl`` where more than half of the rows have ``fitError``.

    Examples
    --------
    >>> import eyelog as el
    >>> frame = el.simulate("2026-10-20", 1, log="current_data").iloc[:24_000]
    >>> made = el.recompute(frame)
    >>> made.attrs["eyelog"]["log"], bool((made["rbk_n"] >= made["bk_n"]).all())
    ('computed_data', True)
    """
    instead = "holds intervals, not single rows"
    rows, records = packets_of(
        frame, "recompute", (), instead, packets.UNUSABLE, limits=limits, log=log
    )
    # The 15 seconds are counted from the start of each connection, one packet before its first row;
    # what is left at its end is in none.
    us, opens = rows.closes_us, packets.sent(records).opens
    first = np.flatnonzero(np.append(True, opens[1:]))[: len(us)]
    last = np.append(first[1:], len(us)) - 1 if len(first) else first
    opens_us = us[first] - packets.PACKET_US
    # The last stamp may be a packet early.
    whole = (us[last] + packets.PACKET_US - opens_us) // WIDTH_US
    nth = np.arange(whole.sum()) - np.repeat(np.cumsum(whole) - whole, whole)
    closes_us = np.repeat(opens_us, whole) + (nth + 1) * WIDTH_US
    # Windows may be apart, and may overlap by less than a packet: a packet belongs to the first.
    codes = np.searchsorted(closes_us, us)
    inside = codes < len(closes_us)
    inside[inside] &= us[inside] > closes_us[codes[inside]] - WIDTH_US
    codes = np.where(inside, codes, -1)
    index = stamps_at(closes_us, rows.tz).rename("date")
    records_of = Groups(index, codes, np.full(len(index), WIDTH_US / 1e6))
    total = sums(rows, records_of, [_wear, _walking, _blinks, _head, _eyes])
    if "noise_s" in total:  # stamps are uneven, so one more packet may fit into a window
        total["noise_s"] = np.minimum(total["noise_s"], WIDTH_US / 1e6)
    counts: dict[str, Any] = evaluate(STATISTICS["recompute.counts"], total)
    data = counts | evaluate(STATISTICS["recompute.values"], total)
    if "off" in total:
        off = ratio(total["off"], total["off_n"])
        data["worn"] = pd.array(off > 0.5, dtype="boolean")
        data["worn"][np.isnan(off)] = pd.NA
    if {"noise_s", "steps"} <= total.keys():
        calm = limit(COMPUTED_DATA, "noise").keeps(total["noise_s"])
        calm &= limit(records.log, "steps_of_valid").keeps(total["steps"])
        data["valid"] = pd.array(calm, dtype="boolean")
        data["valid"][np.isnan(total["noise_s"] + total["steps"])] = pd.NA
    received = np.bincount(codes[inside], minlength=len(closes_us)) * (packets.PACKET_US / WIDTH_US)
    lost = received < limit(records.log, "packets_of_interval").value
    data |= {part: np.where(lost, np.nan, values) for part, values in counts.items()}
    named = {role_field(COMPUTED_DATA, part): values for part, values in data.items()}
    fields = catalogue(COMPUTED_DATA)
    dtypes = {name: field.dtype for name, field in fields.items() if name in named}
    table = pd.DataFrame(named, index=index, columns=pd.Index(dtypes)).astype(dtypes)
    if OFFSET in rows.frame.columns:
        table[OFFSET] = rows.clock.offset_min(closes_us - 1)
    used = rows.limits.details()
    return derived(table, rows.frame, "recompute", log=COMPUTED_DATA, limits=used)


# What each packet adds to the sums of its 15 seconds.


def _wear(records: Records) -> Counted:
    made: Counted = {}
    off, noisy = records.evidence("worn"), records.evidence("noise_flag")
    if off is not None:
        made |= {"off": off, "off_n": (~np.isnan(off),)}
    if noisy is not None:
        made["noise_s"] = (~np.isnan(noisy), noisy > 0, records.length_s)
    return made


def _walking(records: Records) -> Counted:
    flags = records.evidence("step_event")
    if flags is None:
        return {}
    events, time_s = packets.single_steps(records), np.full(records.size, np.nan)
    time_s[events.rows] = events.since_s
    steps = (~np.isnan(flags), flags > 0)
    return {"steps": steps, "step_s": time_s, "step_n": (~np.isnan(time_s),)}


def _blinks(records: Records) -> Counted:
    strength, closed_ms = map(records.evidence, packets.SINGLE)
    if strength is None or closed_ms is None:
        return {}
    known, events = ~np.isnan(strength + closed_ms), packets.single_blinks(records)
    kept = packets.counts_as_blink(strength, closed_ms) & known
    interval_s = np.full(records.size, np.nan)
    interval_s[events.rows] = events.since_s
    return {
        "blinks_all": (known, (strength > 0) | (closed_ms > 0)),
        "blink_count": (known, kept),
        "gap_count": (known, ~np.isnan(interval_s)),
        "gap_total": (known, np.nan_to_num(interval_s)),
        "blink_strength_total": (known, np.where(kept, strength, 0.0)),
        "strength_sum2": (kept, strength, strength),
        f"{LONGEST}strength": (kept, strength),
        "closed_ms": (kept, closed_ms),
    }


def _head(records: Records) -> Counted:
    forces = [force for part in packets.GRAVITY if (force := records.evidence(part)) is not None]
    if len(forces) < len(packets.GRAVITY):
        return {}
    made, known = packets.tilt(records, forces), ~np.isnan(forces[0] + forces[2])
    for axis in packets.AXES:
        moved = np.zeros(records.size, dtype=bool)
        moved[packets.head_peaks(records, axis)[0]] = True
        made[f"head_moves_{axis}"] = (known, moved)
    return made


def _eyes(records: Records) -> Counted:
    sizes = {f"eye_{way}": records.evidence(f"eye_{way}") for way in packets.DIRECTIONS}
    return {n: (~np.isnan(size), size > 0) for n, size in sizes.items() if size is not None}
