"""Months of UTC, and the stamps in them."""

from datetime import UTC, datetime

import numpy as np
import pytest

from eyelog.archive.utc_stamps import (
    group_edges,
    instant_us,
    is_month,
    month_edges,
    months_of,
    overlap,
    span_of,
)


def test_groups_cut_a_month_into_four_days() -> None:
    edges = group_edges("2026-02")
    first, after = month_edges("2026-02")
    assert (edges[0], edges[-1], len(edges)) == (first, after, 8)
    assert set(np.diff(edges)) == {4 * 86_400_000_000}


def test_a_stamp_lies_in_one_month_up_to_its_last_microsecond() -> None:
    first, after = month_edges("2026-10")
    assert first == instant_us(datetime(2026, 10, 1, tzinfo=UTC))
    stamps = np.array([first - 1, first, after - 1, after])
    assert months_of(stamps) == ["2026-09", "2026-10", "2026-11"]
    assert [overlap("2026-10", (us, us + 1)) for us in stamps.tolist()] == [
        False,
        True,
        True,
        False,
    ]


def test_a_range_has_the_whole_of_its_last_second() -> None:
    first, after = span_of("2026-10-24", "2026-10-24", "Asia/Tokyo")
    assert first == instant_us(datetime(2026, 10, 23, 15, tzinfo=UTC))
    assert after - first == 86_400_000_000


@pytest.mark.parametrize("text", ["2026-13", "2026-00", "2026-1", "2026-10 ", "٢٠٢٦-10", "gone"])
def test_other_names_are_not_months(text: str) -> None:
    assert is_month("2026-10")
    assert not is_month(text)
