"""The 15-second and the 60-second log of a simulated day.

The phone computes the former while it is connected, the eyewear the latter, phone or no phone.
"""

from typing import Final

import numpy as np

from eyelog.wearer import draws
from eyelog.wearer.day import KINDS, Blinks, Life, Traits
from eyelog.wearer.draws import Array, Bools, Draws, Floats, Ints, Stream, onsets, running, sums


def blink_gaps(blinks: Blinks, interruptions: Ints, longest: int) -> tuple[Ints, Bools]:
    """Return the gap before each blink in tenths of a second, and whether it counts.

    A gap does not count if it is longer than `longest` or contains an interruption;
    `interruptions` are running totals over the seconds of the day.
    """
    second = (blinks.at - 1) // 10
    gap = np.diff(blinks.at, prepend=-10_000)
    unbroken = interruptions[second[1:] + 1] == interruptions[second[:-1]]
    return gap, np.append(False, unbroken)[: len(gap)] & (gap <= longest)


def mean_sd(total: Ints, square: Ints, count: Ints) -> tuple[Floats, Floats]:
    """Return mean and SD from sums, sums of squares and counts; 0 if nothing was counted.

    All numbers are whole up to the one root, so the digits are the same on every machine.
    """
    n = np.maximum(count, 1)
    return total / n, np.sqrt((n * square - total * total) / (n * n))


def stale(value: Floats, fresh: Bools, at: Ints, day: Life, leftover: float) -> Floats:
    """Return `value` if it is fresh, otherwise the last fresh value, which the buffer keeps.

    Before the first fresh value, and through the night, the buffer holds `leftover`, which remains
    from the last handling.
    """
    last = np.maximum.accumulate(np.where(fresh, np.arange(len(value)), -1))
    kept = np.where(last >= 0, value[np.maximum(last, 0)], leftover)
    return np.where((at > day.off) & ~fresh, leftover, kept)


def sway(
    d: Draws, cadence: Floats, walks: Bools, who: Traits, *, corrected: bool
) -> dict[str, Array]:
    """Return sway of the head and landing impact for each foot; 0 without walking.

    With `corrected`, also the corrected vertical sway, which only the 15-second log has.
    """
    n = len(cadence)
    pace = cadence / who.cadence
    fields: dict[str, Array] = {}
    for name, size, axis in (("sa_x", 1.9, 0), ("sa_y", 2.6, 1), ("sa_z", 3.4, 2)):
        common = size * who.sway * pace * (1.0 + 0.10 * d.bell(n))
        for foot, share in (("r", 0.5), ("l", -0.5)):
            uneven = 1.0 + share * (who.asymmetry[axis] - 1.0) + 0.04 * d.bell(n)
            fields[name + foot] = np.where(walks, np.round(common * uneven, 2), 0.0)
    if corrected:
        for foot in "rl":
            fields[f"sa_z{foot}c"] = np.round(1.08 * fields[f"sa_z{foot}"], 2)
    impact = 0.55 * pace * pace * (1.0 + 0.08 * d.bell(n))
    for foot, share in (("r", 0.5), ("l", -0.5)):
        uneven = 1.0 + share * (who.asymmetry[3] - 1.0) + 0.05 * d.bell(n)
        fields[f"st_{foot}"] = np.where(walks, np.round(impact * uneven, 2), 0.0)
    return fields


# The 15-second log

STRENGTH_LIMITS: Final = (35, 250)  # uV-equiv; the vendor's limits for bk_n
WIDTH_LIMITS: Final = (90, 250)  # ms
WARM_UP_S: Final = 1200  # usable seconds before normalised values and sub-indices appear
LONGEST_GAP_15: Final = 600  # tenths of a second; bki_av ends at 60 s


