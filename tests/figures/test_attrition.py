"""The flow of records; tests read artists, not pixels."""

import numpy as np
import pytest

import eyelog as el
from eyelog.judge.recipes import RECIPES
from support.baselines import assert_looks_as_stored, in_the_font_of_matplotlib

LEGACY = ("zone", "focus", "calm", "posture")


@pytest.fixture(scope="module")
def table():
    scores = [name for name in RECIPES["mind"].outcomes if name in LEGACY]
    return el.attrition(el.sample().drop(columns=scores), recipe="mind")


def bars(ax, label: str) -> list[float]:
    (found,) = [bars for bars in ax.containers if bars.get_label() == label]
    return [bar.get_width() for bar in found]


def test_each_condition_has_a_bar_of_what_it_leaves_and_one_of_what_it_removes(table) -> None:
    ax = el.plot_attrition(table)
    assert bars(ax, "left") == table["left"].tolist()
    removed = np.add(bars(ax, "removed"), bars(ax, "unknown"))
    assert removed.tolist() == table.loc[table["outcome"] == "", "removed"].tolist()


def test_missing_evidence_is_paler_and_named(table) -> None:
    frame = el.sample()
    frame.loc[frame.index[:500], "isl"] = None
    ax = el.plot_attrition(el.attrition(frame, recipe="mind"))
    assert bars(ax, "unknown")[1] == 500
    entries = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert "removed, not checked" in entries


def test_it_looks_as_it_did(table, tmp_path, monkeypatch) -> None:
    in_the_font_of_matplotlib(monkeypatch)
    planted = table.copy()
    planted = planted[planted["outcome"].isin(["", "sc_fcs", "sc_clm"])]
    planted["removed"] = [0, 300, 100, 50, 0, 30, 20, 50, 0, 0, 5, 12]
    planted["unknown"] = [0, 100, *[0] * 10]
    planted["left"] = 1000 - planted["removed"].cumsum()
    planted["left"] = [*planted["left"].iloc[:10], 445, 438]
    planted["left_share"] = planted["left"] / 1000
    assert_looks_as_stored(el.plot_attrition(planted), "attrition", tmp_path)
