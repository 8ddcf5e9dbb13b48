import dataclasses

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.catalogue import catalogue
from eyelog.frame import empty, history
from eyelog.judge.reasons import CONTEXT
from eyelog.judge.recipes import RECIPES
from support.frames import EYES, MINUTES, frame_of, frames
from support.logs import columns
from support.reasons import KEPT


def left(frame, recipe):
    return el.attrition(frame, recipe=recipe)["left"].tolist()


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_a_recipe_names_fields_of_its_log_and_its_source(recipe):
    known = catalogue(recipe.log)
    assert set(recipe.outcomes) <= set(known)
    assert {c.field for c in recipe.conditions} <= set(known)
    assert recipe.source
    assert recipe.purpose
    with pytest.raises(dataclasses.FrozenInstanceError):
        recipe.log = ""


def test_the_table_of_recipes_cannot_be_changed():
    assert list(RECIPES) == ["steps", "trend", "eye", "mind", "blinks", "gait"]
    with pytest.raises(TypeError):
        RECIPES["own"] = RECIPES["steps"]


def test_steps_ask_for_half_a_minute_of_wear():
    frame = frame_of(MINUTES, {"wea_s": [30, 29, 60], "stp_fst": [5, 5, None]})
    table = el.attrition(frame, recipe="steps")
    reasons = ["", "UNWORN", "OFF_POSE", "OFF_POSE", "MISSING", "RANGE"]
    assert table["reason"].tolist() == reasons
    assert table["left"].tolist() == [3, 2, 2, 2, 1, 1]
    assert table["removed"].tolist() == [0, 1, 0, 0, 1, 0]
    assert table["left_share"].iloc[-1] == pytest.approx(1 / 3)


def test_the_steps_of_a_bag_are_nobodys():
    where = {"log": MINUTES, "seed": 1, "tz": "Asia/Tokyo"}
    frame = el.simulate("2026-10-19", 14, **where)
    truth = el.simulate_truth("2026-10-19", 14, **where)
    assert truth["carried_min"].sum() > 20
    counted = el.daily(el.select(frame, recipe="steps"))["steps"].sum()
    assert counted == pytest.approx(truth["steps"].sum(), rel=0.01)


def test_trends_ask_for_wear_and_the_tilt_of_worn_eyewear_limits_included():
    frame = frame_of(
        MINUTES,
        {
            "wea_s": [20, 19, 60, 60],
            "tl_xav": [45, 0, 46, 0],
            "tl_yav": [90, 0, 0, 91],
            "hm_po": [1] * 4,
        },
    )
    assert left(frame, "trend") == [4, 3, 2, 1, 1, 1]
    assert el.select(frame, recipe="trend")["hm_po"].notna().tolist() == [True, False, False, False]


def test_eye_movements_ask_for_little_noise_too():
    frame = frame_of(MINUTES, {"nis_s": [10, 11], "ems_rl": [3, 3]})
    assert left(frame, "eye") == [2, 2, 2, 2, 2, 1, 1, 1]
    assert el.select(frame, recipe="eye")["ems_rl"].tolist()[:1] == [3]


def test_scores_ask_for_worn_valid_intervals_and_no_invalid_mark():
    frame = frame_of(
        EYES,
        {
            "isl": [False, True, False, False, False],
            "vld": [True, True, False, True, True],
            "sc_fcs": [50, 50, 50, -1, None],
        },
    )
    table = el.attrition(frame, recipe="mind")
    assert table["left"].tolist() == [5, 4, 3, 3, 3, 3, 3, 2, 1, 1]
    assert el.select(frame, recipe="mind")["sc_fcs"].notna().tolist() == [True] + [False] * 4


def test_a_record_stays_as_long_as_one_outcome_is_a_value():
    frame = frame_of(EYES, {"sc_fcs": [-1, -1], "sc_clm": [40, None]})
    table = el.attrition(frame, recipe="mind")
    assert table["outcome"].tolist() == [""] * 10 + ["sc_fcs", "sc_clm"]
    assert table["left"].tolist()[-5:] == [2, 1, 1, 0, 1]
    assert table["removed"].tolist()[-2:] == [1, 0]
    alone = el.attrition(frame.drop(columns="sc_clm"), recipe="mind")
    assert (alone["outcome"] == "").all()
    assert alone["left"].iloc[-1] == 0


