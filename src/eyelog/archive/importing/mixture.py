"""Files of several wearers or devices: found before anything of them is used.

Records of two devices, or of one log twice and shifted, would count the same hours twice.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import tzinfo
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from eyelog.archive.importing.layers import Meeting
from eyelog.archive.utc_stamps import Stamps
from eyelog.catalogue import log_named, near
from eyelog.errors import ConfigurationError, listed
from eyelog.overlap import duration_text, mostly_differ, overlaps, span_text, utc

__all__ = ["HELD", "Devices", "Met", "check_device", "device_of", "devices_of", "refuse_overlaps"]

# {yyyymmdd}-{hhmmss}_{12 characters} on Android, with ({8 characters}) on iOS.
_NAME: Final = re.compile(r"(?:^|[/\\ ])\d{8}-\d{6}_([0-9A-Za-z]{12})?(?:\(([0-9A-Za-z]{8})\))?_")
_SHOWN: Final = 3

HELD: Final = -1  # instead of the number of a file: what the account holds


def device_of(name: str, provenance: Any = None) -> str:
    """Return the device that the name of a file states, or else its provenance, or else nothing."""
    matches = [match for match in _NAME.findall(name) if any(match)]
    if matches:
        return str(matches[-1][0] or matches[-1][1])
    steps = provenance.get("history", []) if isinstance(provenance, dict) else []
    devices = [step["device"] for step in steps if step.get("device")]
    return str(devices[-1]) if devices else ""


def _of_device(name: str, device: str, wanted: str) -> bool:
    """Return whether a file is of the wanted device, by either part of the name or both."""
    matches = [match for match in _NAME.findall(name) if any(match)]
    spellings = {device} if device else set()
    if matches:
        long, short = matches[-1]
        spellings |= {long, short, f"{long}({short})"} - {""}
    return wanted in spellings


@dataclass
class Devices:
    """The files of one device among others."""

    wanted: str
    taken: int = 0
    others: dict[str, int] = field(default_factory=dict)

    def takes(self, name: str, provenance: Any = None) -> bool:
        """Return whether a file is of the wanted device, and count it."""
        device = device_of(name, provenance)
        if _of_device(name, device, self.wanted):
            self.taken += 1
            return True
        self.others[device] = self.others.get(device, 0) + 1
        return False


def check_device(devices: Devices) -> str:
    """Return which files may be of the device too, or raise if none is.

    Files of other devices are left out because that was requested.
    """
    named = sorted(filter(None, devices.others))
    if not devices.taken:
        which = f", only of {', '.join(named)}" if named else ": no name of a file states a device"
        hint = near(devices.wanted, named)
        raise ConfigurationError(f"no file is of the device {devices.wanted!r}{which}{hint}")
    unknown = devices.others.get("", 0)
    if not unknown:
        return ""
    return f"left out {'1 file' if unknown == 1 else f'{unknown:,} files'} of no known device"


def devices_of(names: Iterable[str]) -> str:
    """Return the devices that the names of Logger files come from, if there are several."""
    devices = sorted({device_of(name) for name in names} - {""})
    if len(devices) < 2:
        return ""
    more = ", ..." if len(devices) > 4 else ""
    return f"the files come from {len(devices)} devices ({', '.join(devices[:4])}{more})"


@dataclass
class Met:
    """How often files met earlier ones, or what the account holds, at the same stamps."""

    log: str
    names: dict[str, int] = field(default_factory=dict)
    pairs: dict[tuple[int, int], tuple[int, int, int]] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return the number of a file."""
        return self.names.setdefault(name, len(self.names))

    def add(self, meeting: Meeting) -> None:
        """Count a meeting of two files, by their numbers."""
        pair = meeting.file, meeting.earlier
        shared, conflicts, first = self.pairs.get(pair, (0, 0, meeting.first))
        self.pairs[pair] = (
            shared + meeting.shared,
            conflicts + meeting.conflicts,
            min(first, meeting.first),
        )

    def refuse(self, *, advice: str, to_replace: str | None, account: str = "") -> None:
        """Raise if files have different values at most of the stamps that they share.

        `advice` is for files among themselves, `to_replace` for those that meet what the account
        holds; None allows these.
        """
        inside = {pair: counts for pair, counts in self.pairs.items() if pair[1] != HELD}
        if (worst := self._worst(inside)) is not None:
            (file, earlier), shared, conflicts, first = worst
            names = _listed([list(self.names)[at] for at in dict.fromkeys((earlier, file))])
            who = f"{names} have" if file != earlier else f"{names} has"
            again = "they share" if file != earlier else "come again in it"
            self._raise(who, shared, conflicts, first, again, advice)
        above = {pair: counts for pair, counts in self.pairs.items() if pair[1] == HELD}
        if to_replace is not None and (worst := self._worst(above)) is not None:
            (file, _), shared, conflicts, first = worst
            who = f"{_listed([list(self.names)[file]])} has"
            self._raise(who, shared, conflicts, first, f"{account!r} holds", to_replace)

    def _worst(
        self, pairs: dict[tuple[int, int], tuple[int, int, int]]
    ) -> tuple[tuple[int, int], int, int, int] | None:
        """Return the pair with most conflicts, if records of two sources met: there or in all."""
        if not pairs:
            return None
        interval = log_named(self.log).interval_us
        all_shared, all_conflicts = (sum(counts[at] for counts in pairs.values()) for at in (0, 1))
        ranked = sorted(pairs.items(), key=lambda item: -item[1][1])
        for pair, (shared, conflicts, first) in ranked:
            if mostly_differ(shared, conflicts, interval):
                return pair, shared, conflicts, first
        # Files autosaved every 5 minutes are too short to decide one by one.
        if mostly_differ(all_shared, all_conflicts, interval):
            pair, (_, _, first) = ranked[0]
            return pair, all_shared, all_conflicts, first
        return None

    def _raise(
        self, who: str, shared: int, conflicts: int, first: int, again: str, advice: str
    ) -> NoReturn:
        raise ConfigurationError(
            f"{who} other values on {conflicts:,} of the {shared:,} stamps that {again} (the first"
            f" {utc(first):%Y-%m-%d %H:%M} UTC), as if they were of two wearers: {advice}"
        )


