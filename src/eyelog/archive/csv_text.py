"""Texts in a CSV file that a spreadsheet cannot run and that are read back as they were.

A text that a spreadsheet would run as a formula, or that a reader would misread, is written as a
JSON string (``"=1+1"``, quotation marks included). A text that is itself in quotation marks is
written in the same way, so every text is read back unchanged.
"""

import json
import re
from typing import Final

import pyarrow as pa

from eyelog.catalogue import catalogue, known_logs

# The first characters of formulas, also full-width ones: Japanese spreadsheets run those too.
_FORMULA: Final = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - these are the letters meant
_BREAK: Final = re.compile(r"[\x00\r\n]")
_OTHER_VALUES: Final = frozenset(
    {"", "true", "false", "nan", "null", "none", "na", "n/a", "<na>", "inf", "infinity"}
)


def _altered(text: str) -> bool:
    """Return whether a spreadsheet or a reader would misread a text."""
    return (
        text.startswith((*_FORMULA, '"')) or text != text.strip() or _BREAK.search(text) is not None
    )


def _no_text(text: str) -> bool:
    """Return whether an untyped column would contain a number or nothing instead of a text."""
    if text.casefold().lstrip("+-") in _OTHER_VALUES:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def written(column: pa.ChunkedArray, *, documented: bool) -> pa.ChunkedArray:
    """Return a column of texts as it is written; only a documented field is certain to be text."""
    if not pa.types.is_string(column.type):
        return column
    encoded = column.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    safe = [_quoted(t) if _altered(t) or (not documented and _no_text(t)) else t for t in texts]
    if safe == texts:
        return column
    return pa.chunked_array([pa.array(safe, pa.string()).take(encoded.indices)])


def text_of(cell: str) -> str:
    """Return the text behind a cell that `written` has written."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        try:
            text = json.loads(cell)
        except ValueError:
            return cell
        return text if isinstance(text, str) else cell
    return cell


def header_cell(name: str, log: str) -> str:
    """Return the name of a column as it is written in the header of a file of `log`."""
    if name == "date" or name in catalogue(log):
        return name
    fields = [field for each in known_logs() for field in catalogue(each).values()]
    # A reader would take such a name as a field of one of the logs.
    spelled = any(name.casefold() in (f.name.casefold(), f.long_name.casefold()) for f in fields)
    return _quoted(name) if spelled or not name or _altered(name) else name
