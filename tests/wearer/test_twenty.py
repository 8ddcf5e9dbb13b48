"""The 20 Hz log of the simulated wearer: every row follows from the events that its truth lists."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import CURRENT_DATA, catalogue, columns
from support.wearers import FIFTEEN, MONDAY


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return el.simulate(MONDAY, 1, log=CURRENT_DATA, seed=3, tz="Europe/Berlin")


@pytest.fixture(scope="module")
def events() -> pd.DataFrame:
    return el.simulate_truth(MONDAY, 1, log=CURRENT_DATA, seed=3, tz="Europe/Berlin")


def _connection(rows: pd.DataFrame) -> np.ndarray:
    """Number the connections: a pause of more than 12 s begins a new one."""
    pause = rows.index.to_series().diff() > pd.Timedelta("12s")
    return pause.cumsum().to_numpy()


def test_a_day_has_the_shape_and_the_ranges_of_the_catalogue(rows: pd.DataFrame) -> None:
    assert tuple(rows.columns) == columns(CURRENT_DATA)
    assert rows.index.is_unique
    assert rows.index.is_monotonic_increasing
    for name, known in catalogue(CURRENT_DATA).items():
        if name == "date":
            continue
        assert str(rows[name].dtype) == known.dtype
        assert (rows[name] != rows[name].iloc[0]).any(), name
        if known.min is not None:
            assert rows[name].between(known.min, known.max).all(), name
            assert known.value_type != "int" or (rows[name] % 1 == 0).all(), name


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("blink", "blinkStrength"),
        ("eye_up", "eyeMoveUp"),
        ("eye_down", "eyeMoveDown"),
        ("eye_left", "eyeMoveLeft"),
        ("eye_right", "eyeMoveRight"),
    ],
)
def test_a_row_reports_an_eye_event_exactly_where_one_was_planted(
    rows: pd.DataFrame, events: pd.DataFrame, kind: str, column: str
) -> None:
    planted = events[events["kind"] == kind].dropna(subset="row").set_index("row")["value"]
    seen = rows.loc[rows[column] > 0, column]
    assert len(planted) > 1000
    pd.testing.assert_series_equal(
        seen, planted.sort_index(), check_names=False, check_freq=False, check_index_type=False
    )


def test_a_blink_is_reported_half_a_second_late_and_a_step_a_fifth(events: pd.DataFrame) -> None:
    for kind, lag in (("blink", 500), ("step", 200)):
        some = events[events["kind"] == kind].dropna(subset="row")
        late = (some["row"] - some.index.to_series()) / pd.Timedelta("1ms")
        # The phone's stamp comes up to 10 ms early.
        assert late.between(lag - 10, lag).all()


def test_a_row_has_a_step_exactly_where_one_was_planted(
    rows: pd.DataFrame, events: pd.DataFrame
) -> None:
    planted = events.loc[events["kind"] == "step", "row"].dropna()
    assert len(planted) > 5000
    assert list(rows.index[rows["walking"].astype(bool)]) == sorted(planted)


def test_the_numbers_of_the_packets_leap_by_what_was_lost(
    rows: pd.DataFrame, events: pd.DataFrame
) -> None:
    leaps = rows["sequenceNumber"].groupby(_connection(rows)).diff().dropna()
    losses = events[events["kind"] == "loss"]
    assert ((leaps - 1) % 256).sum() == losses["value"].sum()
    assert ((leaps - 1) % 256 > 0).sum() == len(losses)


def test_rows_follow_one_another_by_about_50_ms_unless_packets_were_lost(
    rows: pd.DataFrame,
) -> None:
    step_ms = rows.index.to_series().diff() / pd.Timedelta("1ms")
    next_packet = rows["sequenceNumber"].diff() % 256 == 1
    assert step_ms[next_packet].between(40, 60).all()
    assert step_ms[next_packet].nunique() == 21


def test_the_yaw_of_each_connection_drifts_as_planted(
    rows: pd.DataFrame, events: pd.DataFrame
) -> None:
    drift = events.loc[events["kind"] == "drift", "value"].to_numpy()
    connection = _connection(rows)
    assert len(drift) == connection[-1] + 1
    speeds = []
    for _, yaw in rows["yaw"].groupby(connection):
        # A drift is slow, and a head movement ends where it began: the median over 10 s shows it.
        later = yaw.diff(200).dropna()
        later = (later + 180) % 360 - 180
        seconds = 200 * 0.05
        speeds.append((later / seconds).median())
    np.testing.assert_allclose(speeds, drift, atol=0.02)


def test_most_humps_leap_alone(rows: pd.DataFrame, events: pd.DataFrame) -> None:
    for axis in ("roll", "pitch", "yaw"):
        humps = events[events["kind"] == f"hump_{axis}"]
        place = rows.index.get_indexer(pd.DatetimeIndex(humps["row"].dropna()))
        place = place[(place > 0) & (place < len(rows) - 1)]
        velocity = np.abs((np.diff(rows[axis]) + 180) % 360 - 180)
        leaps = (
            (velocity[place - 1] > 0.4) & (velocity[place - 2] < 0.35) & (velocity[place] < 0.35)
        )
        assert leaps.mean() > 0.9, axis


def test_the_15_second_log_counts_the_events_of_the_rows(
    rows: pd.DataFrame, events: pd.DataFrame
) -> None:
    fifteen = el.simulate(MONDAY, 1, log=FIFTEEN, seed=3, tz="Europe/Berlin")
    stamps = pd.DatetimeIndex(fifteen.index)
    opens = stamps - pd.Timedelta("15s")

    def within(times: pd.Index) -> np.ndarray:
        return np.searchsorted(times, stamps, "right") - np.searchsorted(times, opens, "right")

    # The rows stop a minute after the eyewear came off, the 15-second log does not.
    shared = within(rows.index) > 250
    assert shared.sum() > 3000
    for kind, field, most in (("blink", "rbk_n", 1), ("step", "stp", 0)):
        planted = within(events.index[events["kind"] == kind])[shared]
        counted = fifteen.loc[shared, field].to_numpy()
        # The buffer opens up to a second early or late, so a blink may count twice or not at all.
        assert np.quantile(np.abs(planted - counted), 0.9) <= most
        assert abs(planted.sum() / counted.sum() - 1) < 0.01


def test_a_day_of_rows_is_the_same_whenever_the_simulation_starts(rows: pd.DataFrame) -> None:
    both = el.simulate("2026-10-18", 2, log=CURRENT_DATA, seed=3, tz="Europe/Berlin")
    assert both.loc[rows.index[0] :].equals(rows)


def test_the_sample_week_of_the_rows_is_refused_with_what_to_do() -> None:
    with pytest.raises(el.ConfigurationError, match="simulate"):
        el.sample(CURRENT_DATA)
