"""P values corrected for their number."""

import hypothesis.strategies as st
import numpy as np
from hypothesis import given

from eyelog.analysis.series.holm import holm


def test_holms_p_are_those_of_his_procedure() -> None:
    found = holm(np.array([0.01, np.nan, 0.04, 0.03, 0.005]))
    np.testing.assert_allclose(found, [0.03, np.nan, 0.06, 0.06, 0.02])


@given(st.lists(st.floats(0, 1), max_size=9))
def test_a_corrected_p_is_never_smaller_and_keeps_the_order(p: list[float]) -> None:
    raw = np.array(p)
    corrected = holm(raw)
    assert (corrected >= raw).all()
    assert (corrected <= 1).all()
    order = np.argsort(raw, kind="stable")
    assert (np.diff(corrected[order]) >= 0).all()
