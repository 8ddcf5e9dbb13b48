"""The columns of results as a page: what each one means, by subject."""

from typing import Final

from eyelog.measure.columns import Column, documented

__all__ = ["columns_page"]

_SUBJECTS: Final = {
    "wear": "Time, wear and coverage",
    "gait": "Walking",
    "eyes": "Eyes and blinks",
    "head": "Head and posture",
    "": "Everywhere",
}
_ENDING: Final = "*"


def columns_page() -> str:
    """Return the page of the columns of results, as Markdown."""
    rows = documented()
    lines = [
        "# What does each column mean?",
        "",
        "Every column that a function of eyelog returns, with its meaning and unit. In a notebook,"
        " `el.readable(table)` shows a table with these labels; in a terminal, `eyelog fields"
        " worn_h` explains a column. Fields of the logs, such as `stp`, are on the pages of the"
        " [15-second log](computed-data.md) and the [60-second log](standard-mode-logs.md).",
    ]
    general = [row for row in rows if not row.table and not row.name.startswith(_ENDING)]
    for group, title in _SUBJECTS.items():
        lines += ["", f"## {title}", "", *_table([r for r in general if r.group == group])]
    endings = [row for row in rows if not row.table and row.name.startswith(_ENDING)]
    lines += ["", "## Endings", "", "The part before the ending is another column, or a field of a"]
    lines += ["log: `steps_within`, `sc_fcs_mean`.", "", *_endings(endings)]
    lines += ["", "## In one table or result alone"]
    for table in dict.fromkeys(row.table for row in rows if row.table):
        lines += ["", f"### `{table}`", "", *_table([r for r in rows if r.table == table])]
    return "\n".join(lines) + "\n"


def _table(rows: list[Column]) -> list[str]:
    lines = ["| column | meaning | unit |", "|---|---|---|"]
    return lines + [f"| `{r.name}` | {_cell(r.meaning)} | {_unit(r.unit)} |" for r in rows]


def _endings(rows: list[Column]) -> list[str]:
    lines = ["| ending | meaning |", "|---|---|"]
    return lines + [f"| `{r.name.removeprefix(_ENDING)}` | {_cell(r.meaning)} |" for r in rows]


def _unit(unit: str) -> str:
    return _cell(unit.replace("{period}", "row, such as a day"))


def _cell(text: str) -> str:
    return text.replace("|", "/")
