"""The catalogue holds the contract's fields, and each row makes sense."""

import pandas as pd
import pytest

import eyelog as el
from support.logs import LOGS


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
OTHER_DTYPES = {
    "date": "datetime64[us, UTC]",
    "gw": "string",
    "isl": "boolean",
    "vld": "boolean",
}
UNDOCUMENTED = set(words("hm_prc hm_piv hm_yrc hm_yiv gw in_tmp in_co2 in_nis in_prs in_hum bl"))


@pytest.mark.parametrize("log", LOGS)
def test_the_catalogue_holds_the_fields_of_the_contract_and_each_makes_sense(log) -> None:
    table = el.fields(log)
    assert tuple(table.index) == CONTRACT[log]
    for name, row in table.iterrows():
        assert row["dtype"] == OTHER_DTYPES.get(name, "float64")
        assert not row["min"] >= row["max"]
        assert not row["min"] <= row["invalid_value"] <= row["max"]
        weights = row["weight"].split("+") if row["weight"] else []
        assert set(table.loc[weights, "dtype"]) <= {"float64"}
        assert bool(weights) or row["agg"] not in ("wmean", "rms")
        assert not weights or row["agg"] not in ("sum", "max", "last", "none")
        undocumented = log == "computed_data" and name in UNDOCUMENTED
        assert (row["source"] != "vendor-doc") == undocumented
        if undocumented:
            assert not row["role"]
            assert pd.isna(row["invalid_value"])


def test_the_limits_of_place_are_the_true_ones() -> None:
    bounds = el.fields("computed_data").loc[["lat", "lng"], ["min", "max"]]
    assert bounds.to_numpy().tolist() == [[-90, 90], [-180, 180]]


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
    log = "computed_data" if recipe == "mind" else "standard_mode_logs"
    frame = el.sample(log)
    part = frame[list(el.fields(log, of=recipe).index)]
    pd.testing.assert_frame_equal(
        el.attrition(part, recipe=recipe), el.attrition(frame, recipe=recipe)
    )


def test_a_summary_that_does_not_exist_is_refused_with_the_nearest():
    with pytest.raises(el.ConfigurationError, match="did you mean 'daily'"):
        el.fields("computed_data", of="dayly")
    with pytest.raises(el.ConfigurationError, match="another log"):
        el.fields("standard_mode_logs", of="mind")


def asked(fields):
    """Return the columns of a log that a user gets who asks for these fields."""
    return el.Archive().read("computed_data", fields=fields, tz="UTC").columns.tolist()


@pytest.fixture
def stored() -> None:
    el.Archive().write("computed_data", el.sample("computed_data")[:9], account="me")


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("names", "says"),
    [
        ([], "no field"),
        (["date"], "no field"),
        ("", "unknown field ''"),
        ("blinkz", "did you mean 'blinks'"),
        ("step", "did you mean 'stp'"),
    ],
)
def test_fields_that_are_not_there_are_refused_with_the_nearest(names, says) -> None:
    with pytest.raises(el.FieldError, match=says):
        asked(names)


@pytest.mark.usefixtures("stored")
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
        assert asked([name, "cad"]) == asked([field, "cad"])
