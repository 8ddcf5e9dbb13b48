"""Make the files of this folder again: the sample week in the forms that people have.

Run ``python datasets/make_sample.py [FOLDER]``; without a folder the files beside this script are
replaced. The values come from `eyelog.sample`, the dictionary from the catalogue.
"""

import argparse
import zipfile
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pandas as pd

import eyelog as el
from eyelog.answers.encode import encode_answer
from eyelog.catalogue import LOGS, Field, catalogue, columns

DAY = "2026-10-21"
# One recording of the Logger app: a morning at work, with the focus session of a retired sub-app.
RECORDING = (f"{DAY} 08:00", f"{DAY} 12:00")
LOGGER_NAME = "20261021-080000_CDC000000001"
LOGGER_KINDS = {LOGS[0]: "logicIndexData", LOGS[1]: "summaryData"}


def parquet(log: str) -> bytes:
    """Return the whole week of a log as one Parquet file."""
    sink = BytesIO()
    el.sample(log).to_parquet(sink, compression="zstd", compression_level=9)
    return sink.getvalue()


def answers() -> bytes:
    """Return a zip file of the answers of the service for one day, each log in one page."""
    sink = BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as box:
        for log in LOGS:
            # A fixed time of writing: the same values give the same file.
            entry = zipfile.ZipInfo(f"{log}-{DAY}.json", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            box.writestr(entry, encode_answer(el.sample(log).loc[DAY], log))
    return sink.getvalue()


def logger_csv(log: str) -> bytes:
    """Return one recording as the Logger app saves it: long names, UTC, booleans as 0 and 1."""
    known = catalogue(log)
    names = [name for name in columns(log) if known[name].long_name]
    part = el.sample(log).loc[RECORDING[0] : RECORDING[1], names]
    table = pd.DataFrame(index=range(len(part)))
    table["date"] = part.index.tz_convert("UTC").strftime("%Y-%m-%dT%H:%M:%SZ")
    for name in names:
        whole = known[name].value_type in ("int", "bool")
        values = part[name].astype("Int64") if whole else part[name]
        table[known[name].long_name] = values.array
    sink = StringIO()
    table.to_csv(sink, index=False, lineterminator="\n")
    return sink.getvalue().encode()


def _range(known: Field) -> str:
    if known.min is None and known.max is None:
        return ""
    low, high = ("" if x is None else f"{x:.12g}" for x in (known.min, known.max))
    return f"{low} to {high}"


def _rule(known: Field) -> str:
    return f"{known.agg} by {' + '.join(known.weight)}" if known.weight else known.agg


def data_dictionary() -> bytes:
    """Return every field of both logs as Markdown tables, straight from the catalogue."""
    heads = ("field", "label", "unit", "type", "range", "invalid", "kind", "rule", "Logger name",
             "description", "source")  # fmt: skip
    lines = [
        "# Data dictionary",
        "",
        "Made from the catalogue (`src/eyelog/fields.csv`) by `make_sample.py`; do not edit."
        " An empty cell is unknown.",
        "",
        "- kind: `static` fields hold only while the wearer is still, `gait` fields only while"
        " walking.",
        "- rule: how intervals are put together; `wmean by x` is a mean weighted by field `x`.",
        "- source: `vendor-doc` is documented; anything else is a guess from names or samples.",
    ]
    for log in LOGS:
        lines += ["", f"## {log}", "", f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
        for name, known in catalogue(log).items():
            invalid = "" if known.invalid_value is None else f"{known.invalid_value:g}"
            cells = (f"`{name}`", known.label, known.unit, known.dtype, _range(known), invalid,
                     known.kind, _rule(known), known.long_name, known.description,
                     known.source)  # fmt: skip
            lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return ("\n".join(lines) + "\n").encode()


FILES: dict[str, Callable[[], bytes]] = {
    **{f"{log}.parquet": (lambda log=log: parquet(log)) for log in LOGS},
    f"answers-{DAY}.zip": answers,
    **{
        f"{LOGGER_NAME}_{kind}.csv": (lambda log=log: logger_csv(log))
        for log, kind in LOGGER_KINDS.items()
    },
    "data-dictionary.md": data_dictionary,
}


def main() -> None:
    """Write every file and say how large it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=Path(__file__).parent)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FILES.items():
        path = folder / name
        path.write_bytes(make())
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