def intervals(day: Life) -> tuple[Ints, Ints]:
    """Return the stamps and the beginnings of the records, in seconds since midnight.

    The grid of 15 seconds starts when the phone connects, so each connection has its own grid; the
    remainder at the end of a connection is not recorded.
    """
    change = np.flatnonzero(np.diff(np.concatenate(([0], day.linked.astype(np.int8), [0]))))
    stamps: list[Ints] = []
    for start, end in change.reshape(-1, 2).tolist():
        first = start
        if start == 0 and day.plan.before.linked:
            first = day.plan.before.phase - 15  # the connection of the day before continues
        elif end == day.seconds and day.plan.after.linked:
            first = start + (day.plan.after.phase - start) % 15
        grid = np.arange(first + 15, end + 1, 15)
        stamps.append(grid[grid > 0])
    at = np.concatenate([np.empty(0, dtype=np.int64), *stamps])
    return at, np.maximum(at - 15, 0)


def _gather(values: Ints, first: Ints, last: Ints) -> tuple[Ints, Bools]:
    """Return one row of values per interval [first, last), padded with 0, and which are real."""
    width = int((last - first).max(initial=0))
    place = first[:, None] + np.arange(width)
    real = place < last[:, None]
    padded = np.append(values, 0)
    return padded[np.where(real, place, len(values))], real


