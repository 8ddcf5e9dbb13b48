"""Head movements and posture."""

from functools import partial
from typing import Final

import numpy as np

from eyelog.analysis.baseline.typical import typical_value
from eyelog.analysis.series.arrays import numbers
from eyelog.catalogue import role_field
from eyelog.figures.daily import plot_daily
from eyelog.figures.distribution import plot_distribution
from eyelog.figures.labels import LOG_WORDS
from eyelog.measure.posture import head_movements, spread, zones
from eyelog.reports import words
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable, page_table
from eyelog.reports.section_parts import Empty, Part, Picture
from eyelog.reports.usual import days_behind, require_days, usual_table, usual_words

TURNS: Final = "head_moves_yaw_per_h"
NODS: Final = "head_moves_pitch_per_h"
TIMES: Final = "times per worn hour"
COLUMNS: Final = (NODS, TURNS, "tilt_fore_aft_deg", "tilt_sideways_deg")


def section(logs: Logs) -> Part:
    """Return movements per worn hour, and the tilt of the head."""
    log = next((one for one in logs.frames if TURNS in logs.days(one)), None)
    if log is None:
        raise Empty("no log has the head movements and the evidence of wear")
    require_days(logs, log)
    tilt = role_field(log, "tilt_fore_aft")
    return Part(
        findings=[
            f"On a usual day the wearer nodded {usual_words(logs, log, NODS, what=TIMES)} and"
            f" turned the head {usual_words(logs, log, TURNS, what=TIMES)}."
            f" {days_behind(logs, log)}",
            f"{_zones_of(logs, log)} {_spread_of(logs, log)}".rstrip(),
        ],
        pictures=[
            Picture(
                f"Tilt of the head fore-aft, {LOG_WORDS[log]}",
                "How often each tilt occurs while the eyewear is worn. Which sign is forward is not"
                " documented.",
                lambda: plot_distribution(
                    logs.masked(log), tilt, typical=typical_value(logs.masked(log), tilt)
                ),
            ),
            Picture(
                f"Head turns per worn hour on each day, {LOG_WORDS[log]}",
                "A day without a value leaves a blank.",
                lambda: plot_daily(logs.days(log), TURNS),
            ),
        ],
        tables=[
            partial(
                usual_table,
                logs,
                COLUMNS,
                "Head and posture on a usual day, with 95 % intervals",
                "usual-head",
            ),
            partial(_zones_table, logs, log),
        ],
        files=[partial(_movements_table, logs, log), partial(_spread_table, logs, log)],
    )


def _zones_of(logs: Logs, log: str) -> str:
    table = zones(logs.to_summarise(log), limits=logs.limits)
    place = int(numbers(table["share"]).argmax())
    most, share = str(table.index[place]), float(table["share"].iloc[place])
    hours = table["exposure_min"].sum() / 60
    where = f"between {most.replace(' to ', ' and ')}" if " to " in most else most
    return (
        f"The fore-aft tilt was most often {where} degrees"
        f" ({words.percent(share)} of {words.whole(hours)} h)."
    )


def _spread_of(logs: Logs, log: str) -> str:
    """Return how much the tilt varies, in a sentence; empty if it is not known."""
    spreads = spread(logs.to_summarise(log), limits=logs.limits).iloc[0]
    within, between = (float(spreads[f"fore_aft_{part}"]) for part in ("within", "between"))
    if np.isnan(within) or np.isnan(between):
        return ""
    return (
        f"Its SD was {words.number(within, 1)} degrees within intervals and"
        f" {words.number(between, 1)} degrees between them."
    )


def _zones_table(logs: Logs, log: str) -> PageTable:
    return page_table(
        zones(logs.to_summarise(log), limits=logs.limits),
        f"Time in zones of the fore-aft tilt (degrees), {LOG_WORDS[log]}",
        "tilt-zones",
        names=["share", "exposure_min"],
    )


def _movements_table(logs: Logs, log: str) -> PageTable:
    hours = head_movements(logs.to_summarise(log), by="hour", limits=logs.limits)
    return page_table(
        hours.loc[hours["n"] > 0],
        f"Head movements by hour of day, {LOG_WORDS[log]}",
        "head-movements-by-hour",
    )


def _spread_table(logs: Logs, log: str) -> PageTable:
    return page_table(
        spread(logs.to_summarise(log), limits=logs.limits),
        f"How much the tilt varies (SD in degrees), {LOG_WORDS[log]}",
        "tilt-spread",
    )
