"""Hours and gaps, of intervals and of packets."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import CALM, EYES, MINUTES, at, frame_of, frames, shaped
from support.laws import examples
from support.logs import INTERVAL_SECONDS, LOGS
from support.packets import PACKET_US, flagged_at, packets


def day(log, start, hours, tz="UTC", **fields):
    n = int(hours * 3600 / INTERVAL_SECONDS[log])
    rows = {name: [value] * n for name, value in (dict(CALM[log]) | fields).items()}
    return frame_of(log, rows, start=start, tz=tz)


def test_a_first_day_that_holds_only_its_closing_record_is_left_out():
    frame = day(MINUTES, "2026-10-19T23:59:00Z", 25)
    assert el.coverage(frame).index[0] == pd.Timestamp("2026-10-20")
    assert el.coverage(frame.iloc[:1]).empty


def test_days_without_records_have_a_row_and_no_worn_time_is_not_claimed_for_them():
    frame = day(MINUTES, "2026-10-20T00:00:00Z", 72)
    frame = frame[frame.index.map(lambda s: (s - pd.Timedelta("1us")).day != 21)]
    table = el.coverage(frame)
    assert table["n"].tolist() == [1440, 0, 1440]
    assert table["coverage"].tolist() == [1, 0, 1]
    assert table["recorded_h"].tolist() == [24, 0, 24]
    assert table["worn_h"].isna().tolist() == [False, True, False]


def test_any_grouping_says_how_much_of_its_time_was_recorded():
    frame = day(MINUTES, "2026-10-23T00:00:00Z", 84)  # Friday to Monday noon
    assert el.coverage(frame, by="hour")["expected_h"].tolist() == [4.0] * 12 + [3.0] * 12
    weekend = el.coverage(frame, by="weekend")
    assert weekend["expected_h"].to_dict() == {"weekday": 36.0, "weekend": 48.0}
    labels = pd.Series("desk", index=frame.index[:60]).reindex(frame.index)
    assert el.coverage(frame, by=labels)["recorded_h"].to_dict() == {"desk": 1.0}
    assert el.coverage(frame, by=None)["coverage"].tolist() == [1.0]
    assert el.coverage(frame, by=["weekend", "hour"])["coverage"].eq(1.0).all()
    with pytest.raises(el.ConfigurationError, match="did you mean 'weekday'"):
        el.coverage(frame, by="weekdays")


def test_a_day_can_start_in_the_evening():
    frame = day(MINUTES, "2026-10-20T18:00:00Z", 24)
    assert el.coverage(frame)["recorded_h"].tolist() == [6, 18]
    night = el.coverage(frame, day_starts="18:00")
    assert night.index.tolist() == [pd.Timestamp("2026-10-20")]
    assert night["coverage"].tolist() == [1]


def hours_asked(frame, **options):
    return el.coverage(frame, **options)[["recorded_h", "expected_h", "coverage"]]


@pytest.mark.parametrize("log", LOGS)
def test_coverage_between_clock_times_is_of_the_hours_asked_for(log, tmp_path):
    frame = day(log, "2026-10-20T00:00:00Z", 48)
    work = el.between_time(frame, "09:00", "17:00")
    assert hours_asked(work).to_numpy().tolist() == [[8, 8, 1]] * 2
    assert hours_asked(work[:-4]).iloc[1]["coverage"] < 1
    assert el.daily(work)["coverage"].tolist() == [1, 1]
    assert hours_asked(work, by="hour").index.tolist() == list(range(9, 17))
    assert el.resample(work, "6h")["coverage"].iloc[0] == 1
    parts = [el.between_time(frame, *times) for times in (("13:00", "17:00"), ("09:00", "12:00"))]
    assert hours_asked(pd.concat(parts).sort_index())["expected_h"].tolist() == [7, 7]
    whole = pd.concat([work, frame[~frame.index.isin(work.index)]]).sort_index()
    assert hours_asked(whole)["expected_h"].tolist() == [24, 24]
    night = el.between_time(frame, "22:00", "06:00")
    assert hours_asked(night)["expected_h"].tolist() == [8, 8]
    assert hours_asked(night, day_starts="12:00")["recorded_h"].tolist() == [6, 8, 2]
    masked = el.mask(frame, el.flag(frame))
    work.to_parquet(tmp_path / "work.parquet")
    for same in (
        el.between_time(masked, "09:00", "17:00"),
        el.mask(work, el.flag(work)),
        el.intervals(work, "1h"),
        el.between_time(el.intervals(frame, "1h"), "09:00", "17:00"),
        pd.read_parquet(tmp_path / "work.parquet"),
    ):
        assert_frame_equal(hours_asked(same), hours_asked(work))


def test_a_clock_that_goes_forward_asks_for_less():
    frame = day(MINUTES, "2026-03-28T23:00:00Z", 23, tz="Europe/Berlin")
    assert hours_asked(el.between_time(frame, "00:00", "06:00"))["expected_h"].tolist() == [5]


def test_bins_over_years_with_hardly_any_records_are_refused_by_name():
    now, long_ago = day(MINUTES, "2026-10-20T00:00:00Z", 4), day(MINUTES, "2000-10-20T00:00:00Z", 1)
    frame = pd.concat([long_ago[:3], now])
    assert len(el.coverage(frame)) == 9497  # days are few, however far apart
    with pytest.raises(
        el.ConfigurationError, match=r"1,\d{3},\d{3} bins of '10min'.* 25 of them"
    ) as at:
        el.coverage(frame, by="10min")
    advised = frame.loc[str(at.value).split("frame.loc['")[1][:7] :]
    assert len(el.coverage(advised, by="10min")) == 24


@pytest.mark.parametrize("lost", ["n", "span_s", "before_n", "width_s"])
@pytest.mark.parametrize("ask", [el.coverage, el.daily, el.blinks.rate])
def test_intervals_without_a_column_that_every_summary_needs_are_refused_by_name(ask, lost):
    table = el.intervals(el.sample(MINUTES), "1h").drop(columns=lost)
    with pytest.raises(el.FieldError, match=f"'recorded_s' of Intervals and lacks '{lost}'"):
        ask(table)


@pytest.mark.parametrize("lost", ["gap_s", "gap_n", "gap_seen_s"])
def test_intervals_without_a_sum_of_the_blink_rate_have_days_without_one(lost):
    table = el.intervals(el.sample(), "1h").drop(columns=lost)
    days = el.daily(table)
    assert "steps" in days
    assert days.get("blink_rate_per_min", pd.Series(dtype=float)).isna().all()
    with pytest.raises((el.FieldError, el.ConfigurationError), match="blink"):
        el.blinks.rate(table)


def holes(frame, **options):
    table = el.gaps(frame, **options)
    return [
        (row.kind, f"{row.start:%H:%M:%S}", f"{row.end:%H:%M:%S}", row.n_expected)
        for row in table.itertuples()
    ]


def test_missing_rows_are_an_implicit_gap_from_the_last_stamp_to_the_next_interval():
    frame = frame_of(MINUTES, {"wea_s": [60] * 6}).iloc[[0, 1, 4, 5]]
    assert holes(frame) == [("implicit", "10:02:00", "10:04:00", 2)]
    assert el.gaps(frame)["duration"].tolist() == [pd.Timedelta("2min")]


def test_rows_of_missing_values_are_an_explicit_gap():
    frame = frame_of(MINUTES, {"wea_s": [60, None, None, 60, None]}, calm=False)
    assert holes(frame) == [
        ("explicit", "10:01:00", "10:03:00", 2),
        ("explicit", "10:04:00", "10:05:00", 1),
    ]


def test_a_grid_that_starts_anew_is_irregular_beside_the_whole_intervals_that_are_missing():
    frame = at(
        frame_of(EYES, {"stp": [0] * 4}),
        [
            "2026-10-20T10:00:00Z",
            "2026-10-20T10:00:15Z",
            "2026-10-20T10:01:07Z",
            "2026-10-20T10:01:22Z",
        ],
    )
    assert holes(frame) == [
        ("implicit", "10:00:15", "10:00:45", 2),
        ("irregular", "10:00:45", "10:00:52", 0),
    ]


def test_records_that_overlap_are_irregular_and_leave_no_time_uncovered():
    frame = at(frame_of(EYES, {"stp": [0, 0]}), ["2026-10-20T10:00:00Z", "2026-10-20T10:00:07Z"])
    assert holes(frame) == [("irregular", "10:00:00", "10:00:00", 0)]


def test_days_of_23_and_25_hours_are_no_gap_between_intervals_of_days():
    frame = day(MINUTES, "2026-10-22T22:00:00Z", 97, tz="Europe/Berlin")
    days = el.intervals(frame, "1D")
    assert el.gaps(days).empty
    for kept, lost in (([0, 2], 1), ([0, 1, 3], 1), ([0, 3], 2)):
        table = el.gaps(days.iloc[kept])
        assert table["kind"].tolist() == ["implicit"]
        assert table["n_expected"].tolist() == [lost]


def test_intervals_without_records_are_gaps():
    frame = frame_of(MINUTES, {"wea_s": [60] * 40}).iloc[[*range(10), *range(30, 40)]]
    assert holes(el.intervals(frame, "10min")) == [("implicit", "10:10:00", "10:30:00", 2)]


@given(frames())
def test_recorded_time_and_gaps_make_up_all_the_time_between_the_first_and_the_last(frame):
    step = pd.Timedelta(INTERVAL_SECONDS[frame.attrs["eyelog"]["log"]], "s")
    table = el.gaps(frame)
    between = table[table["kind"] != "explicit"]
    assert (table["duration"] == table["end"] - table["start"]).all()
    assert table["start"].is_monotonic_increasing
    if len(frame):
        span = frame.index[-1] - frame.index[0] + step
        assert between["duration"].sum() + len(frame) * step == span
        assert (between["n_expected"] * step == between["duration"]).all()
    empty_rows = int(frame.isna().all(axis=1).sum())
    assert table.loc[table["kind"] == "explicit", "n_expected"].sum() == empty_rows


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=30, unique=True))
def test_gaps_on_any_grid_add_up_to_the_time_that_no_record_covers(offsets):
    offsets = sorted(offsets)
    index = pd.Timestamp("2026-03-28T23:30:00Z") + pd.to_timedelta(offsets, unit="s")
    frame = pd.DataFrame({"stp": 0.0}, index=pd.DatetimeIndex(index).as_unit("us").rename("date"))
    frame = shaped(frame, EYES, tz="Europe/Berlin")
    covered = set()
    for offset in offsets:
        covered |= set(range(offset - 15, offset))
    free = set(range(offsets[0], offsets[-1])) - covered
    try:
        gaps = el.gaps(frame)
    except el.ConfigurationError:  # so many rows at once are those of two devices
        assume(condition=False)
    assert gaps["duration"].sum() == pd.Timedelta(len(free), "s")


def test_a_day_says_what_its_steps_miss():
    frame = frame_of(EYES, {"stp": [30.0] * 4 + [255.0] * 2 + [0.0] * 2, "cad": [120.0] * 8})
    frame["isl"] = pd.array([False] * 7 + [True], dtype="boolean")
    row, totals = el.coverage(frame).iloc[0], el.daily(frame).iloc[0]
    assert totals["steps"] == 120 + 510
    assert totals["walking_h"] == row["walking_h"] == pytest.approx(1.5 / 60)
    assert row["expected_h"] - row["recorded_h"] == pytest.approx(24 - 2 / 60)
    assert row["unworn_h"] == row["uncounted_h"] == pytest.approx(0.25 / 60)
    assert row["recorded_h"] - row["uncounted_h"] == pytest.approx(7 * 0.25 / 60)
    assert row["capped"] == 2


def test_a_minute_is_unworn_in_part_and_uncounted_as_a_whole():
    frame = frame_of(MINUTES, {"wea_s": [60, 45, 0], "stp_s": [0] * 3})
    frame = frame.assign(**dict.fromkeys(("stp_fst", "stp_mid", "stp_slw", "stp_vsl"), 0.0))
    row = el.coverage(frame).iloc[0]
    assert row["unworn_h"] == pytest.approx((0 + 15 + 60) / 3600)
    assert (row["uncounted_h"], row["capped"]) == (pytest.approx(60 / 3600), 0)


@pytest.mark.filterwarnings("ignore:not judged:eyelog.EyelogWarning")
@pytest.mark.parametrize("log", LOGS)
def test_what_was_not_counted_is_missing_without_steps(log):
    frame = day(log, "2026-10-20T00:00:00Z", 2)
    table = el.coverage(frame.drop(columns=[n for n in frame if n.startswith("stp")]))
    assert table[["uncounted_h", "capped"]].isna().all(axis=None)
    assert table["unworn_h"].notna().all()


def test_gaps_do_not_ask_for_the_limits_that_a_frame_was_masked_with():
    frame = el.sample()
    strict = el.Limits(max_noise="1s")
    masked = el.mask(frame, el.flag(frame, limits=strict))
    assert_frame_equal(el.gaps(masked), el.gaps(frame))
    assert el.describe(masked, limits=strict)


# Hours and gaps of the 20 Hz log: rows count, lost packets do not


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


pauses = st.one_of(
    st.integers(1, 300_000),
    st.integers(900_000, 1_100_000),
    st.integers(11_900_000, 12_100_000),
    st.integers(1, 14_000_000),
)
of_packets = st.one_of(st.none(), st.integers(0, 255))


@given(st.lists(st.tuples(pauses, of_packets), min_size=2, max_size=40), st.booleans())
@examples(40)
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
