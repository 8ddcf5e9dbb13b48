"""The peak memory of this process, as Linux counts it in /proc."""

from tools.measure import peak_mb


def peak_kb() -> int:
    return round(peak_mb() * 1024)
