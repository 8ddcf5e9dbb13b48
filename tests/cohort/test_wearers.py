"""Who takes part: the table of wearers, zones and covariates."""

import pandas as pd
import pytest

import eyelog as el
from eyelog.cohort.wearers import Roster, roster
from support.cohorts import SIXTY


def of(archive: el.Archive, table: pd.DataFrame | None, **more: object) -> Roster:
    settings = {"accounts": None, "tz": None, "wearers": table, **more}
    return roster(archive, SIXTY, **settings)  # type: ignore[arg-type]


def test_the_zone_of_the_table_goes_before_the_common_one(
    kept: el.Archive, wearers: pd.DataFrame
) -> None:
    wearers.loc[2, "tz"] = None
    people = of(kept, wearers, tz="Asia/Seoul")
    zones = {wearer.account: str(wearer.tz) for wearer in people.wearers}
    assert zones == {"ann": "Asia/Tokyo", "../bob": "America/New_York", "Ann": "Asia/Seoul"}
    assert people.tz is None
    rows = {wearer.account: dict(wearer.covariates) for wearer in people.wearers}
    assert rows["Ann"] == {"tz": "Asia/Seoul", "group": "a", "age": 50}


def test_a_wearer_without_a_row_is_named(kept: el.Archive, wearers: pd.DataFrame) -> None:
    with pytest.warns(el.EyelogWarning, match=r"1 wearer\(s\) without a row .*: 'ann'"):
        people = of(kept, wearers[wearers["account"] != "ann"])
    assert dict(people.wearers[-1].covariates)["group"] is None


def test_accounts_may_stand_in_the_index(kept: el.Archive, wearers: pd.DataFrame) -> None:
    assert of(kept, wearers.set_index("account")).wearers == of(kept, wearers).wearers


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
