import numpy as np
import pytest

import eyelog as el
from support.frames import EYES, frame_of


def test_explain_counts_each_reason_of_each_field():
    frame = frame_of(
        EYES, {"sc_fcs": [-1, None, 50, 50], "re_u": [255, 1, 1, 300], "vld": [True] * 3 + [False]}
    )
    table = el.explain(el.flag(frame))
    assert table.index.name == "field"
    assert table.index.tolist() == frame.columns.tolist()
    focus = table.loc["sc_fcs"]
    assert (focus["n"], focus["MISSING"], focus["SENTINEL"], focus["INVALID"]) == (4, 1, 1, 1)
    assert (focus["masked"], focus["masked_share"]) == (3, 0.75)
    up = table.loc["re_u"]
    assert (up["SATURATED"], up["RANGE"], up["INVALID"], up["masked"]) == (1, 1, 1, 1)


def test_explain_counts_what_mask_takes_out():
    frame = el.sample("standard_mode_logs").iloc[:2000]
    reasons = el.flag(frame)
    lost = el.mask(frame, reasons)[frame.columns].isna().sum()
    assert el.explain(reasons)["masked"].tolist() == lost.tolist()


def test_explain_takes_reasons_and_not_values():
    with pytest.raises(el.ConfigurationError, match="integers"):
        el.explain(frame_of(EYES, {"sc_fcs": [1]}))
    with pytest.raises(el.ConfigurationError, match="numbers that are not reasons"):
        el.explain(el.flag(frame_of(EYES, {"sc_fcs": [1]})).astype("int64") - 1)


def test_explain_keeps_the_counts_whole():
    table = el.explain(el.flag(frame_of(EYES, {"sc_fcs": [1, 2]})))
    assert set(table.drop(columns="masked_share").dtypes) == {np.dtype("int64")}


def test_the_largest_sum_of_reasons_is_one_and_the_next_number_is_not():
    reasons = el.flag(frame_of(EYES, {"sc_fcs": [1]}))
    every = sum(el.Reason.__members__.values())
    assert el.explain(reasons * 0 + every)["SATURATED"].eq(1).all()
    with pytest.raises(el.ConfigurationError, match="not reasons"):
        el.explain(reasons * 0 + (every + 1))
