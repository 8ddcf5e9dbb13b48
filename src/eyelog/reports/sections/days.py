"""Day by day: how long the eyewear was worn, and what was measured."""

from functools import partial
from typing import Final

from eyelog.figures.daily import plot_daily
from eyelog.figures.labels import LOG_WORDS
from eyelog.frame import OFFSET, clock_of
from eyelog.measure.readable import on_clock
from eyelog.reports.logs import Logs
from eyelog.reports.page_tables import PageTable, page_table
from eyelog.reports.section_parts import Part, Picture
from eyelog.reports.usual import days_behind, require_days, usual_table, usual_words

WEAR: Final = ("recorded_h", "worn_h", "valid_h", "walking_h", "coverage")
RATES: Final = ("pace_spm", "blink_rate_per_min", "eye_moves_per_h", "head_moves_yaw_per_h")
SHOWN: Final = ("coverage", "worn_h", "valid_h", "first_worn", "last_worn", "steps", *RATES)
WEEKLY: Final = (
    "days",
    "days_counted",
    "worn_h_per_day",
    "valid_h_per_day",
    "steps_per_day",
    *RATES,
)
MOST_ROWS: Final = 31


def section(logs: Logs) -> Part:
    """Return the usual day's wear, the days as a figure, and a table of days or weeks."""
    log = logs.lead
    require_days(logs, log)
    return Part(
        findings=[
            f"On a usual day the eyewear was worn for {usual_words(logs, log, 'worn_h')},"
            f" and {usual_words(logs, log, 'valid_h')} were usable for measures of the eyes."
            f" {days_behind(logs, log)}"
        ],
        pictures=[
            Picture(
                f"Hours worn on each day, {LOG_WORDS[log]}",
                "A day without a value leaves a blank. The strip below shows how much of each day"
                " was recorded.",
                lambda: plot_daily(logs.days(log), "worn_h"),
            )
        ],
        tables=[
            partial(
                usual_table, logs, WEAR, "Wear on a usual day, with 95 % intervals", "usual-wear"
            ),
            partial(_days_table, logs, log),
        ],
        files=[partial(_days_table, logs, one) for one in logs.frames if one != log],
    )


def _days_table(logs: Logs, log: str) -> PageTable:
    table = logs.days(log)
    if len(table) <= MOST_ROWS:
        frame, shown, caption = logs.frames[log], table, f"The days, {LOG_WORDS[log]}"
        if OFFSET in frame.columns:
            shown = on_clock(table, clock_of(frame, log=log))
            caption += " (times of day by the wearer's own clock)"
        return page_table(shown, caption, f"days-{log}", names=SHOWN, whole=table)
    return page_table(
        logs.weeks(log),
        f"The weeks, {LOG_WORDS[log]} (the file to download holds the days)",
        f"days-{log}",
        names=WEEKLY,
        whole=table,
    )
