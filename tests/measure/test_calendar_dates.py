"""Days are dates: they join with questionnaires, and survive files and other libraries."""

from pathlib import Path

import pandas as pd
import pytest

import eyelog as el

FRAME = el.simulate("2025-03-17", 9, log="standard_mode_logs", tz="Europe/Berlin", seed=2)
DAYS = el.daily(FRAME)
FORM = pd.DataFrame(
    {"day": pd.to_datetime(["2025-03-18", "2025-03-19"]), "sleepy": [3, 7]}
).set_index("day")


def test_days_and_weeks_are_dates_without_a_zone() -> None:
    assert str(DAYS.index.dtype) == "datetime64[us]"
    assert str(el.weekly(FRAME).index.dtype) == "datetime64[us]"
    assert DAYS.index[0] == pd.Timestamp("2025-03-17")
    assert str(DAYS["first_worn"].dtype) == "datetime64[us, Europe/Berlin]"


def test_a_questionnaire_joins_on_the_day() -> None:
    assert DAYS.join(FORM)["sleepy"].dropna().index.tolist() == FORM.index.tolist()
    merged = DAYS.reset_index().merge(FORM.reset_index(), on="day")
    assert merged["sleepy"].tolist() == [3, 7]


def test_csv_has_the_date_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "days.csv"
    DAYS.to_csv(path)
    assert path.read_text().splitlines()[1].startswith("2025-03-17,")
    back = pd.read_csv(path, index_col="day", parse_dates=["day"])
    assert back.index.tolist() == DAYS.index.tolist()
    weeks = el.weekly(back)
    assert weeks["steps"].tolist() == pytest.approx(el.weekly(FRAME)["steps"].tolist())


def test_midnights_of_an_older_file_are_read_as_their_dates() -> None:
    old = DAYS.copy()
    old.index = old.index.tz_localize("Europe/Berlin")
    pd.testing.assert_frame_equal(el.weekly(old), el.weekly(DAYS))


def test_weeks_of_days_have_the_totals_of_weeks_of_records() -> None:
    exact = ["days", "days_counted", "n", "recorded_h", "worn_h", "valid_h", "walking_h", "steps"]
    exact += ["pace_spm", "blink_rate_per_min", "blink_rate_low", "blink_n"]
    pd.testing.assert_frame_equal(el.weekly(DAYS)[exact], el.weekly(FRAME)[exact])


def test_what_is_not_of_days_is_refused_in_weeks_of_days() -> None:
    with pytest.raises(el.ConfigurationError, match="several rows for 2025-03-17"):
        el.weekly(pd.concat([DAYS, DAYS]))
    with pytest.raises(el.ConfigurationError, match="weeks already"):
        el.weekly(el.weekly(DAYS))
    with pytest.raises(el.ConfigurationError, match="xs"):
        el.weekly(pd.concat({"anna": DAYS}, names=["account"]))


def test_every_day_of_the_range_has_a_row_or_none_has() -> None:
    dates = (FRAME.index - pd.Timedelta(1, "us")).strftime("%Y-%m-%d")
    frame = FRAME[~dates.isin(["2025-03-19", "2025-03-20"])]
    assert len(el.daily(frame)) == 7
    days = el.daily(frame, complete=True)
    assert days.index.tolist() == pd.date_range("2025-03-17", periods=9).tolist()
    empty = days.loc["2025-03-19":"2025-03-20"]
    assert empty[["n", "coverage"]].to_numpy().tolist() == [[0, 0], [0, 0]]
    assert empty[["recorded_h", "steps", "blink_rate_per_min", "first_worn"]].isna().all(axis=None)
    assert days["n"].dtype == "int64"


def test_several_keys_make_the_combinations_that_have_records() -> None:
    both = el.blinks.rate(FRAME, by=["hour", "weekend"])
    assert both.index.names == ["hour", "weekend"]
    assert (
        both.groupby("hour")["n"].sum().tolist() == el.blinks.rate(FRAME, by="hour")["n"].tolist()
    )
    one = el.blinks.rate(FRAME, by=["hour"])
    pd.testing.assert_frame_equal(one, el.blinks.rate(FRAME, by="hour"))
