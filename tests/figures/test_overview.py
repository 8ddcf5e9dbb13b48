"""The overview: a row per wearer and day; tests read artists, not pixels."""

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

import eyelog as el
from eyelog.figures.style import COLOURS
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib
from support.states import states_of


def row(ax, place: int) -> np.ndarray:
    """Return the colours of the minutes of one row."""
    drawn = ax.images[0].get_array()
    repeats = int(ax.images[0].get_label().strip("_").split()[0])
    assert drawn.shape[0] % repeats == 0
    return drawn[place * repeats]


def labels(ax) -> list[str]:
    return [text.get_text() for text in ax.get_yticklabels()]


WEEK = [("usable", "2025-01-06 09:01", "2025-01-06 10:00"),
        ("walking", "2025-01-08 00:01", "2025-01-08 00:30")]  # fmt: skip


def test_each_minute_has_the_colour_of_its_state_on_its_day() -> None:
    ax = el.plot_overview(states_of(WEEK))
    assert labels(ax) == ["Mon 6 Jan", "Tue 7 Jan", "Wed 8 Jan"]
    monday, tuesday, wednesday = (row(ax, place) for place in range(3))
    assert monday[540:600, :3].tolist() == [pytest.approx(to_rgb(COLOURS["usable"]))] * 60
    assert (monday[540:600, 3] == 1).all()
    assert monday[:, 3].sum() == 60
    assert tuesday[:, 3].sum() == 0
    assert wednesday[0, :3].tolist() == pytest.approx(to_rgb(COLOURS["walking"]))


def test_many_wearers_are_named_beside_their_blocks() -> None:
    many = pd.concat({f"w{n:02}": states_of(WEEK) for n in range(20)}, names=["account"])
    ax = el.plot_overview(many)
    assert labels(ax) == [f"w{n:02}" for n in range(20)]


def test_a_sparse_frame_is_drawn_and_its_states_by_themselves_are_refused_with_the_reason() -> None:
    sparse = el.sample("standard_mode_logs").iloc[::10]
    image = el.plot_overview(sparse).images[0].get_array()
    recorded = sparse.index.normalize() == sparse.index[0].normalize()
    runs = int((np.diff((image[0, :, 3] > 0).astype(int), prepend=0) == 1).sum())
    assert runs == pytest.approx(int(recorded.sum()), abs=2)
    with pytest.raises(el.ConfigurationError, match="these last 600 s"):
        el.plot_overview(el.states(sparse))


def test_an_hour_that_clocks_skip_is_blank_and_one_that_they_repeat_is_the_mean() -> None:
    skipped = [("usable", "2026-03-29 00:31", "2026-03-29 00:59")]
    ax = el.plot_overview(states_of(skipped, tz="Europe/London"))
    (blank,) = [bars for bars in ax.containers if bars.get_label() == "_skipped"]
    assert (blank[0].get_x(), blank[0].get_width()) == (1.0, 1.0)

    index = pd.date_range("2026-10-25 00:01", periods=180, freq="min", tz="UTC")
    twice = states_of([("usable", "2026-10-25 00:01", "2026-10-25 03:00")], tz="UTC")
    twice.iloc[60:120] = "walking"
    twice.index = index.tz_convert("Europe/London").as_unit("us")
    mean = row(el.plot_overview(twice), 0)[60:119]
    one, two = (np.array(to_rgb(COLOURS[name])) for name in ("usable", "walking"))
    expected = ((one**2.2 + two**2.2) / 2) ** (1 / 2.2)
    assert mean[10, :3].tolist() == pytest.approx(expected.tolist())
    assert mean[10, 3] == 1


@pytest.mark.parametrize(
    ("states", "message"),
    [
        (states_of(WEEK).iloc[:0], "no rows"),
        (states_of(WEEK).iloc[::-1], "sort_index"),
        (states_of(WEEK).tz_localize(None), "aware"),
        (states_of(WEEK).astype("str"), "pass eyelog.states"),
    ],
)
def test_what_it_cannot_draw_is_refused(states, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_overview(states)
    assert plt.get_fignums() == []


def test_it_looks_as_it_did(tmp_path, monkeypatch) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    week = [("usable", "2025-01-10 08:31", "2025-01-10 12:00"),
            ("noisy", "2025-01-10 12:01", "2025-01-10 13:00"),
            ("walking", "2025-01-11 10:01", "2025-01-11 11:30"),
            ("off pose", "2025-01-11 14:01", "2025-01-11 16:00"),
            ("not worn", "2025-01-13 00:01", "2025-01-13 07:00"),
            ("usable", "2025-01-13 07:01", "2025-01-13 22:00")]  # fmt: skip
    assert_looks_as_stored(el.plot_overview(states_of(week)), "overview", tmp_path)


def patterns(ax) -> dict[str, list[list[float]]]:
    """Return from where to where each row has each pattern, in hours."""
    return {
        str(one.get_label()): [
            [*path.get_extents().intervalx, *path.get_extents().intervaly]
            for path in one.get_paths()
        ]
        for one in ax.collections
        if one.get_hatch()
    }


def test_patterns_lie_over_the_states_whose_greys_are_near() -> None:
    states = states_of(
        [
            WEEK[0],
            ("noisy", "2025-01-07 06:01", "2025-01-07 06:30"),
            ("off pose", "2025-01-07 12:01", "2025-01-07 13:00"),
            WEEK[1],
        ]
    )
    assert patterns(el.plot_overview(states)) == {}
    ax = el.plot_overview(states, patterns=True)
    assert patterns(ax) == {
        "_pattern of noisy": [pytest.approx([6.0, 6.5, 0.5, 1.5])],
        "_pattern of off pose": [pytest.approx([12.0, 13.0, 0.5, 1.5])],
    }
    hatches = [handle.get_hatch() for handle in ax.figure.legends[0].legend_handles]
    assert len(set(hatches)) == 4  # none, dots, crosses, no record
