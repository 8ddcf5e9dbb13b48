"""Make the files of this folder: the sample week in the file formats that people have.

Run ``python datasets/make_sample.py [FOLDER]``; without a folder it replaces the files beside this
script. The values come from `eyelog.sample`, the data dictionary from the catalogue.
"""

import argparse
import zipfile
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pandas as pd

import eyelog as el
from eyelog.archive.export import encode_table
from eyelog.arrow_tables import table_of
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
    """Return a zip file of the service's answers for one day, one page per log."""
    sink = BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as box:
        for log in LOGS:
            # The time of writing is fixed, so that the same values give the same file.
            entry = zipfile.ZipInfo(f"{log}-{DAY}.json", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            frame = el.sample(log).loc[DAY]
            stamps, table = frame.index.as_unit("us"), table_of(frame, log)
            offset_us = stamps.tz_localize(None).asi8 - stamps.asi8
            names = table.column_names
            box.writestr(entry, encode_table(table, log, offset_us=offset_us, names=names))
    return sink.getvalue()


def logger_csv(log: str, first: str = RECORDING[0], last: str = RECORDING[1]) -> bytes:
    """Return one recording as the Logger app saves it: long names, UTC, booleans as 0 and 1."""
    fields = catalogue(log)
    names = [name for name in columns(log) if fields[name].long_name]
    part = el.sample(log).loc[first:last, names]
    table = pd.DataFrame(index=range(len(part)))
    table["date"] = part.index.tz_convert("UTC").strftime("%Y-%m-%dT%H:%M:%SZ")
    for name in names:
        whole = fields[name].value_type in ("int", "bool")
        values = part[name].astype("Int64") if whole else part[name]
        table[fields[name].long_name] = values.array
    sink = StringIO()
    table.to_csv(sink, index=False, lineterminator="\n")
    return sink.getvalue().encode()


def _range(field: Field) -> str:
    if field.min is None and field.max is None:
        return ""
    low, high = ("" if x is None else f"{x:.12g}" for x in (field.min, field.max))
    return f"{low} to {high}"


def _rule(field: Field) -> str:
    return f"{field.agg} by {' + '.join(field.weight)}" if field.weight else field.agg


def data_dictionary() -> bytes:
    """Return the catalogue of both logs as Markdown tables."""
    heads = ("field", "label", "unit", "type", "range", "invalid", "kind", "rule", "role",
             "Logger name", "description", "source")  # fmt: skip
    lines = [
        "# Data dictionary",
        "",
        "Generated from the catalogue (`src/eyelog/fields.csv`) by `make_sample.py`: edit the"
        " catalogue, not this file. An empty cell means unknown.",
        "",
        "- kind: `static` fields are valid only while the wearer is still, `gait` fields only"
        " while the wearer walks.",
        "- rule: how values of several intervals are combined; `wmean by x` is a mean weighted by"
        " the field `x`, `rms by x` a root mean square weighted by it.",
        "- role: the parts that the field plays in an analysis.",
        "- source: `vendor-doc` means that the vendor documents the field; the meaning of all"
        " others is a guess from their names.",
    ]
    for log in LOGS:
        lines += ["", f"## {log}", "", f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
        for name, field in catalogue(log).items():
            invalid = "" if field.invalid_value is None else f"{field.invalid_value:g}"
            cells = (f"`{name}`", field.label, field.unit, field.dtype, _range(field), invalid,
                     field.kind, _rule(field), ", ".join(field.role), field.long_name,
                     field.description, field.source)  # fmt: skip
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
    """Write every file and print its size."""
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