def test_pace_asks_for_fifty_seconds_of_walking_and_a_head_below_45_degrees():
    frame = frame_of(
        MINUTES,
        {
            "stp_s": [50, 49, 60, 60, 60, 60],
            "tl_yav": [44.9, 0, 45, -45, -60, 0],
            "tl_xav": [0, 0, 0, 0, 0, 80],
            "stp_mid": [90] * 6,
        },
    )
    assert left(frame, "gait") == [6, 6, 5, 4, 2, 2, 2]
    kept = el.select(frame, recipe="gait")["stp_mid"].notna()
    assert kept.tolist() == [True, False, False, True, False, False]


def test_a_record_whose_evidence_is_missing_is_not_used_and_counted_as_unknown():
    frame = frame_of(MINUTES, {"wea_s": [None, 10, 60, 99], "stp_fst": [5] * 4})
    table = el.attrition(frame, recipe="steps")
    assert table.loc[1, ["removed", "unknown", "left"]].tolist() == [3, 2, 1]
    assert el.select(frame, recipe="steps")["stp_fst"].notna().tolist() == [
        False,
        False,
        True,
        False,
    ]


def test_select_keeps_the_evidence_and_takes_out_stale_blinks():
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
    assert history(clean)[-1]["recipe"] == "trend"


def test_a_recipe_for_the_other_log_is_refused_by_name():
    frame = frame_of(EYES, {"sc_fcs": [50]})
    with pytest.raises(el.ConfigurationError, match="'steps' is for log 'standard_mode_logs'"):
        el.attrition(frame, recipe="steps")
    with pytest.raises(el.ConfigurationError, match="'mind' is for log 'computed_data'"):
        el.select(frame_of(MINUTES, {"hm_po": [5]}), recipe="mind")


def test_evidence_or_outcomes_that_are_not_there_are_named():
    frame = frame_of(MINUTES, {"stp_fst": [5], "stp_s": [60]}, calm=False)
    with pytest.raises(el.FieldError, match=r"'steps' needs 'wea_s"):
        el.attrition(frame, recipe="steps")
    with pytest.raises(el.FieldError, match=r"at least one of ems_rl, ems_ud, eml_rl, eml_ud"):
        el.select(frame_of(MINUTES, {"hm_po": [5]}), recipe="eye")


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_no_records_lose_none(recipe):
    table = el.attrition(empty(recipe.log), recipe=recipe.name)
    assert (table[["removed", "left"]] == 0).all(axis=None)
    assert table["left_share"].isna().all()
    assert el.select(empty(recipe.log), recipe=recipe.name).shape == (
        0,
        len(columns(recipe.log) + tuple(KEPT)),
    )


@given(st.sampled_from(list(RECIPES.values())), st.data())
def test_the_table_adds_up_and_ends_with_what_select_keeps(recipe, data):
    fields = {c.field for c in recipe.conditions} | {recipe.outcomes[0]}
    frame = data.draw(frames(recipe.log, names=sorted(fields)))
    before = frame.copy()
    table = el.attrition(frame, recipe=recipe.name)
    kept = el.select(frame, recipe=recipe.name)
    assert_frame_equal(frame, before)
    assert table["left"].iloc[0] == len(frame)
    assert (table["left"].shift(fill_value=len(frame)) - table["removed"]).equals(table["left"])
    assert (table["unknown"] <= table["removed"]).all()
    assert table["left"].iloc[-1] == kept[recipe.outcomes[0]].notna().sum()


def test_focus_through_a_workday_is_one_short_cell():
    focus = el.select(el.sample(), recipe="mind")["sc_fcs"]
    by_hour = focus.groupby(focus.index.hour).mean().dropna()
    assert by_hour.between(0, 100).all()
    assert el.Reason.SENTINEL.name in el.attrition(el.sample(), recipe="mind")["reason"].tolist()
    # Steps, gait and movements have no number that stands for "no score".
    for recipe in ("steps", "trend", "eye", "gait"):
        table = el.attrition(el.sample("standard_mode_logs"), recipe=recipe)
        assert el.Reason.SENTINEL.name not in table["reason"].tolist()


def test_a_selected_frame_can_be_summarised_without_judging_again():
    frame = el.sample(MINUTES).iloc[:3000]
    steps = el.select(frame, recipe="steps")
    days = el.daily(steps)
    assert isinstance(days, pd.DataFrame)
    assert days["steps"].sum() <= frame[["stp_fst", "stp_mid", "stp_slw", "stp_vsl"]].sum().sum()
    assert_frame_equal(el.daily(steps), days)


