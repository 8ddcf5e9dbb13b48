"""Draws: exact, reproducible and of the promised shape."""

import numpy as np
import pytest

from eyelog.wearer.draws import Draws, Stream, bouts, wander


def test_the_same_stream_gives_the_same_draws_and_another_gives_others() -> None:
    first, again, other = (
        Draws(3, stream, 739_000).wholes(0, 999, 50)
        for stream in (Stream.LIFE, Stream.LIFE, Stream.PLAN)
    )
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_no_two_purposes_share_a_stream() -> None:
    assert len({stream.value for stream in Stream}) == len(Stream.__members__)


def test_whole_numbers_fill_their_range_evenly() -> None:
    draws = Draws(1, Stream.LIFE)
    counts = np.bincount(draws.wholes(2, 6, 50_000))
    assert counts[:2].tolist() == [0, 0]
    assert counts[2:] == pytest.approx(10_000, rel=0.05)
    assert {draws.whole(2, 6) for _ in range(200)} == {2, 3, 4, 5, 6}


def test_bell_shaped_numbers_have_mean_0_and_sd_1_and_an_end() -> None:
    numbers = Draws(1, Stream.LIFE).bell(100_000)
    assert numbers.mean() == pytest.approx(0, abs=0.01)
    assert numbers.std() == pytest.approx(1, abs=0.01)
    assert np.abs(numbers).max() < 3.47


def test_events_happen_as_often_as_their_rate_says() -> None:
    cells = Draws.cells(np.full(60 * 1000, 6.0))
    events = Draws(1, Stream.LIFE).happen(cells)
    assert events.sum() / 1000 == pytest.approx(6, rel=0.05)
    assert Draws.per_minute(cells[:1])[0] == pytest.approx(6, rel=0.001)


def test_bouts_keep_to_their_limits() -> None:
    onset = np.zeros(10_000, dtype=np.int64)
    onset[::100] = 65536
    lengths = bouts(Draws(1, Stream.LIFE), onset, 3, 22).reshape(-1, 100).sum(axis=1)
    assert lengths.min() == 3
    assert lengths.max() == 22


def test_a_wandering_number_changes_slowly() -> None:
    numbers = wander(Draws(1, Stream.LIFE), 1000, 50)
    assert np.abs(np.diff(numbers)).max() < 2 * 3.47 / 50
    assert numbers.std() > 0.3
