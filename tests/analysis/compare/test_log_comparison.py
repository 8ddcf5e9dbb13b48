"""The app's 15-second log against the rows: equal where it should be, and buffers are seen."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.packets import packets

N = 3000  # 10 records


def test_a_log_made_from_the_rows_differs_nowhere():
    rows = packets(N, seed=4)
    table = el.compare.logs(rows, el.intervals(rows))
    assert (table["equal_share"].dropna() == 1).all()
    assert (table["bias"].dropna() == 0).all()
    assert (table["repeated_share"].dropna() == 0).all()
    assert (table["only_fifteen"] == 0).all()
    assert table.loc["stp", "n"] == 10


def test_a_known_difference_is_its_bias_and_spread():
    rows = packets(N, seed=4)
    app = el.intervals(rows)
    app["rbk_n"] += [1, 2] * 5
    line = el.compare.logs(rows, app).loc["rbk_n"]
    assert line["bias"] == pytest.approx(1.5)
    assert line["difference_sd"] == pytest.approx(np.std([1, 2] * 5, ddof=1))
    assert line["equal_share"] == 0
    assert line["unit"] == "count"


def test_values_that_repeat_while_nobody_blinks_are_counted_as_repeated():
    quiet = np.arange(N) >= 600
    blink = (np.arange(N) % 50 == 0) & ~quiet
    rows = packets(N, {"blinkSpeed": blink * 120.0, "blinkStrength": blink * 80.0})
    app = el.intervals(rows)
    app["bkh_av"] = app["bkh_av"].ffill()  # what a buffer does
    line = el.compare.logs(rows, app).loc["bkh_av"]
    assert line["n"] == 2
    assert line["only_fifteen"] == 8
    assert line["repeated_share"] == pytest.approx(8 / 9)


def test_records_without_their_rows_are_left_out():
    rows = packets(N, seed=4)
    app = el.intervals(rows)
    table = el.compare.logs(rows.drop(rows.index[400:460]), app)
    assert table.loc["rbk_n", "n"] == 9


def test_the_order_of_the_rows_does_not_matter():
    rows = packets(N, seed=4)
    app = el.intervals(rows)
    pd.testing.assert_frame_equal(
        el.compare.logs(rows.sample(frac=1, random_state=1), app.iloc[::-1]),
        el.compare.logs(rows, app),
    )


def test_what_cannot_be_compared_is_refused_in_one_line():
    rows = packets(N)
    with pytest.raises(el.MixedLogsError, match="the frame holds 'current_data', not 'computed"):
        el.compare.logs(rows, rows)
    with pytest.raises(el.ConfigurationError, match="needs the 20 Hz log"):
        el.compare.logs(el.sample(), rows)
    with pytest.raises(el.ConfigurationError, match="share no record of 15 s"):
        el.compare.logs(rows, el.sample())
    with pytest.raises(el.ConfigurationError, match="single intervals"):
        el.compare.logs(rows, el.resample(el.intervals(rows), "1min"))
