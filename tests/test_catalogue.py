"""The catalogue holds the contract's fields, and each row makes sense."""

import math

import pandas as pd
import pytest

import eyelog as el
from eyelog.catalogue import (
    COMPUTED_DATA,
    STANDARD_MODE_LOGS,
    Field,
    catalogue,
    check_fields,
    field,
    role,
    role_field,
)
from support.logs import INTERVAL_SECONDS, LOGS, columns


def words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Sections 2.2 and 2.3 of the service's contract, in the order in which they list the fields.
CONTRACT = {
    "computed_data": words("""
        date
        zone focus calm posture
        stp rbk_n re_u re_d re_r re_l isl
        tl_yav tl_ysd tl_xav tl_xsd
        hm_po hm_pr hm_prc hm_piv hm_yo hm_yr hm_yrc hm_yiv
        npt_av npt_med bkw_av bki_sum bki_n bk_n bkh_sum bkh_max bkh_sd
        vld
        sc_npt sc_bts sc_lbs sc_slp sc_fcs sc_tsn sc_clm sc_slp_std
        sa_xr sa_xl sa_yr sa_yl sa_zr sa_zl sa_zrc sa_zlc
        st_r st_l cad in_tmp in_co2 in_nis in_prs in_hum gw bl lat lng nis_time bki_av bkh_av
        npt_sd cum_time
        bki_av_wa bkh_sd_wa bkh_av_wa npt_av_wa npt_sd_wa bkw_av_wa
        distance app_measurement_status
    """),
    "standard_mode_logs": words("""
        date
        val_s nis_s wea_s stp_s
        bl
        ems_rl ems_ud eml_rl eml_ud
        hm_po hm_yo
        sa_xr sa_xl sa_yr sa_yl sa_zr sa_zl
        st_r st_l
        tl_xav tl_yav tl_xsd tl_ysd
        stp_fst stp_mid stp_slw stp_vsl
        lc_npt_av lc_bkw_av lc_bkw_sd lc_bkh_av lc_bkh_sd lc_bk_n lc_bkg_n lc_bki_av lc_bki_n
        sc_npt_av sc_bkw_av sc_bkw_sd sc_bkh_av sc_bkh_sd sc_bk_n sc_bkg_n sc_bki_av sc_bki_n
    """),
}
JSON_TYPES = {"date": "string", "gw": "string", "isl": "boolean", "vld": "boolean"}
UNDOCUMENTED = set(words("hm_prc hm_piv hm_yrc hm_yiv gw in_tmp in_co2 in_nis in_prs in_hum bl"))

ROWS = [
    pytest.param(row, id=f"{row.log}.{row.name}") for log in LOGS for row in catalogue(log).values()
]
each_row = pytest.mark.parametrize("row", ROWS)


@pytest.mark.parametrize("log", LOGS)
def test_the_catalogue_holds_exactly_the_fields_of_the_contract_in_its_order(log: str) -> None:
    assert tuple(catalogue(log)) == CONTRACT[log]
    assert columns(log) == CONTRACT[log][1:]


def test_the_two_logs_have_75_and_46_fields_at_15_and_60_seconds() -> None:
    assert {log: len(catalogue(log)) for log in LOGS} == {
        "computed_data": 75,
        "standard_mode_logs": 46,
    }
    assert dict(INTERVAL_SECONDS) == {"computed_data": 15, "standard_mode_logs": 60}


@each_row
def test_a_row_has_the_json_type_of_the_contract_and_a_dtype_that_fits_it(row: Field) -> None:
    expected = JSON_TYPES.get(row.name, "number")
    assert row.json_type == expected
    fitting = {
        "number": {"int", "float"},
        "boolean": {"bool"},
        "string": {"str", "datetime"},
    }[expected]
    assert row.value_type in fitting
    assert row.dtype == {
        "int": "float64",
        "float": "float64",
        "bool": "boolean",
        "str": "string",
        "datetime": "datetime64[us, UTC]",
    }[row.value_type]  # fmt: skip


@each_row
def test_a_range_is_ordered_and_leaves_the_invalid_value_outside(row: Field) -> None:
    for value in (row.min, row.max, row.invalid_value):
        assert value is None or math.isfinite(value)
    if row.min is not None and row.max is not None:
        assert row.min < row.max
        if row.invalid_value is not None:
            assert not row.min <= row.invalid_value <= row.max


