"""A simulated cohort: wearers in two groups that differ by a planted effect."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from eyelog.archive.store import Archive
from eyelog.catalogue import LOGS, check_log
from eyelog.checks import names_of, number, whole_number
from eyelog.clock import DAY, Zones, parse_day, zone
from eyelog.cohort.schedule import run
from eyelog.cohort.study import check_archive
from eyelog.errors import ConfigurationError, EyelogError
from eyelog.home import progress_line
from eyelog.wearer.day import traits
from eyelog.wearer.simulate import check_days, simulate_blinking

MONTH: Final = 31  # days that are in memory at a time


Task = tuple[str, int, str, float]  # account, seed, zone, times the blinks of that seed


def simulate(
    archive: Archive,
    wearers: int,
    *,
    start: str | date,
    days: int,
    log: str | None = None,
    seed: int = 0,
    tz: str | Sequence[str] = "UTC",
    effect: float = 1.0,
    workers: int | None = None,
) -> pd.DataFrame:
    """Simulate a cohort straight into an archive, in parallel.

    Parameters
    ----------
    archive : Archive
        Where the records go. Records that it has of these wearers and stamps are replaced.
    wearers : int
        How many, 1 or more. They are called ``w0001``, ``w0002``, ...
    start : str or date
        First local day, such as ``"2026-10-24"``.
    days : int
        How many local days, 1 or more.
    log : {"computed_data", "standard_mode_logs"}, optional
        Only this log; by default both, for the same days.
    seed : int
        Which cohort, 0 or more. The first wearers of a larger cohort are those of a smaller one
        with the same seed.
    tz : str or sequence of str
        IANA zone of the wearers, or several, which are assigned to pairs of wearers in turn, so
        that each zone has wearers of both groups. The archive keeps them.
    effect : float
        How many times as often wearers of the group ``treated`` blink as they would in the group
        ``control``, 0.5 to 2: the planted effect.
    workers : int, optional
        How many processes; by default one per core.

    Returns
    -------
    DataFrame
        One row per wearer, as `eyelog.cohort.daily` takes for its ``wearers=``: ``account``,
        ``tz`` and ``group`` (``control`` and ``treated`` in turn) as text, and the truth: int64
        ``seed`` (that of `eyelog.simulate`) and float64 ``blinks_per_min`` (the planted rate at
        rest).

    Raises
    ------
    ConfigurationError
        If the extra ``cohort`` is not installed, or an argument is not valid.
    ArchiveError, EyelogError
        If the archive cannot be written.

    Notes
    -----
    The same arguments give the same records on every machine, whatever the workers.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> import eyelog as el
    >>> archive = el.Archive(mkdtemp())
    >>> people = el.cohort.simulate(
    ...     archive, 4, start="2026-10-19", days=1, log="standard_mode_logs", effect=1.2
    ... )
    >>> archive.accounts()
    ['w0001', 'w0002', 'w0003', 'w0004']
    >>> people["group"].tolist()
    ['control', 'treated', 'control', 'treated']
    """
    check_archive(archive)
    logs = LOGS if log is None else (check_log(log),)
    count = whole_number(wearers, "wearers", 1)
    length = whole_number(days, "days", 1)
    zones = [] if isinstance(tz, Zones) else names_of(tz, "tz")
    if isinstance(tz, Zones) or not all(isinstance(name, str) for name in zones):
        raise ConfigurationError(
            "the wearers of a simulated cohort do not travel: name their zones, such as"
            " tz=['Asia/Tokyo', 'UTC']; eyelog.simulate takes eyelog.Zones"
        )
    for name in zones:
        zone(name)
    if not zones:
        raise ConfigurationError("tz has no zone: use an IANA name such as 'Asia/Tokyo' or 'UTC'")
    if not 0.5 <= number(effect, "effect") <= 2:
        raise ConfigurationError(f"effect must be from 0.5 to 2, not {effect!r}")
    first = parse_day(start)
    check_days(first, length)
    tasks: list[Task] = []
    for nth in range(count):
        # Cohorts with neighbouring seeds share nobody.
        sequence = np.random.SeedSequence((whole_number(seed, "seed", 0), nth))
        own, blink = int(sequence.generate_state(1)[0]), effect if nth % 2 else 1.0
        tasks.append((f"w{nth + 1:04}", own, zones[nth // 2 % len(zones)], blink))
    write = partial(_write, archive, logs, first, length)
    failures = []
    with progress_line(count, f"simulate {count:,} wearers", unit="wearer") as done:
        for reason in run(write, tasks, scheduler=None, workers=workers, killed=_failed):
            failures.append(reason)
            done()
    failed = sorted(filter(None, failures))
    if failed:
        raise EyelogError(f"{len(failed)} of {count} wearers were not written: {failed[0]}")
    people = pd.DataFrame(
        {
            "account": [account for account, *_ in tasks],
            "tz": [tz for _, _, tz, _ in tasks],
            "group": [("control", "treated")[nth % 2] for nth in range(count)],
            "seed": np.array([seed for _, seed, _, _ in tasks], dtype=np.int64),
            "blinks_per_min": [traits(seed).blink * blink for _, seed, _, blink in tasks],
        }
    )
    return people.astype(dict.fromkeys(("account", "tz", "group"), "str"))


def _write(archive: Archive, logs: Sequence[str], start: date, days: int, task: Task) -> str:
    """Simulate one wearer, a month at a time; return why it failed, or nothing."""
    account, seed, tz, blink = task
    try:
        for log in logs:
            for from_day in range(0, days, MONTH):
                first, number = start + from_day * DAY, min(MONTH, days - from_day)
                frame = simulate_blinking(first, number, log=log, seed=seed, tz=tz, blink=blink)
                archive.write(log, frame, account=account)
        archive.set_zones(tz, account=account)
    except Exception as error:  # noqa: BLE001 - it is raised where all are known
        return _failed(task, str(error))
    return ""


def _failed(task: Task, reason: str) -> str:
    return f"{task[0]}: {' '.join(reason.split())}"
