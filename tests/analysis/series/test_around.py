"""What is seen in one row holds for its neighbours in time."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eyelog.analysis.series.around import around


@given(
    rows=st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=40),
    before=st.integers(0, 60),
    after=st.integers(0, 60),
)
def test_a_row_is_near_if_some_row_that_shows_it_is(rows, before, after):
    expected = [
        any(shows and us - after <= at <= us + before for at, shows in rows) for us, _ in rows
    ]
    us = np.array([us for us, _ in rows], dtype=np.int64)
    seen = np.array([shows for _, shows in rows], dtype=bool)
    assert around(us, seen, before, after).tolist() == expected
