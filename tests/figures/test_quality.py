"""The reasons against values along time and by time of day; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.judge.reasons import WORDS
from support.figures import counted_minutes


def reasons_of(days: list[str], *changes: tuple[slice, int, el.Reason]) -> pd.DataFrame:
    frame = counted_minutes(days).assign(stp_fst=0.0, bl=0.0)
    reasons = pd.DataFrame(0, index=frame.index, columns=frame.columns, dtype="uint16")
    for rows, column, reason in changes:
        reasons.iloc[rows, column] |= int(reason)
    return reasons


def shares(ax) -> np.ndarray:
    return np.ma.filled(ax.images[0].get_array().astype(float), np.nan)


def test_every_reason_has_words() -> None:
    assert set(WORDS) == set(el.Reason.__members__.values())


def test_the_share_is_of_time_and_of_the_fields_that_ever_have_the_reason() -> None:
    reasons = reasons_of(
        ["2026-10-19"],
        (slice(720, 1440), 0, el.Reason.UNWORN),
        (slice(1080, 1440), 1, el.Reason.UNWORN),
    )
    (row,) = shares(el.plot_quality(reasons))
    n = len(row)
    assert np.nanmean(row) == pytest.approx(0.5 * 0.75)
    assert row[: n // 2 - 1].max() == 0
    assert row[n // 2 + 1 : 3 * n // 4 - 1].tolist() == pytest.approx([0.5] * (n // 4 - 2))
    assert row[-1] == 1


def test_a_long_range_is_averaged_and_no_record_stays_missing() -> None:
    days = [f"2026-10-{day}" for day in range(12, 26)]
    reasons = reasons_of(days, (slice(0, None, 2), 0, el.Reason.UNWORN))
    (row,) = shares(el.plot_quality(reasons.drop(reasons.index[1440:2880])))
    assert len(row) <= 800
    assert np.isnan(row).mean() == pytest.approx(1 / 14, abs=0.01)
    assert np.nanmean(row) == pytest.approx(0.5, abs=0.01)


def test_by_time_of_day_a_strip_shows_on_how_many_days_there_is_a_record() -> None:
    reasons = reasons_of(["2026-10-19", "2026-10-20"])
    ax = el.plot_quality(reasons.drop(reasons.index[60:120]), by="time_of_day")
    days = [axes for axes in ax.child_axes if axes.get_ylabel() == "Days"]
    (steps,) = [patch for patch in days[0].patches if patch.get_label() == "_days"]
    assert steps.get_data().values.tolist() == [2] * 6 + [1] * 6 + [2] * 132
    assert days[0].get_xlabel().startswith("Time of day")


def test_a_frame_is_drawn_by_its_reasons_and_limits() -> None:
    frame, limits = el.sample("standard_mode_logs").iloc[:2000], el.Limits(max_noise="1s")
    for mine in (None, limits):
        drawn = shares(el.plot_quality(frame, limits=mine))
        expected = shares(el.plot_quality(el.flag(frame, limits=mine)))
        np.testing.assert_array_equal(drawn, expected)
    with pytest.raises(el.ConfigurationError, match="not values made of reasons"):
        el.plot_quality(el.flag(frame).astype(float))
    with pytest.raises(el.ConfigurationError, match=r"before eyelog\.mask"):
        el.plot_quality(el.mask(frame, el.flag(frame)))


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda r: r.iloc[:0], {}, "no rows"),
        (lambda r: r, {"limits": el.Limits()}, "these are reasons"),
        (lambda r: r.assign(utc_offset_min=np.uint16(0)), {}, "pass the frame itself"),
        (lambda r: r.iloc[::-1], {}, "sort_index"),
        (lambda r: r, {"by": "hour"}, "'time' or 'time_of_day'"),
    ],
)
def test_what_it_cannot_draw_is_refused(change, arguments, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_quality(change(reasons_of(["2026-10-19"])), **arguments)


def test_it_draws_on_the_axes_it_is_given() -> None:
    ax = plt.subplots()[1]
    assert el.plot_quality(reasons_of(["2026-10-19"]), ax=ax) is ax
