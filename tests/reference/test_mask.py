"""What is left after masking, held against the written-out definition."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from reference.flags import SATURATED, masked, stored_of
from reference.held import agree, quietly
from reference.rows import rows_of
from reference.strategies import both_logs, damaged, examples
from reference.times import valid_s, walking_s, worn_s

SECONDS = {"worn_s": worn_s, "valid_s": valid_s, "walking_s": walking_s}

any_frame = both_logs.flatmap(
    lambda log: st.tuples(st.just(log), st.one_of(damaged(log), damaged(log, fields="some")))
)
allowed = st.one_of(st.none(), st.integers(0, 2047))


def hold(log: str, frame: pd.DataFrame, allow: int | None) -> None:
    reasons = quietly(el.flag, frame, log=log)
    found = el.mask(frame, reasons, allow=allow)
    rows = rows_of(frame)
    bits = reasons.to_dict("records")
    passing = SATURATED if allow is None else allow
    expected = {row.pop("at"): row for row in masked(rows, bits, log, allow=passing)}
    agree(expected, found, list(frame.columns))
    assert found[list(frame.columns)].dtypes.equals(frame.dtypes)
    stored = {at: {"stored": cell} for at, cell in stored_of(rows_of(frame), log).items()}
    agree(stored, found, ["stored"])
    kept = [name for name in SECONDS if name in found]
    of_rows = {row["at"]: {name: SECONDS[name](row, log) for name in kept} for row in rows}
    agree(of_rows, found, kept)
    assert found.index.equals(frame.index)


@examples(25)
@given(any_frame, allowed)
def test_a_value_is_left_where_no_reason_that_counts_speaks_against_it(
    drawn: tuple[str, pd.DataFrame], allow: int | None
) -> None:
    hold(*drawn, allow)


@pytest.mark.slow("many drawn frames")
@examples(100)
@given(any_frame, allowed)
def test_what_is_left_on_many_frames(drawn: tuple[str, pd.DataFrame], allow: int | None) -> None:
    hold(*drawn, allow)
