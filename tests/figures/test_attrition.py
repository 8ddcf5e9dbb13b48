"""The flow of records; tests read artists, not pixels."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

import eyelog as el
from eyelog.analysis.quality.recipes import RECIPES
from eyelog.figures.style import COLOURS
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


def test_each_outcome_has_a_bar_of_the_records_that_have_it_and_its_name(table) -> None:
    ax = el.plot_attrition(table)
    of_outcome = table["outcome"] != ""
    labels = np.array([text.get_text() for text in ax.get_yticklabels()])[of_outcome]
    assert "Focus" in labels
    used = [bar.get_facecolor() for bar in ax.containers[0]]
    assert len(set(used[: -of_outcome.sum()])) == len(set(used[-of_outcome.sum() :])) == 1
    assert used[0] != used[-1]
    share = table.loc[of_outcome, "left_share"].iloc[-1]
    last = f"{table['left'].iloc[-1]:,} ({100 * share:.1f}\N{NO-BREAK SPACE}%)"
    assert ax.texts[-1].get_text() == last


def test_with_one_outcome_its_records_are_those_that_the_last_condition_leaves() -> None:
    frame = el.sample()
    scores = [name for name in RECIPES["mind"].outcomes if name != "sc_fcs"]
    table = el.attrition(frame.drop(columns=scores, errors="ignore"), recipe="mind")
    used = [bar.get_facecolor() for bar in el.plot_attrition(table).containers[0]]
    assert len(set(used[:-1])) == 1
    assert used[-1] != used[0]


def test_conditions_are_in_words_top_to_bottom(table) -> None:
    ax = el.plot_attrition(table)
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[:3] == ["all records", "worn", "valid"]
    assert ax.yaxis_inverted()


def test_the_counts_are_written_beside_the_bars(table) -> None:
    texts = [text.get_text() for text in el.plot_attrition(table).texts]
    assert texts[0] == f"{table['left'].iloc[0]:,}"
    row = table.iloc[1]
    assert f"{row['left']:,} ({100 * row['left_share']:.1f}\N{NO-BREAK SPACE}%)" in texts
    assert f"{row['removed']:,} not worn" in texts


def test_missing_evidence_is_paler_and_named(table) -> None:
    frame = el.sample()
    frame.loc[frame.index[:500], "isl"] = None
    ax = el.plot_attrition(el.attrition(frame, recipe="mind"))
    assert bars(ax, "unknown")[1] == 500
    entries = [text.get_text() for text in ax.figure.legends[0].get_texts()]
    assert "removed, not checked" in entries


def test_what_was_not_checked_is_not_called_by_the_reason() -> None:
    frame = el.sample()
    posed = frame["isl"].eq(False) & frame["vld"]
    frame.loc[frame.index[posed][:40], "tl_xav"] = None
    ax = el.plot_attrition(el.attrition(frame, recipe="mind"))
    (words,) = [text.get_text() for text in ax.texts if "not checked" in text.get_text()]
    assert words in ("40 not checked", "20 off pose, 40 not checked")
    assert {text.get_color() for text in ax.texts} == {COLOURS["text"]}


def test_scores_of_the_retired_algorithm_have_bars_only_by_themselves() -> None:
    frame = el.sample()
    both = el.plot_attrition(el.attrition(frame, recipe="mind"))
    assert not [t for t in both.get_yticklabels() if "legacy" in t.get_text()]
    kept = [name for name in RECIPES["mind"].outcomes if name not in LEGACY]
    old = el.plot_attrition(el.attrition(frame.drop(columns=kept), recipe="mind"))
    assert len([t for t in old.get_yticklabels() if "legacy" in t.get_text()]) == len(LEGACY)


def test_the_title_names_log_and_recipe(table) -> None:
    assert (
        el.plot_attrition(table).figure.get_suptitle() == "15-second log · records used for scores"
    )


def test_no_records_are_a_flow_of_none() -> None:
    ax = el.plot_attrition(el.attrition(el.sample().iloc[:0], recipe="mind"))
    assert set(bars(ax, "left")) == {0}


def test_another_table_is_refused() -> None:
    with pytest.raises(el.FieldError, match="plot_attrition needs"):
        el.plot_attrition(el.sample())


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


def test_records_removed_are_grey(table) -> None:
    removed = next(of for of in el.plot_attrition(table).containers if of.get_label() == "removed")
    assert to_hex(removed[1].get_facecolor()).upper() == COLOURS["masked"]
