"""A script for `faulty.server` that serves made records of any window, page by page.

A stamp every `every` seconds of UTC has a record; its one number comes from `value`. The cursor is
opaque and full of characters that a URL must escape. Each new walk has a number of
its own, which its cursor carries.
"""

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from support import faulty

FIELD = {"computed_data": "stp", "standard_mode_logs": "stp_s"}


def hour_number(stamp: datetime, walk: int) -> float:
    return float(stamp.timestamp() // 3600 % 1000)


@dataclass
class Paged:
    """Records every `every` seconds, `size` to a page, `value(stamp, walk)` in each."""

    every: int = 3600
    size: int = 10
    value: Callable[[datetime, int], float] = hour_number
    delay: float = 0.0
    holds: Callable[[datetime], bool] = lambda _: True
    walks: Iterator[int] = field(default_factory=itertools.count)

    def __call__(self, request: faulty.Request) -> faulty.Answer:
        log = request.path.rpartition("/")[2]
        if log not in FIELD:
            return faulty.error(404, "not_found")
        first, last = (
            datetime.fromisoformat(request.query[name]) for name in ("date_from", "date_to")
        )
        if first.date() != last.date() or first.utcoffset() != last.utcoffset():
            return faulty.error(400, "invalid_request", "the range spans days")
        walk, begin = next(self.walks), 0
        if "cursor" in request.query:
            walk, begin = (int(n) for n in request.query["cursor"].split(" &=+%/")[:2])
        stamps = [stamp for stamp in self.stamps(first, last) if self.holds(stamp)]
        chosen = stamps[begin : begin + self.size]
        hours: dict[str, list[dict[str, object]]] = {}
        for stamp in chosen:
            record = {"date": stamp.isoformat(), FIELD[log]: self.value(stamp, walk)}
            hours.setdefault(str(stamp.hour), []).append(record)
        more = begin + self.size < len(stamps)
        cursor = f"{walk} &=+%/{begin + self.size} &=+%/é" if more else None
        body = json.dumps({log: hours, "cursor": cursor}).encode()
        headers = {"Content-Type": "application/json", "Set-Cookie": "session=cookie-of-tests"}
        return faulty.Answer(200, body, {**headers, "Vary": "Authorization"}, delay=self.delay)

    def stamps(self, first: datetime, last: datetime) -> list[datetime]:
        """The stamps in [first, last], in the offset of `first`."""
        begun = first.astimezone(UTC).timestamp()
        late = -begun % self.every
        count = int(((last - first).total_seconds() - late) // self.every) + 1
        start = first + timedelta(seconds=late)
        return [start + timedelta(seconds=self.every * n) for n in range(max(0, count))]
