"""One rule says where a run breaks, and everything that looks for runs follows it."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from support.frames import EYES, frame_of

STEP = 15.0
ROWS = 8


def late(frame: pd.DataFrame, steps: float) -> pd.DataFrame:
    """Return the frame with its second half so many rows after its first half."""
    second_half = np.arange(len(frame)) >= len(frame) // 2
    moved = pd.to_timedelta(second_half * (steps - 1) * STEP, unit="s")
    shifted = frame.set_axis((frame.index + moved).as_unit("us").rename("date"))
    shifted.attrs = dict(frame.attrs)
    return shifted


def walked(steps: float) -> pd.DataFrame:
    return late(frame_of(EYES, {"stp": [20] * ROWS}), steps)


def by_episodes(steps: float) -> int:
    return len(el.episodes(walked(steps)["stp"] > 0, interval="15s"))


def by_gait(steps: float) -> int:
    return len(el.gait.bouts(walked(steps), min_length="15s"))


def by_fragmentation(steps: float) -> int:
    return el.rhythm.fragmentation(walked(steps)["stp"] > 0, interval="15s").n


def by_activity(steps: float) -> int:
    return len(el.rhythm.activity_bouts(walked(steps), "stp", threshold=1, min_length="15s"))


def by_variability(steps: float) -> int:
    return ROWS - el.rhythm.intradaily_variability(walked(steps), "stp").pairs


def by_gaps(steps: float) -> int:
    frame = late(frame_of(EYES, {"stp": [np.nan] * ROWS}, calm=False), steps)
    return int((el.gaps(frame)["kind"] == "explicit").sum())


def by_noise(steps: float) -> int:
    # An interval is judged after a quiet one alone: with 1 of 7 noisy, or 1 of 6 after a gap.
    rows = {"bki_n": [3] * ROWS, "bki_sum": [9.0] * ROWS, "nis_time": [0] * (ROWS - 1) + [1]}
    frame = late(frame_of(EYES, rows), steps)
    table = el.blinks.rate(frame, limits=el.Limits(min_valid="1s"), correct_noise=True)
    share = -np.expm1(-table["noise_per_min"].iloc[0] * STEP / 60)
    return ROWS - round(1 / share)


def by_the_line_of_a_figure(steps: float) -> int:
    # A direction, because counts are drawn as bars.
    (ax,) = el.plot_timeline(walked(steps), fields=["tl_yav"])
    try:
        (line,) = ax.get_lines()
        drawn = np.asarray(line.get_ydata(), dtype=float)
    finally:
        plt.close(ax.figure)
    return int(np.isnan(drawn).sum()) + 1


USERS = [
    by_episodes,
    by_gait,
    by_fragmentation,
    by_activity,
    by_variability,
    by_gaps,
    by_noise,
    by_the_line_of_a_figure,
]


@pytest.mark.parametrize("user", USERS)
def test_a_record_that_comes_1_6_rows_later_breaks_the_run_everywhere(
    user: Callable[[float], int],
) -> None:
    assert user(1.6) == 2


OF_SERIES = [by_episodes, by_fragmentation, by_activity, by_variability]
NOT_EARLY = [(user, steps) for user in USERS for steps in (1.0, 1.4)]


@pytest.mark.parametrize(
    ("user", "steps"), [*NOT_EARLY, *((user, 0.6) for user in USERS if user not in OF_SERIES)]
)
def test_a_record_that_comes_up_to_1_4_rows_later_breaks_no_run(
    user: Callable[[float], int], steps: float
) -> None:
    assert user(steps) == 1


def test_the_time_between_empty_rows_of_one_run_is_counted_once() -> None:
    frame = late(frame_of(EYES, {"stp": [np.nan] * ROWS}, calm=False), 1.4)
    table = el.gaps(frame)
    assert table["duration"].sum() == pd.Timedelta((ROWS + 0.4) * STEP, "s")
    assert table["n_expected"].tolist() == [ROWS]
