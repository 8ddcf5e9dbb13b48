"""Recipes: what each condition removes, what is left, and that both follow the limits."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support.frames import EYES, MINUTES, frame_of, frames
from support.logs import history
from support.packets import packets
from support.reasons import CONTEXT, KEPT, judged

LOG_OF = {"steps": MINUTES, "trend": MINUTES, "eye": MINUTES, "mind": EYES, "gait": MINUTES}
LOG_OF |= {"blinks": "current_data"}


@pytest.mark.parametrize(
    ("recipe", "rows", "left", "outcome"),
    [
        # Half a minute of wear for steps; a part of a count is none.
        ("steps", {"wea_s": [30, 29, 60], "stp_fst": [5, 5, None]}, [3, 2, 2, 2, 1, 1], "stp_fst"),
        # Evidence that is missing removes a record too.
        ("steps", {"wea_s": [None, 10, 60, 99], "stp_fst": [5] * 4}, [4, 1, 1, 1, 1, 1], "stp_fst"),
        (
            "trend",  # limits included
            {"wea_s": [20, 19, 60, 60], "tl_xav": [45, 0, 46, 0], "tl_yav": [90, 0, 0, 91]},
            [4, 3, 2, 1, 1, 1],
            "hm_po",
        ),
        ("eye", {"nis_s": [10, 11], "ems_rl": [3, 3]}, [2, 2, 2, 2, 2, 1, 1, 1], "ems_rl"),
        (
            "mind",
            {
                "isl": [False, True, False, False, False],
                "vld": [True, True, False, True, True],
                "sc_fcs": [50, 50, 50, -1, None],
            },
            [5, 4, 3, 3, 3, 3, 3, 2, 1, 1],
            "sc_fcs",
        ),
        (
            "gait",  # fifty seconds of walking, and a head below 45 degrees
            {
                "stp_s": [50, 49, 60, 60, 60, 60],
                "tl_yav": [44.9, 0, 45, -45, -60, 0],
                "tl_xav": [0, 0, 0, 0, 0, 80],
                "stp_mid": [90] * 6,
            },
            [6, 6, 5, 4, 2, 2, 2],
            "stp_mid",
        ),
    ],
)
def test_a_recipe_removes_what_its_conditions_say(
    recipe: str, rows: dict[str, list[object]], left: list[int], outcome: str
) -> None:
    number = len(next(iter(rows.values())))
    frame = frame_of(LOG_OF[recipe], {outcome: [1] * number} | rows)
    table = el.attrition(frame, recipe)
    assert table["left"].tolist() == left
    kept = el.select(frame, recipe)
    assert kept[outcome].notna().sum() == left[-1]
    assert history(table)[-1]["recipe"] == history(kept)[-1]["recipe"] == recipe


def test_the_table_says_each_condition_and_what_it_removed() -> None:
    frame = frame_of(MINUTES, {"wea_s": [None, 10, 60, 99], "stp_fst": [5] * 4})
    table = el.attrition(frame, recipe="steps")
    names = ["reason", "condition", "removed", "unknown", "left", "outcome", "left_share"]
    assert (list(table), table.index.name) == (names, "step")
    reasons = ["", "UNWORN", "OFF_POSE", "OFF_POSE", "MISSING", "RANGE"]
    assert table["reason"].tolist() == reasons
    assert table.loc[1, ["removed", "unknown", "left"]].tolist() == [3, 2, 1]
    assert table["left_share"].iloc[-1] == 0.25
    scores = el.attrition(el.sample(), recipe="mind")
    assert scores["condition"].iloc[1] == "isl false"
    assert "SENTINEL" in scores["reason"].tolist()
    assert "SENTINEL" not in reasons  # steps have no number that stands for none


def test_the_steps_of_a_bag_are_nobodys() -> None:
    where = {"log": MINUTES, "seed": 1, "tz": "Asia/Tokyo"}
    frame = el.simulate("2026-10-19", 14, **where)
    truth = el.simulate_truth("2026-10-19", 14, **where)
    assert truth["carried_min"].sum() > 20
    counted = el.daily(el.select(frame, recipe="steps"))["steps"].sum()
    assert counted == pytest.approx(truth["steps"].sum(), rel=0.01)


def test_a_record_stays_as_long_as_one_outcome_is_a_value() -> None:
    frame = frame_of(EYES, {"sc_fcs": [-1, -1], "sc_clm": [40, None]})
    table = el.attrition(frame, recipe="mind")
    assert table["outcome"].tolist() == [""] * 10 + ["sc_fcs", "sc_clm"]
    assert table["left"].tolist()[-5:] == [2, 1, 1, 0, 1]
    assert table["removed"].tolist()[-2:] == [1, 0]
    alone = el.attrition(frame.drop(columns="sc_clm"), recipe="mind")
    assert (alone["outcome"] == "").all()
    assert alone["left"].iloc[-1] == 0


def test_select_keeps_the_evidence_and_takes_out_stale_blinks() -> None:
    frame = frame_of(
        MINUTES,
        {"wea_s": [60, 60, 5], "lc_bk_n": [2, 0, 0], "lc_npt_av": [0.1] * 3, "hm_po": [1] * 3},
    )
    clean = el.select(frame, recipe="trend")
    assert clean["lc_npt_av"].notna().tolist() == [True, False, False]
    assert clean["wea_s"].tolist() == [60, 60, 5]
    assert list(clean) == [*frame, *KEPT]
    assert clean[list(frame)].dtypes.equals(frame.dtypes)
    assert clean["stored"].tolist() == [False] * 3


def test_what_a_recipe_cannot_follow_is_refused_by_name() -> None:
    eyes, minutes = frame_of(EYES, {"sc_fcs": [50]}), frame_of(MINUTES, {"hm_po": [5]})
    bare = frame_of(MINUTES, {"stp_fst": [5], "stp_s": [60]}, calm=False)
    for ask, error, message in (
        (
            lambda: el.attrition(eyes, "steps"),
            el.ConfigurationError,
            f"'steps' is for log {MINUTES!r}",
        ),
        (lambda: el.select(minutes, "mind"), el.ConfigurationError, f"'mind' is for log {EYES!r}"),
        (lambda: el.attrition(bare, "steps"), el.FieldError, "'steps' needs 'wea_s"),
        (lambda: el.select(minutes, "eye"), el.FieldError, "at least one of ems_rl, ems_ud"),
        (lambda: el.attrition(judged(eyes)), el.ConfigurationError, "the frame from before mask"),
        (lambda: el.select(judged(eyes), "mind"), el.ConfigurationError, "from before mask"),
    ):
        with pytest.raises(error, match=message):
            ask()


@pytest.mark.parametrize("recipe", LOG_OF)
def test_no_records_lose_none(recipe: str) -> None:
    nothing = (packets(9) if recipe == "blinks" else el.sample(LOG_OF[recipe])).iloc[:0]
    table = el.attrition(nothing, recipe)
    assert (table[["removed", "left"]] == 0).all(axis=None)
    assert table["left_share"].isna().all()
    assert list(el.select(nothing, recipe)) == [*nothing, *KEPT]


EVIDENCE = {EYES: ["isl", "vld", "stp", "nis_time"], MINUTES: ["wea_s", "nis_s", "stp_s"]}
OUTCOME = {"steps": "stp_fst", "trend": "hm_po", "eye": "ems_rl", "mind": "sc_fcs", "gait": "sa_xr"}


@given(st.sampled_from(sorted(OUTCOME)), st.data())
def test_the_table_adds_up_and_ends_with_what_select_keeps(
    recipe: str, data: st.DataObject
) -> None:
    log, outcome = LOG_OF[recipe], OUTCOME[recipe]
    frame = data.draw(frames(log, names=[*EVIDENCE[log], "tl_xav", "tl_yav", outcome]))
    before = frame.copy()
    table, kept = el.attrition(frame, recipe), el.select(frame, recipe)
    assert_frame_equal(frame, before)
    assert table["left"].iloc[0] == len(frame)
    assert (table["left"].shift(fill_value=len(frame)) - table["removed"]).equals(table["left"])
    assert (table["unknown"] <= table["removed"]).all()
    assert table["left"].iloc[-1] == kept[outcome].notna().sum()


@pytest.mark.parametrize("recipe", LOG_OF)
def test_what_is_left_of_each_outcome_is_what_the_default_mask_leaves(recipe: str) -> None:
    days = 1 if recipe == "blinks" else 4
    frame = el.simulate("2026-10-19", days, log=LOG_OF[recipe], seed=2, tz="Asia/Tokyo")
    frame = frame.iloc[:40_000]
    reasons, table = el.flag(frame), el.attrition(frame, recipe)
    masked, selected = el.mask(frame, reasons), el.select(frame, recipe)
    of_outcome = table[table["outcome"] != ""].set_index("outcome")["left"]
    assert of_outcome.to_dict() == selected[of_outcome.index].notna().sum().to_dict()
    by_mask = masked[of_outcome.index].notna()
    if recipe == "gait":  # which asks for steady upright walking
        assert (of_outcome < by_mask.sum()).all()
    else:
        assert of_outcome.to_dict() == by_mask.sum().to_dict()
        last = table.loc[table["outcome"] == "", "left"].iloc[-1]
        assert last == by_mask.any(axis=1).sum() > 0
    of_values = ~(CONTEXT | el.Reason.SATURATED)
    assert not (((reasons & of_values) != 0) & selected[frame.columns].notna()).any(axis=None)


def test_a_selected_frame_can_be_summarised_without_judging_again() -> None:
    frame = el.sample(MINUTES).iloc[:3000]
    steps = el.daily(el.select(frame, recipe="steps"))["steps"].sum()
    assert 0 < steps <= frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum().sum()


@pytest.mark.parametrize(
    ("recipe", "outcome", "limits"),
    [
        ("trend", "hm_po", el.Limits(wear="blinks")),
        ("eye", "ems_rl", el.Limits(max_noise="1s")),
        ("eye", "ems_rl", el.Limits(min_worn="55s", walking_above=5)),
        ("steps", "stp_mid", el.Limits(min_worn_for_steps="59s")),
        ("mind", "sc_fcs", el.Limits(tilt_sideways_deg=(-2, 2))),
    ],
)
def test_a_recipe_follows_the_limits_that_are_chosen(
    recipe: str, outcome: str, limits: el.Limits
) -> None:
    frame = el.sample(LOG_OF[recipe])
    masked = judged(frame, limits=limits)
    table = el.attrition(frame, recipe, limits=limits).set_index("outcome")
    assert table.loc[outcome, "left"] == masked[outcome].notna().sum()
    clean = el.select(frame, recipe, limits=limits)
    both = [outcome, "stored"]
    assert_frame_equal(pd.DataFrame(clean[both]), pd.DataFrame(masked[both]))
    usual = el.attrition(frame, recipe).set_index("outcome")
    assert table.loc[outcome, "left"] != usual.loc[outcome, "left"]
    with pytest.raises(el.ConfigurationError, match="masked with other limits"):
        el.daily(clean)


def test_a_recipe_need_not_be_named() -> None:
    frame = el.sample()
    assert_frame_equal(el.attrition(frame), el.attrition(frame, recipe="mind"))
    assert el.select(frame, "mind")["sc_fcs"].min() >= 0