@each_row
def test_a_weight_names_number_fields_of_the_same_log(row: Field) -> None:
    for name in row.weight:
        assert field(row.log, name).json_type == "number"
    if row.agg in {"wmean", "rms"}:
        assert row.weight
    if row.agg in {"sum", "max", "last", "none"}:
        assert not row.weight


@each_row
def test_an_undocumented_field_is_marked_and_has_no_range(row: Field) -> None:
    documented = not (row.log == "computed_data" and row.name in UNDOCUMENTED)
    assert row.documented == documented
    if not documented:
        assert row.invalid_value is None


def test_the_limits_of_place_are_the_true_ones() -> None:
    assert (field("computed_data", "lat").min, field("computed_data", "lat").max) == (-90, 90)
    assert (field("computed_data", "lng").min, field("computed_data", "lng").max) == (-180, 180)


@pytest.mark.parametrize("names", [[], ["date"], ""])
def test_asking_for_no_field_is_refused(names: list[str] | str) -> None:
    with pytest.raises(el.FieldError):
        check_fields("computed_data", names)


def test_a_wrong_role_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(el.FieldError, match=r"unknown role 'step' \(did you mean 'steps'"):
        role("computed_data", "step")


def test_one_field_is_given_only_where_just_one_plays_the_part() -> None:
    assert role_field("computed_data", "noise_s") == "nis_time"
    with pytest.raises(el.FieldError, match="'standard_mode_logs' has 4 fields for 'steps'"):
        role_field("standard_mode_logs", "steps")
    with pytest.raises(el.FieldError, match="15-second log has no field for 'worn s'"):
        role_field("computed_data", "worn_s")


def test_only_documented_fields_play_a_part() -> None:
    for log in LOGS:
        assert all(row.documented for row in catalogue(log).values() if row.role)


SUMMARIES = ["daily", "steps", "trend", "eye", "gait", "blinks", "head"]


@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("what", SUMMARIES)
def test_what_a_summary_needs_gives_what_all_fields_give_without_a_warning(what, log):
    frame = el.simulate("2026-10-19", 1, log=log, seed=2)
    names = el.fields(log, of=what).index
    part = el.daily(frame[list(names)])
    pd.testing.assert_frame_equal(part, el.daily(frame)[list(part.columns)])
    assert set(el.resample(frame[list(names)], "1h")) <= set(el.resample(frame, "1h"))


@pytest.mark.parametrize("recipe", ["steps", "trend", "eye", "mind", "gait"])
def test_a_recipe_can_be_followed_with_the_fields_of_its_name(recipe):
    log = COMPUTED_DATA if recipe == "mind" else STANDARD_MODE_LOGS
    frame = el.sample(log)
    part = frame[list(el.fields(log, of=recipe).index)]
    pd.testing.assert_frame_equal(
        el.attrition(part, recipe=recipe), el.attrition(frame, recipe=recipe)
    )


def test_a_summary_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(el.ConfigurationError, match="did you mean 'daily'"):
        el.fields(COMPUTED_DATA, of="dayly")
    with pytest.raises(el.ConfigurationError, match="another log"):
        el.fields(STANDARD_MODE_LOGS, of="mind")
    with pytest.raises(el.FieldError, match="did you mean 'blinks'"):
        check_fields(COMPUTED_DATA, "blinkz")
    with pytest.raises(el.FieldError, match="did you mean 'stp'"):
        check_fields(COMPUTED_DATA, "step")


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("stepCount", "stp"),
        ("STEPCOUNT", "stp"),
        ("betteryLevel", "bl"),
        ("batteryLevel", "bl"),
        ("stabilityScore", "sc_clm"),
        ("zLeftStepAmplitudeCal", "sa_zlc"),
    ],
)
def test_a_long_or_older_name_stands_for_its_field_and_that_is_said(name: str, field: str) -> None:
    with pytest.warns(el.EyelogWarning, match=f"'{name}' is the field '{field}' of log"):
        assert check_fields(COMPUTED_DATA, [name, "cad"]) == check_fields(
            COMPUTED_DATA, [field, "cad"]
        )
