"""The catalogue as a page per log: a table to search, and a card for each field."""

from typing import Final

from eyelog.catalogue import INTERVAL_SECONDS, Field, catalogue, role_field
from eyelog.judge.limits import limits
from eyelog.judge.reasons import CONTEXT, Reason, against_fields

__all__ = ["field_page"]

_RULES: Final = {
    "sum": "the sum",
    "mean": "the mean",
    "max": "the largest value",
    "last": "the last value",
    "circ_mean": "the mean direction on the circle",
    "wmean": "the mean",
    "pooled_sd": "the pooled SD",
    "rms": "the root mean square",
}


def field_page(log: str) -> str:
    """Return the page of a log's fields, as Markdown."""
    known = catalogue(log)
    lines = [
        f"# The fields of the {INTERVAL_SECONDS[log]}-second log",
        "",
        f"`{log}` has {len(known)} fields. Type a word below to search names, meanings and units;"
        f" a name links to the card of the field. `el.fields({log!r})` returns the same as a table,"
        f" and `eyelog fields {log}` prints it.",
        "",
        "| field | meaning | unit | range |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| [`{name}`](#{_anchor(log, name)}) | {_cell(field.label)} | {field.unit} |"
        f" {_range(field)} |"
        for name, field in known.items()
    ]
    group = None
    for name, field in known.items():
        if field.group != group:
            group = field.group
            lines += ["", f"## {group}"]
        lines += ["", *_card(log, name, field)]
    return "\n".join(lines) + "\n"


def _anchor(log: str, name: str) -> str:
    return f"{log}-{name}".replace("_", "-")


def _cell(text: str) -> str:
    return text.replace("|", "/")


def _number(value: float) -> str:
    return f"{value:.12g}".replace("-", "\N{MINUS SIGN}")


def _range(field: Field) -> str:
    if field.min is None or field.max is None:
        return "yes or no" if field.dtype == "boolean" else ""
    return f"{_number(field.min)} to {_number(field.max)}"


def _card(log: str, name: str, field: Field) -> list[str]:
    facts: dict[str, str] = {
        "Unit": field.unit,
        "Range": _range(field),
        "No value": "" if field.invalid_value is None else f"written as {_no_value(field)}",
        "When to trust it": _when_to_trust(log, field),
        "In longer intervals": _rule(field),
        "In Logger files": f"`{field.long_name}`" if field.long_name else "",
        "Role in an analysis": ", ".join(f"`{role}`" for role in field.role),
        "Source": "the vendor's documentation"
        if field.documented
        else "its name only; it is passed through and never interpreted",
    }
    lines = [f"({_anchor(log, name)})=", f"### `{name}`: {field.label}", "", field.description, ""]
    for what, fact in facts.items():
        if fact:
            lines += [what, f": {fact}", ""]
    return lines[:-1]


def _no_value(field: Field) -> str:
    return _number(field.invalid_value) if field.invalid_value is not None else ""


def _rule(field: Field) -> str:
    rule = _RULES.get(field.agg, "")
    weights = " and ".join(f"`{weight}`" for weight in field.weight)
    return f"{rule}, weighted by {weights}" if rule and weights else rule


def _when_to_trust(log: str, field: Field) -> str:
    """Return the conditions under which `eyelog.flag` has no reason against a value."""
    if field.kind == "time":
        return ""
    if not field.documented:
        return "unknown: its meaning is not documented"
    against = against_fields(log)[field.name]
    reasons = [reason for reason in _CONDITIONS if reason in against.context]
    words = [_condition(log, field, reason) for reason in reasons]
    if against.counter:
        changed = "the value differs from the one before"
        words.append(f"blinks were counted (`{against.counter}` above 0), or {changed}")
    text = "; ".join(words) or "there is a value within its range"
    if field.unit == "count" and field.max is not None:
        text += f". At {_number(field.max)} the counter stops: that value is a lower bound"
    return text


_CONDITIONS: Final = {
    Reason.UNWORN: "the eyewear is worn",
    Reason.OFF_POSE: "its tilt is possible for a head",
    Reason.MOVING: "the wearer does not walk",
    Reason.STILL: "the wearer walks",
    Reason.NOISY: "there is little noise",
    Reason.INVALID: "the log marks the record as valid",
}


def _condition(log: str, field: Field, reason: Reason) -> str:
    """Return one condition in words, with its limit from `limits.csv`."""
    known, names = limits(log), CONTEXT[reason]
    if reason is Reason.UNWORN and "steps" in field.role and "worn_for_steps" in known:
        names = ("worn_for_steps",)
    tests = []
    for name in names:
        evidence = f"`{role_field(log, known[name].role)}`"
        low, high = (*known[name].values, 0.0)[:2]
        if known[name].unit == "bool":
            tests.append(f"{evidence} {'true' if low else 'false'}")
        elif reason is Reason.MOVING:
            tests.append(f"{evidence} at most {_number(low)}")
        else:
            form = _TESTS[known[name].comparison]
            tests.append(f"{evidence} {form.format(_number(low), _number(high))}")
    return f"{_CONDITIONS[reason]} ({', '.join(tests)})"


_TESTS: Final = {
    "x >= a": "at least {0}",
    "x <= a": "at most {0}",
    "x > a": "above {0}",
    "a <= x <= b": "from {0} to {1}",
}
