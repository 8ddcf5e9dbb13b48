"""Groups of wearers, each with an interval, and what they differ by."""

import numpy as np
import pandas as pd

from eyelog.figures.many import plot_contrast, plot_others
from eyelog.measure.columns import column
from support.drawn import artists, one


def wearers(*sizes: int) -> pd.DataFrame:
    """Return wearers in groups ``a``, ``b``, ..., each group two units above the one before."""
    rng = np.random.default_rng(1)
    parts = []
    for place, size in enumerate(sizes):
        mean = 12 + 2 * place + rng.normal(size=size)
        parts.append(
            pd.DataFrame(
                {"group": "abcdefgh"[place], "mean": mean, "low": mean - 1, "high": mean + 1}
            )
        )
    return pd.concat(parts, ignore_index=True)


def differences(*rows: tuple[str, float, float, float]) -> pd.DataFrame:
    names = ["group", "difference", "low", "high"]
    return pd.DataFrame(rows, columns=names).set_index("group")


def test_each_wearer_stands_sorted_in_its_group_with_an_interval() -> None:
    table = wearers(5, 7)
    left, _ = plot_contrast(table, differences(("b", 2.0, 1.0, 3.0)), column("blink_rate_per_min"))
    dots = [dots.get_offsets() for dots in artists(left, "wearers")]
    assert [len(points) for points in dots] == [5, 7]
    for points in dots:
        assert (np.diff(points[:, 1]) >= 0).all()
    assert dots[1][0, 0] > dots[0][-1, 0] + 1
    bars = [bars.get_segments() for bars in artists(left, "intervals")]
    assert sum(map(len, bars)) == 12
    assert [text.get_text() for text in left.get_xticklabels()] == ["a\n5 wearers", "b\n7 wearers"]


def test_the_difference_stands_on_the_scale_of_the_wearers_from_the_mean_of_the_first() -> None:
    table = wearers(5, 7)
    left, right = plot_contrast(
        table, differences(("b", 2.0, -9.0, 13.0)), column("blink_rate_per_min")
    )
    first = table.loc[table["group"] == "a", "mean"].mean()
    assert np.allclose(np.array(left.get_ylim()) - first, right.get_ylim())
    assert right.get_ylim()[0] < -9.0
    assert right.get_ylim()[1] > 13.0
    ((_, value),) = one(right, "difference").get_offsets()
    assert value == 2.0
    assert right.get_ylabel() == "Difference (per min)"


def test_other_outcomes_stand_below_each_other_with_a_ring_where_one_stands_out() -> None:
    table = pd.DataFrame(
        {
            "difference": [0.2, -1.5],
            "low": [-0.5, -2.2],
            "high": [0.9, -0.8],
            "said": ["+40 per day", "\N{MINUS SIGN}3.1 per min"],
            "stands": [False, True],
        },
        index=["Steps", "Blink rate"],
    )
    ax = plot_others(table)
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        "Steps\n+40 per day",
        "Blink rate\n\N{MINUS SIGN}3.1 per min",
    ]
    assert one(ax, "stands out").get_offsets().tolist() == [[-1.5, 0.0]]
    assert np.allclose(one(ax, "difference").get_offsets()[:, 0], [0.2, -1.5])
