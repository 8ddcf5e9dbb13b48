"""Any function of one wearer's frame, for all wearers."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.cohorts import ACCOUNTS, SIXTY, files_of

FIFTEEN = "computed_data"


def fails_for_ann(frame: pd.DataFrame) -> float:
    if frame.attrs["eyelog"]["account"] == "ann":
        raise ZeroDivisionError("nothing to divide")
    return 1.0


def more_than(frame: pd.DataFrame, least: float) -> int:
    return int((frame["wea_s"] > least).sum())


def total(frame: pd.DataFrame, values: Any) -> float:
    return float(values.sum()) + len(frame)


def test_a_function_sees_the_whole_frame_of_each_wearer(kept: el.Archive) -> None:
    table = el.cohort.apply(kept, len, log=SIXTY, workers=1)
    for account in ACCOUNTS:
        frame = kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account)
        assert table.loc[account, "value"] == len(frame)
    ordered = el.cohort.apply(
        kept, lambda frame: frame.index.is_monotonic_increasing, log=SIXTY, workers=1
    )
    assert ordered["value"].all()


def test_a_table_a_named_result_and_a_number_become_rows(kept: el.Archive) -> None:
    rates = el.cohort.apply(
        kept, partial(el.blinks.rate, by="1D"), log=SIXTY, tz="Asia/Tokyo", workers=1
    )
    frame = kept.read(SIXTY, "2026-09-01", "2026-10-31", account="ann", tz="Asia/Tokyo")
    assert_frame_equal(rates.loc["ann"], el.blinks.rate(frame, by="1D"), check_exact=True)
    fits = el.cohort.apply(
        kept,
        lambda frame: el.rhythm.cosinor(el.resample(frame, "1h")["wea_s"]),
        log=SIXTY,
        workers=1,
    )
    assert fits.index.tolist() == sorted(ACCOUNTS)
    assert {"mesor", "amplitude", "peak_h"} <= set(fits.columns)
    steps = el.cohort.apply(kept, lambda _: {"a": 1, "b": 2.5}, log=SIXTY, workers=1)
    assert steps.loc["ann"].tolist() == [1, 2.5]


def test_a_summary_of_all_records_is_one_row_beside_the_group_of_its_wearer(
    kept: el.Archive, wearers: pd.DataFrame, tmp_path: Path
) -> None:
    call = partial(el.cohort.apply, kept, el.blinks.rate, log=SIXTY, fields="blinks")
    rates = call(wearers=wearers, workers=1)
    assert rates.index.names == ["account"]
    frame = kept.read(SIXTY, "2026-09-01", "2026-10-31", account="ann", fields="blinks")
    assert rates.loc["ann", "n"] == el.blinks.rate(frame).loc["all", "n"]
    assert rates["group"].to_dict() == wearers.set_index("account")["group"].to_dict()
    call(wearers=wearers, workers=1, out=tmp_path / "out")
    assert_frame_equal(pd.read_parquet(tmp_path / "out").sort_index(), rates)


def test_only_the_fields_that_are_asked_for_are_read(kept: el.Archive) -> None:
    table = el.cohort.apply(
        kept, lambda frame: ",".join(frame.columns), log=SIXTY, fields=["wea_s"], workers=1
    )
    assert set(table["value"]) == {"wea_s"}
    with pytest.raises(el.FieldError, match="unknown field"):
        el.cohort.apply(kept, len, log=SIXTY, fields=["nothing"])


def test_an_error_is_that_of_one_wearer(kept: el.Archive) -> None:
    with pytest.warns(el.EyelogWarning, match=r"'ann' \(ZeroDivisionError: nothing to divide\)"):
        table = el.cohort.apply(kept, fails_for_ann, log=SIXTY, workers=1)
    assert table.index.tolist() == ["../bob", "Ann"]


def test_a_result_that_is_not_that_of_meta_is_an_error_of_its_wearer(kept: el.Archive) -> None:
    table = el.cohort.apply(kept, len, log=SIXTY, meta={"value": "float64"}, workers=1)
    assert table["value"].dtype == "float64"
    with pytest.warns(el.EyelogWarning, match=r"3 of 3 .*the columns value, where meta has other"):
        table = el.cohort.apply(kept, len, log=SIXTY, meta={"other": "float64"}, workers=1)
    assert list(table.columns) == ["other"]
    with pytest.raises(el.ConfigurationError, match="meta takes"):
        el.cohort.apply(kept, len, log=SIXTY, meta=3)  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="meta: "):
        el.cohort.apply(kept, len, log=SIXTY, meta={"value": "no such dtype"})


def test_another_function_or_another_argument_is_computed_again(
    kept: el.Archive, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    def states(least: float) -> set[str]:
        report = el.cohort.apply(
            kept, partial(more_than, least=least), log=SIXTY, out=out, workers=1
        )
        return set(report["state"])

    assert states(1) == {"done"}
    assert states(1) == {"unchanged"}
    before = files_of(out)
    assert states(2) == {"done"}
    assert files_of(out).keys() == before.keys()
    with pytest.raises(el.ConfigurationError, match="another computation"):
        el.cohort.apply(kept, len, log=SIXTY, out=out, workers=1)
    assert pd.read_parquet(out)["value"].tolist() == [
        more_than(kept.read(SIXTY, "2026-09-01", "2026-10-31", account=account), 2)
        for account in pd.read_parquet(out).index
    ]


def test_what_a_function_was_made_with_is_looked_at_whole(kept: el.Archive, tmp_path: Path) -> None:
    zeros = np.zeros(5000)  # its text is cut short
    other = zeros.copy()
    other[2500] = 1.0

    def states(function: Any) -> set[str]:
        report = el.cohort.apply(
            kept, function, log=SIXTY, fields=["wea_s"], out=tmp_path / "out", workers=1
        )
        return set(report["state"])

    assert states(partial(total, values=zeros)) == {"done"}
    assert states(partial(total, values=zeros.copy())) == {"unchanged"}
    assert states(partial(total, values=other)) == {"done"}


@pytest.mark.parametrize("result", [None, [1, 2], object()])
def test_a_result_that_is_neither_table_nor_number_is_refused(
    kept: el.Archive, result: object
) -> None:
    with pytest.warns(el.EyelogWarning, match="return a table, a named result or a number"):
        el.cohort.apply(kept, lambda _: result, log=SIXTY, workers=1)


# Where wearers were is in no result unless somebody asks for it.


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> el.Archive:
    """Return an archive of the 15-second log, in which every record has a position."""
    archive = el.Archive(tmp_path_factory.mktemp("positions") / "archive")
    frame = el.simulate("2026-10-19", 1, log=FIFTEEN, seed=1).assign(lat=35.0, lng=139.0)
    for account in ("ann", "bob"):
        archive.write(FIFTEEN, frame, account=account)
    return archive


def hour(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[["stp", "lat", "lng"]].iloc[:4]


def place(frame: pd.DataFrame) -> dict[str, float]:
    return {"lat": frame["lat"].mean(), "rows": len(frame)}


@pytest.mark.parametrize(("function", "left"), [(hour, ["stp"]), (place, ["rows"])])
def test_a_function_sees_positions_and_its_result_leaves_them_out(
    places: el.Archive, function: Any, left: list[str], tmp_path: Path
) -> None:
    with pytest.warns(el.EyelogWarning, match=r"left out where the wearers were \(lat.*fields="):
        table = el.cohort.apply(places, function, log=FIFTEEN, workers=1)
    assert list(table.columns) == left
    with pytest.warns(el.EyelogWarning, match="left out where"):
        el.cohort.apply(places, function, log=FIFTEEN, out=tmp_path / "o", workers=1)
    assert list(pd.read_parquet(tmp_path / "o").columns) == left


@pytest.mark.filterwarnings("error")
def test_a_result_has_positions_where_they_are_asked_for_and_days_have_none(
    places: el.Archive,
) -> None:
    for asked in (
        {"fields": ["stp", "lat", "lng"]},
        {"meta": dict.fromkeys(["stp", "lat", "lng"], "float64")},
    ):
        table = el.cohort.apply(places, hour, log=FIFTEEN, workers=1, **asked)
        assert list(table.columns) == ["stp", "lat", "lng"]
        assert table["lat"].eq(35.0).all()
    assert not {"lat", "lng"} & {*el.cohort.daily(places, FIFTEEN, workers=1).columns}
