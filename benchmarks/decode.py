"""How fast an answer becomes a frame, against the parse alone and against the sample's way.

    python benchmarks/decode.py [--rounds 15] [--json]

All ways run interleaved in one process; times are medians of CPU time, and the ratios are what to
quote. The floor is ``orjson.loads`` of the same bytes, which makes no table at all. The sample's
way is that of the vendor's sample script: ``json.loads``, one DataFrame per hour appended with
``pd.concat``, then ``pd.to_datetime``.
"""

import json
import random
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pandas as pd
from tools.measure import Rows, medians, options, show

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, catalogue
from eyelog.decode import decode_page, joined_pages

LOG = COMPUTED_DATA
SIX = ["stp", "cad", "bki_sum", "bki_n", "sc_fcs", "tl_yav"]
DAYS = 160
Record = dict[str, object]


def day_records() -> list[Record]:
    """Return a full day: 5760 records of 75 fields, about one value in eight null."""
    rng = random.Random(1)
    opens = datetime(2026, 1, 1, tzinfo=UTC)
    step = INTERVAL_SECONDS[LOG]
    records: list[Record] = []
    for at in range(86_400 // step):
        record: Record = {}
        for field in catalogue(LOG).values():
            if field.value_type == "datetime":
                record[field.name] = (opens + timedelta(seconds=step * at)).isoformat()
            elif field.value_type == "bool":
                record[field.name] = rng.random() < 0.5
            elif field.value_type == "str":
                record[field.name] = ""
            elif rng.random() < 0.125:
                record[field.name] = None
            elif field.value_type == "int":
                record[field.name] = rng.randint(0, 60)
            else:
                record[field.name] = round(rng.uniform(0, 100), 3)
        records.append(record)
    return records


def answer(records: list[Record]) -> bytes:
    """Return the answer that holds the records, grouped by hour."""
    hours: dict[str, list[Record]] = {}
    for record in records:
        hours.setdefault(str(int(str(record["date"])[11:13])), []).append(record)
    return json.dumps({LOG: hours, "cursor": None}, separators=(",", ":")).encode()


def eyelog_way(bodies: list[bytes], fields: list[str] | None = None) -> pd.DataFrame:
    return joined_pages(
        [decode_page(body, LOG, fields=fields) for body in bodies], LOG, fields=fields
    )


def sample_way(bodies: list[bytes]) -> pd.DataFrame:
    whole = pd.DataFrame()
    for body in bodies:
        for records in json.loads(body)[LOG].values():
            whole = pd.concat([whole, pd.DataFrame(records)], ignore_index=True)
    whole["date"] = pd.to_datetime(whole["date"])
    return whole.set_index("date")


def one_day(rounds: int, saved: Path) -> Rows:
    records = day_records()
    shuffle = random.Random(7)
    known = [{k: v for k, v in record.items() if v is not None} for record in records]
    mixed = [dict(shuffle.sample(list(record.items()), len(record))) for record in records]
    bodies = {
        "full day": answer(records),
        "nulls left out": answer(known),
        "each record its own order": answer(mixed),
    }
    full = bodies["full day"]
    saved.write_bytes(full)
    six = answer([{k: record[k] for k in ("date", *SIX)} for record in records])
    ways: dict[str, Callable[[], object]] = {}
    for name, body in bodies.items():
        ways[f"orjson.loads, {name}"] = lambda body=body: orjson.loads(body)
        ways[f"eyelog, {name}"] = lambda body=body: eyelog_way([body])
    ways["el.read, full day"] = lambda: el.read(saved, tz="UTC")
    ways["eyelog, 6 fields asked, 75 sent"] = lambda: eyelog_way([full], SIX)
    ways["eyelog, 6 fields asked, 6 sent"] = lambda: eyelog_way([six], SIX)
    ways["sample's way, full day"] = lambda: sample_way([full])
    found = medians(ways, rounds)
    rows = []
    for name, took in found.items():
        floor = f"orjson.loads, {name.partition(', ')[2]}"
        base = found.get(floor, found["orjson.loads, full day"])
        rows.append({"way": name, "ms": took * 1e3, "to orjson.loads": took / base})
    return rows


def many_days(rounds: int) -> Rows:
    """Return the cost of a day where few and where many days are joined."""
    first = answer(day_records())
    dates = [(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=n)).date() for n in range(DAYS)]
    bodies = [first.replace(b'"2026-01-01T', f'"{date}T'.encode()) for date in dates]
    few, many = bodies[:10], bodies
    found = medians({"few": lambda: eyelog_way(few), "many": lambda: eyelog_way(many)}, rounds)
    return [{"days": DAYS, "ms per day, to that of 10 days": found["many"] / found["few"] / 16}]


def main() -> None:
    given = options(__doc__, rounds=15)
    with tempfile.TemporaryDirectory() as folder:
        tables = {"one day": one_day(given.rounds, Path(folder) / "answer.json")}
    tables["many days"] = many_days(max(3, given.rounds // 5))
    show(tables, given.json)


if __name__ == "__main__":
    main()
