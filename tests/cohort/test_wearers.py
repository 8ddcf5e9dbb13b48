"""Who takes part: the table of wearers, zones and covariates."""

import pandas as pd
import pytest

import eyelog as el
from support.cohorts import SIXTY


def of(archive: el.Archive, table: pd.DataFrame, **more: object) -> pd.DataFrame:
    """Return the first row of each wearer."""
    settings = {"wearers": table, "workers": 1, **more}
    return el.cohort.daily(archive, SIXTY, **settings).groupby(level="account").first()  # type: ignore[arg-type]


def test_the_zone_of_the_table_goes_before_the_common_one(
    kept: el.Archive, wearers: pd.DataFrame
) -> None:
    wearers.loc[2, "tz"] = None
    people = of(kept, wearers, tz="Asia/Seoul")
    assert people["tz"].to_dict() == {
        "ann": "Asia/Tokyo", "../bob": "America/New_York", "Ann": "Asia/Seoul"
    }  # fmt: skip
    assert people.loc["Ann", ["group", "age"]].tolist() == ["a", 50]


def test_a_wearer_without_a_row_is_named(kept: el.Archive, wearers: pd.DataFrame) -> None:
    with pytest.warns(el.EyelogWarning, match=r"1 wearer\(s\) without a row .*: 'ann'"):
        people = of(kept, wearers[wearers["account"] != "ann"])
    assert people["group"].isna().to_dict() == {"ann": True, "../bob": False, "Ann": False}


def test_accounts_may_stand_in_the_index(kept: el.Archive, wearers: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(of(kept, wearers.set_index("account")), of(kept, wearers))


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (pd.DataFrame({"name": ["ann"]}), "no column 'account'"),
        (pd.DataFrame({"account": ["ann", "ann"]}), "several rows for 'ann'"),
        (pd.DataFrame({"account": ["ann", None]}), "a row without an account"),
        (pd.DataFrame({"account": ["ann"], "tz": ["Mars"]}), "'ann': unknown time zone"),
        (pd.DataFrame([["ann", 1]], columns=["account", 7]), "need one name each"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*without a row")
def test_a_table_that_cannot_be_used_is_one_line(
    kept: el.Archive, table: pd.DataFrame, said: str
) -> None:
    with pytest.raises(el.ConfigurationError, match=said):
        of(kept, table)
