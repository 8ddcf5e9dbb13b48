"""Limits and thresholds, each with its source.

``limits.csv`` is the only place that defines them: what counts as worn, as noise, as walking, and
how much data a result needs. A row without a log applies to both logs. ``role`` says which field of
the catalogue is compared; ``source`` names the vendor's page, or ``eyelog`` if the project made the
choice.
"""

import csv
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from eyelog.analysis.series.arrays import Bools, Floats
from eyelog.catalogue import check_log

__all__ = ["Limit", "limit", "limits"]

Test = Callable[..., Bools]

# The comparisons that keep and that break a limit; a missing value does neither.
_TESTS: Final[Mapping[str, tuple[Test, Test]]] = MappingProxyType(
    {
        "x >= a": (lambda x, a: x >= a, lambda x, a: x < a),
        "x <= a": (lambda x, a: x <= a, lambda x, a: x > a),
        "x > a": (lambda x, a: x > a, lambda x, a: x <= a),
        "a <= x <= b": (lambda x, a, b: (x >= a) & (x <= b), lambda x, a, b: (x < a) | (x > b)),
        "a <= x < b": (lambda x, a, b: (x >= a) & (x < b), lambda x, a, b: (x < a) | (x >= b)),
    }
)


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: its field, how values are compared, and its source."""

    name: str
    log: str
    role: str
    comparison: str
    values: tuple[float, ...]
    unit: str
    words: str
    source: str
    note: str

    @property
    def value(self) -> float:
        """The limit itself, if it is a single number."""
        (value,) = self.values
        return value

    def at(self, *values: float) -> "Limit":
        """Return the same limit with other values."""
        return dataclasses.replace(self, values=values)

    def keeps(self, values: Floats) -> Bools:
        """Return which values keep the limit; a missing value does not."""
        return _TESTS[self.comparison][0](values, *self.values)

    def breaks(self, values: Floats) -> Bools:
        """Return which values break the limit; a missing value does not."""
        return _TESTS[self.comparison][1](values, *self.values)

    def text(self, field: str) -> str:
        """Return the limit in words."""
        return self.words.format(field=field, **dict(zip("ab", self.values, strict=False)))


@cache
def _rows() -> tuple[Limit, ...]:
    text = files("eyelog.analysis").joinpath("limits.csv").read_text("utf-8")
    return tuple(
        Limit(values=tuple(map(float, row.pop("value").split())), **row)
        for row in csv.DictReader(text.splitlines())
    )


@cache
def limits(log: str) -> Mapping[str, Limit]:
    """Return the limits that apply to a log, by name."""
    check_log(log)
    return MappingProxyType({row.name: row for row in _rows() if row.log in ("", log)})


def limit(log: str, name: str) -> Limit:
    """Return one limit of a log; `KeyError` if the log has none of that name."""
    return limits(log)[name]
