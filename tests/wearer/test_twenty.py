"""The 20 Hz log of the simulated wearer: every row follows from the events that its truth lists."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.wearers import FIFTEEN, MONDAY

CURRENT_DATA = "current_data"


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


def test_a_row_has_a_step_exactly_where_one_was_planted(
    rows: pd.DataFrame, events: pd.DataFrame
) -> None:
    planted = events.loc[events["kind"] == "step", "row"].dropna()
    assert len(planted) > 5000
    assert list(rows.index[rows["walking"].astype(bool)]) == sorted(planted)


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


def test_the_sample_week_of_the_rows_is_refused_with_what_to_do() -> None:
    with pytest.raises(el.ConfigurationError, match="simulate"):
        el.sample(CURRENT_DATA)


@pytest.mark.slow("a day of 20 Hz rows is read twice")
@pytest.mark.parametrize(("lost", "least"), [(0.0, 0.99), (0.05, 0.95)])
def test_planted_blinks_are_found_even_with_some_packets_lost(
    rows: pd.DataFrame, events: pd.DataFrame, lost: float, least: float
) -> None:
    kept = rows[np.random.default_rng(1).random(len(rows)) >= lost]
    planted = events[events["kind"] == "blink"]
    found = el.blinks.events(kept)
    hits = len(pd.DatetimeIndex(planted["row"].dropna()).intersection(found.index))
    assert 2 * hits / (len(planted) + len(found)) >= least
    gaps = el.gaps(kept)
    assert lost or (gaps["kind"] == "lost").sum() == (events["kind"] == "loss").sum()


@pytest.mark.slow("a day of 20 Hz rows is summarised")
def test_the_15_second_log_and_the_20_hz_log_tell_one_story(rows: pd.DataFrame) -> None:
    single = el.daily(rows).iloc[0]
    counted = el.daily(el.simulate(MONDAY, 1, seed=3, tz="Europe/Berlin")).iloc[0]
    for name, share in (
        ("steps", 0.01),
        ("worn_h", 0.02),
        ("blink_rate_per_min", 0.05),
        ("blink_duration_ms", 0.02),
    ):
        assert single[name] == pytest.approx(counted[name], rel=share), name
