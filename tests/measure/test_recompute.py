"""The 15-second log made again from single rows: what a reader who goes row by row would write."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.laws import examples
from support.packets import flagged_at, packets


def drawn(seed: int, n: int, gone: int) -> pd.DataFrame:
    """Return packets with blinks, steps, noise and unworn time; some are lost."""
    draws = np.random.default_rng(seed)
    blink = draws.random(n) < 0.02
    columns = {
        "blinkSpeed": blink * draws.integers(60, 300, n),
        "blinkStrength": blink * draws.integers(20, 300, n),
        "walking": draws.random(n) < draws.choice([0.0, 0.02, 0.1]),
        "noiseStatus": np.repeat(draws.random(-(-n // 40)) < 0.1, 40)[:n],
        "fitError": np.repeat(draws.random(-(-n // 100)) < 0.2, 100)[:n].astype(float),
        "eyeMoveUp": (draws.random(n) < 0.01) * 2.0,
    }
    frame = packets(n, columns, seed=seed)
    return frame.drop(frame.index[np.unique(draws.integers(1, n - 1, gone))])


def by_hand(frame: pd.DataFrame) -> list[dict[str, float]]:
    """Return the records of one connection, row by row."""
    opens = frame.index[0] - pd.Timedelta("50ms")
    numbers = [
        -(-us // 15_000_000) for us in ((frame.index - opens) // pd.Timedelta("1us")).tolist()
    ]
    rows = list(zip(numbers, frame.index, frame.to_dict("records"), strict=True))
    single = el.blinks.events(frame)
    steps = el.gait.steps(frame)
    records = []
    last = frame.index[-1] + pd.Timedelta("50ms")
    for nth in range(1, int((last - opens) / pd.Timedelta("15s")) + 1):
        own = [(stamp, row) for number, stamp, row in rows if number == nth]
        seen = [row for _, row in own]
        counted = [
            row for row in seen
            if 35 <= row["blinkStrength"] <= 250 and 90 <= row["blinkSpeed"] <= 250
        ]  # fmt: skip
        heights = [row["blinkStrength"] for row in counted]
        between = single["interval_s"].reindex([stamp for stamp, _ in own]).dropna().tolist()
        times = steps["step_time_s"].reindex([stamp for stamp, _ in own]).dropna().tolist()
        noisy = min(sum(row["noiseStatus"] for row in seen) / 20, 15)
        taken = sum(row["walking"] for row in seen)
        few = len(own) < 270
        records.append(
            {
                "stp": np.nan if few else taken,
                "rbk_n": np.nan if few else sum(row["blinkStrength"] > 0 for row in seen),
                "bk_n": np.nan if few else len(counted),
                "re_u": np.nan if few else sum(row["eyeMoveUp"] > 0 for row in seen),
                "nis_time": np.nan if few else noisy,
                "bki_n": np.nan if few else len(between),
                "bki_sum": np.nan if few else sum(between),
                "bki_av": np.mean(between) if between else np.nan,
                "bkh_sum": np.nan if few else sum(heights),
                "bkh_max": max(heights, default=np.nan),
                "bkh_av": np.mean(heights) if heights else np.nan,
                "bkh_sd": np.std(heights) if heights else np.nan,
                "bkw_av": np.mean([r["blinkSpeed"] for r in counted]) if counted else np.nan,
                "cad": 60 / np.mean(times) if times else (0.0 if taken == 0 else np.nan),
                "vld": noisy <= 3 and taken <= 5,
                "isl": np.mean([row["fitError"] for row in seen]) > 0.5,
            }
        )
    return records


@examples(8)
@given(seed=st.integers(0, 10**6), n=st.integers(301, 1000), gone=st.sampled_from([0, 3, 80]))
def test_records_are_those_of_going_from_row_to_row(seed, n, gone):
    frame = drawn(seed, n, gone)
    made, hand = el.recompute(frame), pd.DataFrame(by_hand(frame))
    assert len(made) == len(hand)
    for name in hand:
        np.testing.assert_allclose(
            made[name].astype("float64"), hand[name].astype("float64"), atol=1e-9, err_msg=name
        )


def test_the_15_seconds_are_counted_from_the_start_of_each_connection():
    one = packets(700, jitter_us=0)
    other = packets(320, jitter_us=0, start="2026-10-20T11:00:07Z")
    made = el.recompute(pd.concat([one, other]))
    start = pd.Timestamp("2026-10-20T10:00:00Z")
    assert [(stamp - start).total_seconds() for stamp in made.index] == [15, 30, 3622]


def test_tilt_and_head_movements_are_those_of_the_rows():
    push = np.zeros(600)
    push[[100, 101, 400, 401]] = 3
    lean = np.radians(np.where(np.arange(600) < 300, 10, 30))
    frame = packets(
        600,
        {"accX": push, "accY": 16 * np.sin(lean), "accZ": 16 * np.cos(lean)},
        jitter_us=0,
    )
    made = el.recompute(frame)
    np.testing.assert_allclose(made["tl_yav"], [10, 30], atol=0.5)
    assert made["hm_yo"].tolist() == [1, 1]
    assert made["hm_po"].tolist() == [0, 0]
    assert made["tl_ysd"].lt(3).all()


def test_what_cannot_be_made_is_left_out_and_what_can_be_is_a_frame_of_the_15_second_log():
    frame = packets(900, seed=3)
    with pytest.warns(el.EyelogWarning, match=r"MOVING \(walking\)"):
        made = el.recompute(frame.drop(columns=["accX", "accY", "accZ", "walking"]))
    assert not {"stp", "vld", "tl_yav", "hm_po"} & set(made.columns)
    whole = el.recompute(frame)
    assert set(whole.columns) <= set(el.fields("computed_data").index)
    assert whole.dtypes.astype(str).to_dict() == {
        name: el.fields("computed_data").loc[name, "dtype"] for name in whole.columns
    }
    assert el.daily(whole)["n"].tolist() == [3]


def test_noise_is_never_longer_than_the_record():
    made = el.recompute(packets(1200, {"noiseStatus": np.ones(1200, dtype=bool)}))
    assert (made["nis_time"] <= 15).all()
    assert not el.flag(made)["nis_time"].any()


def test_the_wearers_own_clock_goes_on():
    frame = packets(900).assign(utc_offset_min=540.0)
    assert el.recompute(frame)["utc_offset_min"].tolist() == [540.0] * 3


def test_rows_off_the_head_are_still():
    off = flagged_at(600, *range(300, 600)).astype(float)
    assert el.recompute(packets(600, {"fitError": off}, jitter_us=0))["isl"].tolist() == [
        False,
        True,
    ]


def test_without_packet_numbers_pauses_alone_begin_a_connection():
    frame = packets(700, jitter_us=0)
    made = el.recompute(frame.drop(columns="sequenceNumber"))
    pd.testing.assert_frame_equal(made, el.recompute(frame))
