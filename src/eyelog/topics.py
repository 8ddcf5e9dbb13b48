"""The catalogue as a table: all fields of a log, or those of all logs about something."""

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from eyelog.catalogue import (
    MEANT,
    SUMMARIES,
    Field,
    catalogue,
    check_log,
    known_logs,
    near,
    needed,
    spellings,
)
from eyelog.errors import FieldError

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS: Final = (
    *("name", "label", "unit", "dtype", "min", "max", "invalid_value", "kind", "cleansing"),
    *("group", "agg", "weight", "role", "long_name", "description", "source"),
)


def fields(what: str, *, of: str | None = None) -> "pd.DataFrame":
    """Return what the catalogue knows: all fields of one log, or those of all logs about something.

    Parameters
    ----------
    what : str
        A log: ``"computed_data"`` (15-second), ``"standard_mode_logs"`` (60-second) or
        ``"current_data"`` (20 Hz). Or the name of a field, its label, or words that it is about:
        ``"tl_yav"``, ``"usable"``, ``"step count"``; all words must fit.
    of : str, optional
        Only the fields of the log that a summary needs, with the evidence to judge them by:
        ``"daily"`` (all of `eyelog.daily`) or a part of it: ``"steps"``, ``"gait"`` (steps, pace,
        sway and landing), ``"trend"`` (head movements), ``"head"`` (head movements and tilt),
        ``"eye"`` (eye movements), ``"blinks"``, ``"mind"`` (scores, 15-second log). The recipes of
        `eyelog.attrition` need the fields of their name.

    Returns
    -------
    DataFrame
        Index ``name``, of a log in catalogue order (``date`` first); for words the index levels
        ``log`` and ``name``, the nearest first. Columns ``label``, ``unit``, ``dtype``, ``min``,
        ``max``, ``invalid_value`` (float64, missing if unknown), ``kind``, ``cleansing``,
        ``group``, ``agg`` (how values of several intervals combine), ``weight`` (the fields whose
        sum weighs them), ``role`` (the parts it plays in an analysis, separated by spaces),
        ``long_name`` (in the files of the Logger app), ``description`` and ``source`` (where the
        meaning is documented; ``inferred`` or ``unknown`` where it is not).

    Raises
    ------
    ConfigurationError
        If there is no such summary, or only another log has its fields.
    FieldError
        If no field is about these words; the message has the nearest.

    Notes
    -----
    A summary of the fields that it needs alone equals the summary of all fields. The name of the
    summary can be given wherever fields are chosen (``fields=`` of `eyelog.Client` and
    `eyelog.Archive`, ``--fields``). For a masked frame keep the columns that `eyelog.mask` has
    added too: they are its hours.

    Examples
    --------
    >>> import eyelog as el
    >>> el.fields("computed_data").loc["cad", ["label", "unit", "agg", "weight"]].tolist()
    ['Cadence', 'spm', 'wmean', 'stp']
    >>> len(el.fields("computed_data")), len(el.fields("standard_mode_logs"))
    (75, 46)
    >>> el.fields("tl_yav").index.tolist()
    [('computed_data', 'tl_yav'), ('standard_mode_logs', 'tl_yav')]
    >>> list(el.fields("computed_data", of="steps").index)
    ['stp', 'isl', 'tl_yav', 'tl_xav', 'cad']
    >>> frame = el.sample()
    >>> some = frame[el.fields("computed_data", of="daily").index]
    >>> el.daily(some).equals(el.daily(frame))
    True
    """
    import pandas as pd  # slow to load, and only this function needs it

    if not isinstance(what, str):
        check_log(what)
    if what in known_logs():
        return _table_of([*catalogue(what)] if of is None else [*needed(of, log=what)], what)
    if of is not None or near(what, known_logs()):
        check_log(what)
    words = what.split()
    found = fields_about(words) or fields_about(words, described=True)
    if not found:
        raise FieldError(
            f"no field of a log is about {what!r}{near_topic(what)}:"
            f" {' and '.join(f'el.fields({log!r})' for log in known_logs())} list all fields"
        )
    return pd.concat({log: _table_of(names, log) for log, names in found.items()}, names=["log"])


def _table_of(names: list[str], log: str) -> "pd.DataFrame":
    import pandas as pd

    rows = [
        asdict(row) | {"weight": "+".join(row.weight), "role": " ".join(row.role)}
        for row in map(catalogue(log).__getitem__, names)
    ]
    table = pd.DataFrame(rows, columns=pd.Index(_COLUMNS)).set_index("name")
    return table.astype({"min": "float64", "max": "float64", "invalid_value": "float64"})


def fields_about(words: list[str], *, described: bool = False) -> dict[str, list[str]]:
    """Return the names of the fields that match all the words, by log, the nearest first.

    If `described`, a word in the description of a field is enough.
    """
    found: dict[str, list[str]] = {}
    for log in known_logs():
        ranks: dict[str, int] = {}
        for row in catalogue(log).values():
            fits = [_rank(row, word.casefold(), described=described) for word in words]
            matched = [fit for fit in fits if fit is not None]
            if matched and len(matched) == len(words):
                ranks[row.name] = max(matched)
        if ranks:  # a stable sort keeps the order of the catalogue
            found[log] = sorted(ranks, key=lambda name: ranks[name])
    return found


def near_topic(phrase: str, others: tuple[str, ...] = ()) -> str:
    """Return a question about the topic nearest to a phrase, or nothing."""
    rows = [row for log in known_logs() for row in catalogue(log).values()]
    labels = {word for row in rows for word in _words(f"{row.label} {row.group}")}
    return near(phrase, sorted({word for word in labels | {*MEANT} if len(word) > 2} | {*others}))


def _rank(row: Field, word: str, *, described: bool) -> int | None:
    """Return how closely a word matches a field, 0 the closest, or None."""
    others = [spelling for spelling, name in spellings(row.log).items() if name == row.name]
    if word in (row.name.casefold(), *others, row.label.casefold()):
        return 0
    roles = " ".join(row.role).replace("_", " ")
    meant = (*MEANT.get(word, ()), *MEANT.get(word.removesuffix("s"), ()))
    if any(_is_in(phrase, text) for phrase in (word, *meant) for text in (row.label, roles)):
        return 1
    summaries = [name for name, parts in SUMMARIES.items() if set(parts) & set(row.role)]
    names = " ".join([row.name, row.long_name, *summaries]).replace("daily", "")
    if _is_in(word, names) or row.name in meant:
        return 2
    return 3 if described and _is_in(word, row.description) else None


def _is_in(phrase: str, text: str) -> bool:
    """Return whether the words of a text begin with those of a phrase, in its order."""
    has, wanted = _words(text), _words(phrase)
    stems = [word.removesuffix("s") if len(word) > 3 else word for word in wanted]
    return bool(stems) and any(
        all(word.startswith(stem) for word, stem in zip(has[at:], stems, strict=False))
        for at in range(len(has) - len(stems) + 1)
    )


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case; stepCount has two, sc_fcs one."""
    return re.findall(r"[a-z0-9_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).casefold())
