"""How fast an answer becomes a frame, against the parse alone and against the sample's way.

    python benchmarks/decode.py [--rounds 15]

All ways run interleaved in one process; times are medians of CPU time, and the ratios are what to
quote. The floor is ``orjson.loads`` of the same bytes, which makes no table at all. The sample's
way is that of the vendor's sample script: ``json.loads``, one DataFrame per hour appended with
``pd.concat``, then ``pd.to_datetime``; it is quadratic in the days.
"""

import argparse
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import orjson
import pandas as pd
from tools.measure import Rows, medians, script

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, catalogue
from eyelog.decode import decode_page, joined_pages

LOG = COMPUTED_DATA
STEP_S = INTERVAL_SECONDS[LOG]
SIX = ["stp", "cad", "bki_sum", "bki_n", "sc_fcs", "tl_yav"]
Record = dict[str, object]


def day_records() -> list[Record]:
    """Return a full day: 5760 records of 75 fields, about one value in eight null."""
    rng = random.Random(1)
    kinds: dict[str, Callable[[], object]] = {
        "bool": lambda: rng.random() < 0.5,
        "str": lambda: "",
        "int": lambda: None if rng.random() < 0.125 else rng.randint(0, 60),
        "float": lambda: None if rng.random() < 0.125 else round(rng.uniform(0, 100), 3),
    }
    others = [field for field in catalogue(LOG).values() if field.name != "date"]
    opens = datetime(2026, 1, 1, tzinfo=UTC)
    records: list[Record] = []
    for at in range(86_400 // STEP_S):
        date: Record = {"date": (opens + timedelta(seconds=STEP_S * at)).isoformat()}
        records.append(date | {field.name: kinds[field.value_type]() for field in others})
    return records


def answer(records: list[Record]) -> bytes:
    """Return the answer that holds the records, grouped by hour."""
    hours: dict[str, list[Record]] = {}
    for record in records:
        hours.setdefault(str(int(str(record["date"])[11:13])), []).append(record)
    return json.dumps({LOG: hours, "cursor": None}, separators=(",", ":")).encode()


def decoded(body: bytes, fields: list[str] | None = None) -> pd.DataFrame:
    return joined_pages([decode_page(body, LOG, fields=fields)], LOG, fields=fields)


def sample_way(body: bytes) -> pd.DataFrame:
    whole = pd.DataFrame()
    for records in json.loads(body)[LOG].values():
        whole = pd.concat([whole, pd.DataFrame(records)], ignore_index=True)
    whole["date"] = pd.to_datetime(whole["date"])
    return whole.set_index("date")


def decode(folder: Path, given: argparse.Namespace) -> Rows:
    records, shuffle = day_records(), random.Random(7)
    known = [{k: v for k, v in record.items() if v is not None} for record in records]
    mixed = [dict(shuffle.sample(list(record.items()), len(record))) for record in records]
    six = [{k: record[k] for k in ("date", *SIX)} for record in records]
    bodies = {
        "full day": answer(records),
        "nulls left out": answer(known),
        "each record its own order": answer(mixed),
    }
    full, saved = bodies["full day"], folder / "answer.json"
    saved.write_bytes(full)
    ways: dict[str, Callable[[], object]] = {}
    for name, body in bodies.items():
        ways[f"orjson.loads, {name}"] = partial(orjson.loads, body)
        ways[f"eyelog, {name}"] = partial(decoded, body)
    ways["el.read, full day"] = partial(el.read, saved, tz="UTC")
    ways["eyelog, 6 fields asked, 75 sent"] = partial(decoded, full, SIX)
    ways["eyelog, 6 fields asked, 6 sent"] = partial(decoded, answer(six), SIX)
    ways["sample's way, full day"] = partial(sample_way, full)
    found = medians(ways, given.rounds)
    full_s = found["orjson.loads, full day"]
    rows = []
    for name, took in found.items():
        floor = found.get(f"orjson.loads, {name.partition(', ')[2]}", full_s)
        rows.append({"way": name, "ms": took * 1e3, "to orjson.loads": took / floor})
    return rows


if __name__ == "__main__":
    script(__doc__, {"one day": decode}, rounds=15)
