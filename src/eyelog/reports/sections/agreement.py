"""How well the two logs agree on the same minutes."""

from functools import partial
from typing import Final, NamedTuple, Self

import pandas as pd

from eyelog.analysis.compare.agreement import PAIRS, AgreementLimits, agreement, minute_pairs
from eyelog.catalogue import COMPUTED_DATA, LOGS, STANDARD_MODE_LOGS, catalogue
from eyelog.figures.agreement import plot_agreement
from eyelog.figures.labels import LOG_WORDS
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable
from eyelog.reports.section_parts import Empty, Part, Picture

DRAWN: Final = ("blinks_weak", "steps")  # the first that both logs have


def section(logs: Logs) -> Part:
    """Return bias and limits of agreement over the minutes that both logs cover."""
    missing = [LOG_WORDS[log] for log in LOGS if log not in logs.frames]
    if missing:
        raise Empty(f"it takes both logs, and the {missing[0]} was not given")
    fifteen, sixty = logs.masked(COMPUTED_DATA), logs.masked(STANDARD_MODE_LOGS)
    table = agreement(fifteen, sixty)
    quantities = {str(name): ComparedQuantity.of(row) for name, row in table.iterrows()}
    compared = {name: one for name, one in quantities.items() if not one.limits.reason}
    if not compared:
        raise Empty("the logs share no minutes with values in both")
    apart = sum(one.differs for one in compared.values())
    shown = next((name for name in DRAWN if name in compared), next(iter(compared)))
    return Part(
        findings=[
            compared[shown].in_words(shown),
            f"For {apart} of {words.count(len(compared), 'quantity', 'quantities')} the 95 %"
            f" interval of the bias excludes 0. {_what_intervals_hold(compared)}",
        ],
        pictures=[
            Picture(
                f"Agreement of the two logs: {label(shown).lower()}",
                "Each point is a minute; the lines are the bias and the limits of agreement.",
                partial(_draw, fifteen, sixty, shown, compared[shown].limits),
            )
        ],
        tables=[partial(_table, table, quantities)],
    )


class ComparedQuantity(NamedTuple):
    """One row of the table: a quantity in both logs, and how far apart they are."""

    unit: str
    mean_fifteen: float
    mean_sixty: float
    limits: AgreementLimits
    exposure_h: float

    @classmethod
    def of(cls, row: pd.Series) -> Self:
        """Return the quantity of a row of `eyelog.compare.agreement`."""
        limits = AgreementLimits(**{name: row[name] for name in AgreementLimits._fields})
        return cls(row["unit"], row["mean_fifteen"], row["mean_sixty"], limits, row["exposure_h"])

    @property
    def differs(self) -> bool:
        """Whether the interval of the bias excludes 0."""
        return self.limits.bias_low > 0 or self.limits.bias_high < 0

    @property
    def digits(self) -> int:
        """Enough decimals to show a difference: landing impacts, in G, differ by hundredths."""
        return 3 if self.unit == "G" else 2

    @property
    def per(self) -> str:
        """The unit as written in a sentence."""
        return {"count/min": "per min", "s/min": "s per min"}.get(self.unit, self.unit)

    def in_words(self, name: str) -> str:
        """Return what the row says, in a sentence."""
        limits = self.limits
        start = f"Over {words.hours(self.exposure_h)} that both logs cover"
        what = label(name).lower()
        if self.differs:
            low, high = sorted((abs(limits.bias_low), abs(limits.bias_high)))
            more, less = sorted((LOG_WORDS[log] for log in LOGS), reverse=limits.bias < 0)
            start += (
                f" the {more} is {words.number(abs(limits.bias), self.digits)} {self.per} above"
                f" the {less} in {what}, on average ({words.interval(low, high, self.digits)})"
            )
        else:
            interval = words.interval(limits.bias_low, limits.bias_high, self.digits)
            start += (
                f" no difference stands out in {what} (bias"
                f" {words.number(limits.bias, self.digits)} {self.per}"
                f"{f', {interval}' if interval else ''})"
            )
        return (
            f"{start}. The limits of agreement, within which about 95 % of the differences of"
            f" single minutes (15-second log minus 60-second log) lie, are"
            f" {words.number(limits.low, 1)} and {words.number(limits.high, 1)} {self.per}."
        )


def _what_intervals_hold(compared: dict[str, ComparedQuantity]) -> str:
    """Return what the intervals assume to be independent, and how often they miss the bias."""
    if all(one.limits.units == "days" for one in compared.values()):
        return "The units are days, so about one in twenty does so by chance alone."
    return (
        "The units are blocks of an hour, which in fewer than six days cannot show how days differ:"
        " more than one in twenty may do so by chance alone. If the SD of days and that of hours"
        " are half of that of single minutes, such an interval contains the bias in only 57 to 59"
        " of 100 cases."
    )


def label(name: str) -> str:
    """Return a quantity in words: that of the catalogue, with its cleansing."""
    pair = next(pair for pair in PAIRS if pair.quantity == name)
    if pair.part == "worn":
        return "Time worn"
    field = catalogue(COMPUTED_DATA)[pair.fields(COMPUTED_DATA)[0]]
    return f"{field.label} ({pair.cleansing} cleansing)" if pair.cleansing else field.label


def _draw(fifteen: pd.DataFrame, sixty: pd.DataFrame, name: str, limits: AgreementLimits) -> object:
    return plot_agreement(minute_pairs(fifteen, sixty, quantity=name), limits)


def _table(table: pd.DataFrame, quantities: dict[str, ComparedQuantity]) -> PageTable:
    rows = [
        [
            label(name),
            one.per,
            words.number(one.mean_fifteen, one.digits),
            words.number(one.mean_sixty, one.digits),
            words.number(one.limits.bias, one.digits),
            words.range_of(one.limits.bias_low, one.limits.bias_high, one.digits),
            words.range_of(one.limits.low, one.limits.high, one.digits),
            words.whole(one.limits.n),
        ]
        for name, one in quantities.items()
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