def _median(rows: Ints, real: Bools, count: Ints) -> Floats:
    if rows.shape[1] == 0:
        return np.zeros(len(rows))
    ordered = np.sort(np.where(real, rows, 10**9), axis=1)
    row = np.arange(len(rows))
    n = np.maximum(count, 1)
    return np.asarray((ordered[row, (n - 1) // 2] + ordered[row, n // 2]) / 2)


def _buffered(d: Draws, day: Life, at: Ints, lo: Ints) -> dict[str, Array]:
    """Return blink statistics of a buffer that is about, not exactly, one interval long."""
    events = day.blinks
    opening = np.maximum(10 * lo + d.wholes(-10, 10, len(at)), 0)
    # The buffer holds nothing from before the connection.
    connected = np.flatnonzero(onsets(day.linked))
    since = np.append(-1, connected)[np.searchsorted(connected, lo, side="right")]
    opening = np.maximum(opening, 10 * since)

    gap, counts = blink_gaps(events, running(day.noise | ~day.linked | ~day.worn), LONGEST_GAP_15)
    first, last = (np.searchsorted(events.at, edge, "right") for edge in (opening, 10 * at))
    gap_n = sums(counts, first, last)
    gap_sum = sums(np.where(counts, gap, 0), first, last)

    passes = (
        (events.strength >= STRENGTH_LIMITS[0]) & (events.strength <= STRENGTH_LIMITS[1])
        & (events.width >= WIDTH_LIMITS[0]) & (events.width <= WIDTH_LIMITS[1])
    )  # fmt: skip
    order = running(passes)
    begin, end = order[first], order[last]
    count = end - begin
    some = count > 0
    height, real = _gather(events.strength[passes], begin, end)
    width, _ = _gather(events.width[passes], begin, end)
    npt, _ = _gather(events.npt[passes], begin, end)
    (height_av, height_sd), (width_av, _), (npt_av, npt_sd) = (
        mean_sd(rows.sum(axis=1), (rows * rows).sum(axis=1), count) for rows in (height, width, npt)
    )

    def buffered(value: Floats, digits: int, leftover: float, fresh: Bools = some) -> Floats:
        return stale(np.round(value, digits), fresh, at, day, leftover)

    strength, duration, speed, pause = day.plan.before.leftover
    return {
        "rbk_n": last - first,
        "bki_sum": gap_sum / 10,
        "bki_n": gap_n,
        "bki_av": buffered(gap_sum / 10 / np.maximum(gap_n, 1), 2, pause / 10, gap_n > 0),
        "bk_n": count,
        "bkh_sum": height.sum(axis=1),
        "bkh_max": buffered(height.max(axis=1, initial=0) * 1.0, 0, float(strength)),
        "bkh_av": buffered(height_av, 2, float(strength)),
        "bkh_sd": buffered(height_sd, 1, 0.0),
        "bkw_av": buffered(width_av, 1, float(duration)),
        "npt_av": buffered(npt_av / 1000, 3, speed / 1000),
        "npt_med": buffered(_median(npt, real, count) / 1000, 3, speed / 1000),
        "npt_sd": buffered(npt_sd / 1000, 3, 0.0),
    }


def _normalised(blinks: dict[str, Array], warm: Bools, who: Traits) -> dict[str, Array]:
    """Return values relative to the wearer's own level, missing until that level is known.

    The vendor says only "normalized". Here, every wearer's own level is the same value.
    """
    scale = {"bki_av": who.blink / 15, "bkh_sd": 100 / who.strength, "bkh_av": 100 / who.strength,
             "npt_av": 80 / who.npt, "npt_sd": 80 / who.npt, "bkw_av": 140 / who.width}  # fmt: skip
    decimals = {"bki_av": 2, "npt_av": 3, "npt_sd": 3}
    limit = {"bki_av": 60, "bkw_av": 300, "npt_av": 0.999, "npt_sd": 0.999}
    return {
        f"{name}_wa": np.where(
            warm,
            np.round(np.minimum(blinks[name] * by, limit.get(name, 1000)), decimals.get(name, 1)),
            np.nan,
        )
        for name, by in scale.items()
    }


def _scores(d: Draws, day: Life, slot: Ints, usable: Bools, warm: Bools) -> dict[str, Array]:
    """Return scores: about 50 at the wearer's own level, -1 where they cannot be computed."""
    n = len(slot)
    forward = day.forward[slot]
    driving = np.abs(forward) < 20

    def score(level: Floats, noise: float, valid: Bools) -> Floats:
        points = np.clip(level + noise * d.bell(n), 0.0, 100.0)
        return np.where(valid, np.round(points, 1), -1.0)

    drowsy, focus = day.drowsy[slot], day.focus[slot]
    parts = {
        name: np.where(warm, score(0.6 * drowsy + 20.0, 6.0, usable), np.nan)
        for name in ("sc_npt", "sc_bts", "sc_lbs")
    }
    return parts | {
        "sc_slp": score(drowsy, 4.0, usable & driving),
        "sc_fcs": score(focus, 5.0, usable),
        "sc_tsn": score(48.0 + 14.0 * day.tension[slot], 4.0, usable),
        "sc_clm": score(52.0 + 14.0 * day.calm[slot], 4.0, usable),
        "sc_slp_std": score(drowsy + 2.0, 4.0, usable),
    }


def _legacy(d: Draws, day: Life, at: Ints, slot: Ints, usable: Bools) -> dict[str, Array]:
    """Return the fields of the retired sub-apps: a focus session on Wednesday, Saturday's run."""
    n, kind = len(at), day.kind[at - 1]
    run = (kind == KINDS["run"]) & (day.plan.day.weekday() == 5)
    focus = np.zeros(n, dtype=bool)
    if day.plan.day.weekday() == 2:
        focus = (at > 10 * 3600) & (at <= 10 * 3600 + 3000)
    resting = ~np.isin(kind, [KINDS["desk"], KINDS["read"]])
    status = np.where(run, 2 + (~day.walking[at - 1]), np.where(focus, 32 + 16 * resting, 0))
    session = run | focus

    def rating(level: Floats) -> Floats:
        points = np.round(np.clip(level + 5.0 * d.bell(n), 0.0, 100.0))
        return np.where(session, np.where(usable, points, -1.0), np.nan)

    metres = np.where(run & day.walking[at - 1], np.round(37.5 + 2.0 * d.bell(n), 1), 0.0)
    way = running(np.rint(metres * 10))[1:]  # tenths of a metre, out and back
    out = np.minimum(way, way[-1] - way if n else way)
    return {
        "zone": rating(0.5 * (day.focus[slot] + 52.0 + 14.0 * day.calm[slot])),
        "focus": rating(day.focus[slot]),
        "calm": rating(52.0 + 14.0 * day.calm[slot]),
        "posture": rating(70.0 - np.abs(day.forward[slot] - 10.0)),
        "distance": np.where(run, metres, np.nan),
        # An invented place at sea, where nobody lives.
        "lat": np.where(run, np.round(35.0 + out * 9e-7, 5), np.nan),
        "lng": np.where(run, np.round(139.3 + out * 4e-7, 5), np.nan),
        "app_measurement_status": status,
    }


def fifteen_seconds(seed: int, day: Life, who: Traits) -> tuple[Ints, dict[str, Array]]:
    """Return the stamps of the day's records, in seconds since midnight, and a column per field."""
    at, lo = intervals(day)
    n = len(at)
    d = Draws(seed, Stream.FIFTEEN, day.plan.day.toordinal())
    slot = (np.maximum(at - 8, 0)) // 15
    blinks = _buffered(d, day, at, lo)
    steps, walking_s = sums(day.steps, lo, at), sums(day.walking, lo, at)
    pace = np.round(sums(day.cadence, lo, at) / np.maximum(walking_s, 1), 1)
    cadence = np.where(steps > 0, pace, 0.0)
    gait = sway(d, cadence, steps > 0, who, corrected=True)
    noise, judged = sums(day.noise, lo, at), sums(day.judged, lo, at)
    valid = (noise < 3) & (steps < 5)
    isl = 2 * judged < at - lo
    usable = valid & ~isl & day.worn[at - 1]
    usable_s = running(usable)[1:] * 15
    warm = usable_s > WARM_UP_S
    tremble = 1.0 + 0.25 * d.bell(n)
    restless = 0.35 * day.restless[slot] * np.maximum(tremble, 0.2) + 0.22 * walking_s
    yaw, pitch = (sums(moves, lo, at) for moves in (day.turn, day.nod))
    often = d.wholes(0, 99, n)
    zero = np.zeros(n)
    room = draws.wander(d, n, 240)
    return at, {
        **blinks,
        "stp": steps,
        "cad": cadence,
        **gait,
        **_scores(d, day, slot, usable, warm),
        **_normalised(blinks, warm, who),
        **_legacy(d, day, at, slot, usable),
        **{f"re_{way}": sums(shifts, lo, at) for way, shifts in day.gaze.items()},
        "isl": isl,
        "vld": valid,
        "nis_time": noise,
        "cum_time": usable_s,
        "tl_yav": np.round(day.forward[slot], 1) + 0.0,  # no negative zero
        "tl_xav": np.round(day.sideways[slot], 1) + 0.0,
        "tl_ysd": np.round(restless, 2),
        "tl_xsd": np.round(0.7 * restless, 2),
        "hm_po": pitch,
        "hm_yo": yaw,
        "hm_pr": np.where((pitch > 1) & (often < 30), pitch // 2, 0),
        "hm_yr": np.where((yaw > 1) & (often >= 70), yaw // 2, 0),
        # Undocumented fields get neutral values: their meaning is unknown.
        **dict.fromkeys(("hm_prc", "hm_piv", "hm_yrc", "hm_yiv"), zero),
        "in_tmp": np.round(23.0 + room, 0),
        "in_co2": np.round(650.0 + 60.0 * room, -1),
        "in_nis": np.round(42.0 + 3.0 * room, 0),
        "in_prs": zero + 1013.0,
        "in_hum": np.round(45.0 - 2.0 * room, 0),
        "gw": np.full(n, "", dtype=object),
        "bl": day.battery[at - 1],
    }


# The 60-second log

CLASSES: Final = {"stp_fst": 370, "stp_mid": 440, "stp_slw": 590, "stp_vsl": 1000}  # longest, ms
LONGEST_GAP_60: Final = 512  # tenths of a second
LARGEST_SD: Final = 51.2
LARGEST_COUNT: Final = 255


def _steps(day: Life, lo: Ints, hi: Ints) -> dict[str, Ints]:
    """Return steps by their duration."""
    counted = np.where(day.on, day.steps, 0)
    # The length of a step is a multiple of ten milliseconds.
    length = np.where(day.cadence > 0, 6000 // np.maximum(day.cadence, 1) * 10, 0)
    steps, shorter = {}, 0
    for name, longest in CLASSES.items():
        inside = (length > shorter) & (length <= longest)
        steps[name] = sums(np.where(inside, counted, 0), lo, hi)
        shorter = longest
    return steps


def _tilt(values: Floats, minutes: int) -> tuple[Floats, Floats]:
    """Return mean and variance over each minute; the order of the sums is fixed."""
    a, b, c, d = np.append(values, np.repeat(values[-1:], 4))[: 4 * minutes].reshape(minutes, 4).T
    mean = ((a + b) + (c + d)) / 4
    squares = ((a - mean) ** 2 + (b - mean) ** 2) + ((c - mean) ** 2 + (d - mean) ** 2)
    return mean, squares / 4


def _cleansed(blinks: Blinks, interruptions: Ints, *, strict: bool) -> Bools:
    """Return which blinks pass the cleansing.

    The strict one leaves out blinks within 3 seconds after noise or a step, and weak blinks.
    """
    if not strict:
        return np.asarray((blinks.strength >= 25) & (blinks.width >= 70))
    second = (blinks.at - 1) // 10
    calm = interruptions[second + 1] == interruptions[np.maximum(second - 3, 0)]
    strong = (blinks.strength >= 35) & (blinks.strength <= 250) & (blinks.width >= 90)
    return np.asarray(calm & strong)


def _gaps(blinks: Blinks, interruptions: Ints, lo: Ints, hi: Ints) -> tuple[Ints, Floats]:
    """Return the number of gaps in each minute, and their root mean square in seconds.

    The root mean square is what firmware 2.2.0 and later computes. A gap runs between blinks of
    any size: leaving out weak blinks must not make gaps longer.
    """
    gap, counts = blink_gaps(blinks, interruptions, LONGEST_GAP_60)
    first, last = (np.searchsorted(blinks.at, 10 * edge, "right") for edge in (lo, hi))
    n = sums(counts, first, last)
    square = sums(np.where(counts, gap * gap, 0), first, last)
    return n, np.sqrt(square / np.maximum(n, 1)) / 10


def _blinks(day: Life, lo: Ints, hi: Ints, *, strict: bool, prefix: str) -> dict[str, Array]:
    """Return blink statistics after one of the two cleansings."""
    broken = day.noise | ~day.on | ~day.worn
    interruptions = running(broken | day.walking if strict else broken)
    keep = _cleansed(day.blinks, interruptions, strict=strict)
    at = day.blinks.at[keep]
    first, last = (np.searchsorted(at, 10 * edge, "right") for edge in (lo, hi))
    count = last - first
    some = count > 0

    def statistics(values: Ints) -> tuple[Floats, Floats]:
        kept = values[keep]
        mean, sd = mean_sd(sums(kept, first, last), sums(kept * kept, first, last), count)
        return mean, np.minimum(sd, LARGEST_SD)

    npt, _ = statistics(day.blinks.npt)
    width, width_sd = statistics(day.blinks.width)
    strength, strength_sd = statistics(day.blinks.strength)
    gap_n, gap = _gaps(day.blinks, interruptions, lo, hi)
    # A burst is a run of blinks, each less than a second after the one before.
    soon_another = np.append(np.diff(at) < 10, False)[: len(at)]
    burst_n = sums(onsets(soon_another), first, last)

    left_strength, left_width, left_npt, left_gap = day.plan.before.leftover
    buffered: dict[str, tuple[Floats, float, Bools]] = {
        "npt_av": (np.clip(np.round(npt / 1000, 3), -0.256, 0.256), left_npt / 1000, some),
        "bkw_av": (np.clip(np.round(width), 50, 306), float(left_width), some),
        "bkw_sd": (np.round(width_sd, 1), 12.0, some),
        "bkh_av": (np.round(strength), float(left_strength), some),
        "bkh_sd": (np.round(strength_sd, 1), 20.0, some),
        "bki_av": (np.clip(np.round(gap, 1), 0.0, LONGEST_GAP_60 / 10), left_gap / 10, gap_n > 0),
    }
    columns: dict[str, Array] = {
        f"{prefix}_{name}": stale(value, fresh, hi, day, leftover)
        for name, (value, leftover, fresh) in buffered.items()
    }
    return columns | {
        f"{prefix}_bk_n": count,
        f"{prefix}_bkg_n": np.minimum(burst_n, LARGEST_COUNT),
        f"{prefix}_bki_n": gap_n,
    }


def _gaze(day: Life, lo: Ints, hi: Ints) -> dict[str, Ints]:
    """Return gaze shifts, small and large; none is detected during noise.

    Wiping the lenses shakes the electrodes for most of a minute, and the counters run full.
    """
    rubbed = 5 * sums(day.kind == KINDS["handling"], lo, hi)
    seen = day.on & ~day.noise
    counts = {}
    for ways in ("rl", "ud"):
        for size, of_size in (("ems", ~day.big), ("eml", day.big)):
            shifts = sum(sums(day.gaze[way] & of_size & seen, lo, hi) for way in ways)
            shaken = rubbed if size == "ems" else rubbed // 2
            counts[f"{size}_{ways}"] = np.minimum(shifts + shaken, LARGEST_COUNT)
    return counts


def sixty_seconds(seed: int, day: Life, who: Traits) -> tuple[Ints, dict[str, Array]]:
    """Return the stamps of the day's records, in seconds since midnight, and a column per field.

    There is one record per minute of the device clock in which the eyewear was on; asleep upside
    down or with a flat battery it writes none.
    """
    minutes = day.seconds // 60
    edges = np.arange(minutes + 1, dtype=np.int64) * 60
    lo, hi = edges[:-1], edges[1:]
    d = Draws(seed, Stream.SIXTY, day.plan.day.toordinal())
    on = sums(day.on, lo, hi)
    walked = sums(day.walking & day.on, lo, hi)
    steps = _steps(day, lo, hi)
    all_steps = sum(steps.values(), start=np.zeros(minutes, dtype=np.int64))
    cadence = sums(np.where(day.on, day.cadence, 0), lo, hi) / np.maximum(walked, 1)
    forward, forward_var = _tilt(day.forward, minutes)
    sideways, sideways_var = _tilt(day.sideways, minutes)
    restless, _ = _tilt(day.restless, minutes)
    within = (0.35 * restless + 0.05 * walked) ** 2
    columns: dict[str, Array] = {
        "val_s": on,
        "nis_s": sums(day.noise & day.on, lo, hi),
        "wea_s": sums(day.judged & day.on, lo, hi),
        "stp_s": walked,
        "bl": day.battery[hi - 1],
        **_gaze(day, lo, hi),
        "hm_po": sums(day.nod & day.on, lo, hi),
        "hm_yo": sums(day.turn & day.on, lo, hi),
        **sway(d, cadence, all_steps > 0, who, corrected=False),
        "tl_xav": np.round(sideways, 1) + 0.0,  # no negative zero
        "tl_yav": np.round(forward, 1) + 0.0,
        "tl_xsd": np.round(np.sqrt(0.5 * within + sideways_var), 2),
        "tl_ysd": np.round(np.sqrt(within + forward_var), 2),
        **steps,
        **_blinks(day, lo, hi, strict=False, prefix="lc"),
        **_blinks(day, lo, hi, strict=True, prefix="sc"),
    }
    recorded = on > 0
    return hi[recorded], {name: column[recorded] for name, column in columns.items()}
