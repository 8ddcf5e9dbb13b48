"""Hours and gaps of the 20 Hz log: rows count, lost packets do not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyelog as el
from support.packets import PACKET_US, flagged_at, packets

N = 1200


def test_a_recording_without_losses_has_no_gap_however_uneven_its_stamps():
    assert el.gaps(packets(N, jitter_us=24_000)).empty


def test_lost_packets_are_gaps_and_no_exposure():
    whole = packets(N, jitter_us=0)
    frame = whole.drop(whole.index[[*range(100, 110), 400, *range(700, 900)]])
    gaps = el.gaps(frame)
    assert gaps["kind"].tolist() == ["lost", "lost", "lost"]
    assert gaps["n_expected"].tolist() == [10, 1, 200]
    assert gaps["start"].tolist() == [whole.index[i] for i in (99, 399, 699)]
    assert gaps["end"].tolist() == [whole.index[i] for i in (109, 400, 899)]
    hours = el.coverage(frame).iloc[0]
    assert hours["n"] == N - 211
    assert hours["recorded_h"] * 3600 == pytest.approx((N - 211) * 0.05)


def test_lost_packets_among_uneven_stamps_end_at_the_latest_with_the_next_row():
    frame = packets(N, jitter_us=24_000)
    frame = frame.drop(frame.index[[300, 301, 302]])
    (gap,) = el.gaps(frame).itertuples()
    assert gap.n_expected == 3
    assert gap.start == frame.index[299]
    assert gap.end <= frame.index[300]


def test_the_end_of_a_connection_is_a_gap_of_its_own_kind_and_no_loss():
    first = packets(N, jitter_us=0)
    second = packets(N, jitter_us=0, start="2026-10-20T11:00:00Z")
    gaps = el.gaps(pd.concat([first, second]))
    assert gaps["kind"].tolist() == ["asleep"]
    assert gaps["start"].iloc[0] == first.index[-1]
    assert gaps["end"].iloc[0] == pd.Timestamp("2026-10-20T11:00:00Z")
    assert gaps["n_expected"].iloc[0] == 20 * 59 * 60


steps = st.one_of(
    st.integers(1, 300_000),
    st.integers(900_000, 1_100_000),
    st.integers(11_900_000, 12_100_000),
    st.integers(1, 14_000_000),
)
numbers = st.one_of(st.none(), st.integers(0, 255))


@given(st.lists(st.tuples(steps, numbers), min_size=2, max_size=40), st.booleans())
@settings(max_examples=40, deadline=None)
def test_losses_and_connections_follow_from_counting_by_hand(rows, numbered):
    us = np.cumsum([step for step, _ in rows])
    sequence = [number if numbered else None for _, number in rows]
    lost, connections = 0, 1
    for i in range(1, len(us)):
        step, (before, after) = us[i] - us[i - 1], sequence[i - 1 : i + 1]
        missing, new = 0, step > 12_000_000
        if before is None or after is None:
            missing = round(step / PACKET_US) - 1 if step > 1_000_000 else 0
        else:
            missing = (after - before - 1) % 256
            if before == after and step <= 1_000_000:  # received twice
                missing = 0
            new = new or (missing > 0 and abs((missing + 1) * PACKET_US - step) > 1_000_000)
        lost, connections = lost + (0 if new else missing), connections + new
    frame = packets(len(us), {"sequenceNumber": pd.array(sequence, "Int64")})
    stamps = frame.index[0] + pd.to_timedelta(us, unit="us")
    gaps = el.gaps(frame.set_axis(stamps.as_unit("us").rename("date")))
    assert gaps.loc[gaps["kind"] == "lost", "n_expected"].sum() == lost
    assert (gaps["kind"] == "asleep").sum() == connections - 1


def test_a_masked_frame_and_one_without_numbers_have_gaps_too():
    frame = packets(N, {"fitError": flagged_at(N, 600).astype(float)}, jitter_us=0)
    frame = frame.drop(frame.index[200:300])
    masked = el.mask(frame, el.flag(frame))
    pd.testing.assert_frame_equal(el.gaps(masked), el.gaps(frame))
    bare = el.gaps(frame.drop(columns="sequenceNumber"))
    assert bare["kind"].tolist() == ["lost"]
    assert bare["n_expected"].tolist() == [100]


def test_hours_add_up_whatever_the_stamps():
    frame = packets(
        N,
        {
            "noiseStatus": flagged_at(N, 50),
            "walking": flagged_at(N, 200),
            "fitError": flagged_at(N, 700).astype(float),
        },
        jitter_us=0,
    )
    hours = el.coverage(frame).iloc[0] * 3600
    assert hours["recorded_h"] == pytest.approx(N * 0.05)
    assert hours["worn_h"] == pytest.approx((N - 101) * 0.05)
    assert hours["walking_h"] == pytest.approx(26 * 0.05)
    assert hours["valid_h"] == pytest.approx((N - 101 - 26 - 21) * 0.05)
    assert hours["unworn_h"] == pytest.approx(101 * 0.05)
    assert hours["uncounted_h"] == pytest.approx(101 * 0.05)
    assert el.coverage(frame)["capped"].iloc[0] == 0
