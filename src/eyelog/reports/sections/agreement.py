"""How well the two logs agree on the same minutes."""

from functools import partial
from typing import Final, NamedTuple

import pandas as pd

from eyelog.analysis.compare.agreement import PAIRS, agreement, minute_pairs
from eyelog.catalogue import COMPUTED_DATA, LOGS, STANDARD_MODE_LOGS, catalogue
from eyelog.figures.agreement import plot_agreement
from eyelog.figures.labels import LOG_WORDS
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.section_parts import Empty, Part, Picture

__all__ = ["section"]

DRAWN: Final = ("blinks_weak", "steps")  # the first that both logs have


def section(logs: Logs) -> Part:
    """Return bias and limits of agreement over the minutes that both logs cover."""
    missing = [LOG_WORDS[log] for log in LOGS if log not in logs.frames]
    if missing:
        raise Empty(f"it takes both logs, and the {missing[0]} was not given")
    fifteen, sixty = logs.masked(COMPUTED_DATA), logs.masked(STANDARD_MODE_LOGS)
    table = agreement(fifteen, sixty)
    rows = table[list(Found._fields)].itertuples(index=False)
    found = dict(zip(map(str, table.index), map(Found._make, rows), strict=True))
    known = {name: one for name, one in found.items() if not one.reason}
    if not known:
        raise Empty("the logs share no minutes with values in both")
    apart = sum(one.differs for one in known.values())
    shown = next((name for name in DRAWN if name in known), next(iter(known)))
    return Part(
        findings=[
            known[shown].said(shown),
            f"For {apart} of {words.count(len(known), 'quantity', 'quantities')} the 95 % interval"
            " of the bias excludes 0. About one in twenty does so by chance alone, and more here:"
            " neighbouring minutes are alike, so the intervals are narrower than they should be.",
        ],
        pictures=[
            Picture(
                f"Agreement of the two logs: {label(shown).lower()}",
                "Each point is a minute: the difference between the logs against their mean, with"
                " the bias and the limits of agreement.",
                partial(_draw, fifteen, sixty, shown, known[shown]),
            )
        ],
        tables=[partial(_table, table, found)],
    )


class Found(NamedTuple):
    """One row of the agreement."""

    unit: str
    n: int
    mean_fifteen: float
    mean_sixty: float
    bias: float
    bias_low: float
    bias_high: float
    sd: float
    low: float
    low_low: float
    low_high: float
    high: float
    high_low: float
    high_high: float
    exposure_h: float
    coverage: float
    reason: str

    @property
    def differs(self) -> bool:
        """Whether the interval of the bias excludes 0."""
        return self.bias_low > 0 or self.bias_high < 0

    @property
    def digits(self) -> int:
        """Enough decimals to show a difference: landing impacts, in G, differ by hundredths."""
        return 3 if self.unit == "G" else 2

    @property
    def per(self) -> str:
        """The unit as written in a sentence."""
        return {"count/min": "per min", "s/min": "s per min"}.get(self.unit, self.unit)

    def said(self, name: str) -> str:
        """Return what the row says, in a sentence."""
        start = f"Over {words.hours(self.exposure_h)} that both logs cover"
        what = label(name).lower()
        if self.differs:
            low, high = sorted((abs(self.bias_low), abs(self.bias_high)))
            more, less = sorted((LOG_WORDS[log] for log in LOGS), reverse=self.bias < 0)
            start += (
                f" the {more} is {words.number(abs(self.bias), self.digits)} {self.per} above the"
                f" {less} in {what}, on average ({words.interval(low, high, self.digits)})"
            )
        else:
            interval = words.interval(self.bias_low, self.bias_high, self.digits)
            start += (
                f" no difference stands out in {what} (bias {words.number(self.bias, self.digits)}"
                f" {self.per}{f', {interval}' if interval else ''})"
            )
        return (
            f"{start}. The limits of agreement, within which about 95 % of the differences of"
            f" single minutes (15-second log minus 60-second log) lie, are"
            f" {words.number(self.low, 1)} and {words.number(self.high, 1)} {self.per}."
        )


def label(name: str) -> str:
    """Return a quantity in words: that of the catalogue, with its cleansing."""
    pair = next(pair for pair in PAIRS if pair.quantity == name)
    if pair.part == "worn":
        return "Time worn"
    field = catalogue(COMPUTED_DATA)[pair.fields(COMPUTED_DATA)[0]]
    return f"{field.label} ({pair.cleansing} cleansing)" if pair.cleansing else field.label


def _draw(fifteen: pd.DataFrame, sixty: pd.DataFrame, name: str, found: Found) -> object:
    limits = pd.Series(found._asdict())
    return plot_agreement(minute_pairs(fifteen, sixty, quantity=name), limits)


def _table(table: pd.DataFrame, found: dict[str, Found]) -> PageTable:
    rows = [
        [
            label(name),
            one.per,
            words.number(one.mean_fifteen, one.digits),
            words.number(one.mean_sixty, one.digits),
            words.number(one.bias, one.digits),
            words.range_of(one.bias_low, one.bias_high, one.digits),
            words.range_of(one.low, one.high, one.digits),
            words.whole(one.n),
        ]
        for name, one in found.items()
    ]
    return PageTable.of(
        "15-second log against 60-second log, over the minutes that both cover",
        [
            *("Quantity", "Unit", "15 s mean", "60 s mean", "Bias", "Bias, 95 % interval"),
            *("Limits of agreement", "Minutes"),
        ],
        rows,
        "agreement",
        table,
    )