def test_the_table_has_the_columns_that_a_flow_chart_needs():
    frame = el.sample()
    table = el.attrition(frame, recipe="mind")
    assert table.index.name == "step"
    columns = ["reason", "condition", "removed", "unknown", "left", "outcome", "left_share"]
    assert list(table) == columns
    assert table["outcome"].dtype == "string"
    assert table["left"].iloc[0] == len(frame)
    assert table["condition"].iloc[1] == "isl false"


@pytest.mark.parametrize("recipe", ["steps", "trend", "eye", "mind"])
def test_what_is_left_of_each_outcome_is_what_the_default_mask_leaves(recipe):
    frame = el.simulate("2026-10-19", 4, log=RECIPES[recipe].log, seed=2, tz="Asia/Tokyo")
    masked = el.mask(frame, el.flag(frame))
    table = el.attrition(frame, recipe=recipe)
    of_outcome = table[table["outcome"] != ""].set_index("outcome")["left"]
    assert of_outcome.to_dict() == masked[of_outcome.index].notna().sum().to_dict()
    assert of_outcome.max() > 0
    last = table.loc[table["outcome"] == "", "left"].iloc[-1]
    assert last == masked[of_outcome.index].notna().any(axis=1).sum()
    alone = el.attrition(frame.drop(columns=of_outcome.index[1:]), recipe=recipe)
    assert alone["left"].iloc[-1] == of_outcome.iloc[0]


def test_gait_leaves_fewer_minutes_than_the_mask_as_it_asks_for_steady_upright_walking():
    frame = el.simulate("2026-10-19", 4, log=MINUTES, seed=2, tz="Asia/Tokyo")
    masked = el.mask(frame, el.flag(frame))
    table = el.attrition(frame, recipe="gait")
    of_outcome = table[table["outcome"] != ""].set_index("outcome")["left"]
    assert (of_outcome < masked[of_outcome.index].notna().sum()).all()


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
def test_a_recipe_follows_the_limits_that_are_chosen(recipe, outcome, limits):
    frame = el.sample(RECIPES[recipe].log)
    masked = el.mask(frame, el.flag(frame, limits=limits))
    table = el.attrition(frame, recipe=recipe, limits=limits).set_index("outcome")
    assert table.loc[outcome, "left"] == masked[outcome].notna().sum()
    clean = el.select(frame, recipe=recipe, limits=limits)
    both = [outcome, "stored"]
    assert_frame_equal(pd.DataFrame(clean[both]), pd.DataFrame(masked[both]))
    usual = el.attrition(frame, recipe=recipe).set_index("outcome")
    assert table.loc[outcome, "left"] != usual.loc[outcome, "left"]
    with pytest.raises(el.ConfigurationError, match="masked with other limits"):
        el.daily(clean)


def test_the_history_says_that_a_recipe_was_followed():
    frame = frame_of(EYES, {"sc_fcs": [50]})
    for follow, step in ((el.attrition, "attrition"), (el.select, "select")):
        last = history(follow(frame, recipe="mind"))[-1]
        assert (last["step"], last["recipe"]) == (step, "mind")


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_a_value_itself_shows_is_left_out_whatever_the_reason(recipe):
    frame = el.simulate("2026-10-19", 1, log=RECIPES[recipe].log, seed=2, tz="Asia/Tokyo")
    frame = frame.iloc[:40_000]
    reasons, selected = el.flag(frame), el.select(frame, recipe)
    of_values = [r for r in el.Reason if r not in CONTEXT and r is not el.Reason.SATURATED]
    for reason in of_values:
        flagged = (reasons & reason) != 0
        assert not (flagged & selected[frame.columns].notna()).any(axis=None), reason
    table = el.attrition(frame, recipe).set_index("outcome")
    passing = [int(selected[name].notna().sum()) for name in RECIPES[recipe].outcomes]
    assert table.loc[list(RECIPES[recipe].outcomes), "left"].tolist() == passing


def test_a_recipe_is_typed_as_a_person_types_it():
    frame = el.sample()
    assert_frame_equal(el.attrition(frame), el.attrition(frame, recipe="mind"))
    assert_frame_equal(el.select(frame, "mind"), el.select(frame, recipe="mind"))
    masked = el.mask(frame, el.flag(frame))
    for follow in (el.attrition, lambda f: el.select(f, "mind")):
        with pytest.raises(el.ConfigurationError, match="pass the frame from before mask"):
            follow(masked)