def refuse_overlaps(
    names: Sequence[str],
    stamps: Sequence[Stamps],
    log: str,
    *,
    tz: tzinfo | None = None,
    devices: Sequence[str] = (),
    advice: str,
) -> None:
    """Raise if files cover the same time with different stamps.

    Parameters
    ----------
    names : sequence of str
        The name of each file.
    stamps : sequence of array
        The stamps of each file, in microseconds.
    log : str
        Their log.
    tz : tzinfo, optional
        The zone of the instants in the message; default UTC.
    devices : sequence of str, optional
        The device of each file, or nothing where it is not known.
    advice : str
        What to do.
    """
    interval = log_named(log).interval_us
    source = np.repeat(np.arange(len(stamps)), [len(each) for each in stamps])
    every = np.concatenate([np.empty(0, np.int64), *stamps])
    overlap = overlaps(every, source, interval)
    if not overlap.too_much:
        return
    first, last = (
        utc(edge).astimezone(tz or utc(0).tzinfo) for edge in (overlap.first, overlap.last)
    )
    of = sorted({devices[at] for at in overlap.sources if at < len(devices)} - {""})
    owners = f" (devices {' and '.join(of[:_SHOWN])})" if len(of) > 1 else ""
    files = _listed([names[at] for at in overlap.sources])
    when = f"{duration_text(overlap.doubled_us)} {span_text(first, last)}{'' if tz else ' UTC'}"
    raise ConfigurationError(
        f"{files}{owners} cover the same time twice, {when}, as two devices do: {advice}"
    )


def _listed(names: Sequence[str]) -> str:
    """Return the first names, without their folders if that keeps them apart, and how many more."""
    short = [Path(name).name for name in names]
    names = short if len(set(short)) == len(short) else names
    if len(names) > _SHOWN:
        return listed(names, _SHOWN)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
