"""How fast an answer becomes a frame, against the parse alone and against the sample's way.

    python benchmarks/decode.py [--rounds 15] [--json] [--quick]

All ways run interleaved in one process; times are medians of CPU time, and the ratios are what to
quote. The floor is ``orjson.loads`` of the same bytes, which makes no table at all. The sample's
way is that of the vendor's sample script: ``json.loads``, one DataFrame per hour appended with
``pd.concat``, then ``pd.to_datetime``.
"""

import argparse
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pandas as pd

import eyelog as el
from eyelog.catalogue import COMPUTED_DATA, INTERVAL_SECONDS, catalogue
from eyelog.decode import decode_page, joined_pages

LOG = COMPUTED_DATA
SIX = ["stp", "cad", "bki_sum", "bki_n", "sc_fcs", "tl_yav"]
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


def without_nulls(records: list[Record]) -> list[Record]:
    return [{k: v for k, v in record.items() if v is not None} for record in records]


def shuffled(records: list[Record]) -> list[Record]:
    rng = random.Random(7)
    return [dict(rng.sample(list(record.items()), len(record))) for record in records]


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


def medians(ways: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the median milliseconds of CPU time of each way, all run in turn."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            gc.collect()
            start = time.process_time()
            way()
            times[name].append((time.process_time() - start) * 1e3)
    return {name: statistics.median(each) for name, each in times.items()}


def one_day(rounds: int, folder: Path) -> list[dict[str, object]]:
    records = day_records()
    bodies = {
        "full day": answer(records),
        "nulls left out": answer(without_nulls(records)),
        "each record its own order": answer(shuffled(records)),
    }
    full = bodies["full day"]
    ways: dict[str, Callable[[], object]] = {}
    for name, body in bodies.items():
        ways[f"floor {name}"] = lambda body=body: orjson.loads(body)
        ways[f"decode {name}"] = lambda body=body: decode_page(body, LOG)
        ways[f"eyelog {name}"] = lambda body=body: eyelog_way([body])
    saved = folder / "answer.json"
    saved.write_bytes(full)
    ways["read full day"] = lambda: el.read(saved, tz="UTC")
    ways["eyelog 6 fields asked, 75 sent"] = lambda: eyelog_way([full], SIX)
    six = answer([{k: record[k] for k in ("date", *SIX)} for record in records])
    ways["eyelog 6 fields asked, 6 sent"] = lambda: eyelog_way([six], SIX)
    ways["sample's way full day"] = lambda: sample_way([full])
    found = medians(ways, rounds)
    rows = []
    for name, took in found.items():
        base = next((b for b in bodies if name.endswith(b)), "full day")
        row = {"way": name, "ms": took, "to_orjson": took / found[f"floor {base}"]}
        if base == "full day":
            row["sample_over_this"] = found["sample's way full day"] / took
        rows.append(row)
    return rows


def many_days(rounds: int) -> list[dict[str, object]]:
    """Return the cost of a day where few and where many days are joined."""
    first = answer(day_records())
    dates = [(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=n)).date() for n in range(160)]
    bodies = [first.replace(b'"2026-01-01T', f'"{date}T'.encode()) for date in dates]
    ways: dict[str, Callable[[], object]] = {
        "eyelog 10 days": lambda: eyelog_way(bodies[:10]),
        "eyelog 160 days": lambda: eyelog_way(bodies),
        "sample's way 10 days": lambda: sample_way(bodies[:10]),
    }
    found = medians(ways, rounds)
    per_day = {name: took / (160 if "160" in name else 10) for name, took in found.items()}
    least = per_day["eyelog 10 days"]
    return [
        {"way": name, "ms_per_day": took, "to_10_days": took / least}
        for name, took in per_day.items()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--quick", action="store_true", help="leave out the run over 160 days")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tables = {"one_day": one_day(options.rounds, Path(folder))}
    if not options.quick:
        tables["many_days"] = many_days(max(3, options.rounds // 5))
    if options.json:
        json.dump(tables, sys.stdout, indent=1)
        print()
        return
    for name, rows in tables.items():
        print(f"\n{name}\n{pd.DataFrame(rows).round(2).to_string(index=False, na_rep='')}")


if __name__ == "__main__":
    main()
