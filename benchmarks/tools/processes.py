"""The CPU time and the peak memory of processes, as Linux counts them in /proc."""

import contextlib
import os
import resource
from pathlib import Path

__all__ = ["cpu_s", "group_cpu_s", "peak_kb"]

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Return the CPU seconds of a process so far, without those of its children."""
    return sum(_ticks(_fields(pid))[:2]) / TICKS_PER_S


def group_cpu_s() -> float:
    """Return the CPU seconds of all processes of this one's group, and of those that they ended."""
    ticks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = _fields(int(folder.name))
            if int(fields[2]) == os.getpgrp():
                ticks += sum(_ticks(fields))
    return ticks / TICKS_PER_S


def peak_kb() -> int:
    """Return the peak memory of this process; ru_maxrss begins with that of its parent."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(status.read_text().partition("VmHWM:")[2].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _fields(pid: int) -> list[str]:
    """Return what follows the name of a process in its ``stat``, from its state on (proc(5))."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _ticks(fields: list[str]) -> list[int]:
    """Return utime and stime of a process, then those of the children that it has waited for."""
    return [int(field) for field in fields[11:15]]
