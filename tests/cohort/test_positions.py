"""Where wearers were is in no result unless somebody asks for it."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import eyelog as el

FIFTEEN, SECRET = "computed_data", {"lat", "lng"}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> el.Archive:
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
    archive: el.Archive, function: Any, left: list[str], tmp_path: Path
) -> None:
    with pytest.warns(el.EyelogWarning, match=r"left out where the wearers were \(lat.*fields="):
        table = el.cohort.apply(archive, function, log=FIFTEEN, workers=1)
    assert list(table.columns) == left
    with pytest.warns(el.EyelogWarning, match="left out where"):
        el.cohort.apply(archive, function, log=FIFTEEN, out=tmp_path / "o", workers=1)
    assert list(pd.read_parquet(tmp_path / "o").columns) == left


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "asked",
    [
        {"fields": ["stp", "lat", "lng"]},
        {"meta": {"stp": "float64", "lat": "float64", "lng": "float64"}},
    ],
)
def test_a_result_has_them_where_they_are_asked_for(
    archive: el.Archive, asked: dict[str, Any]
) -> None:
    table = el.cohort.apply(archive, hour, log=FIFTEEN, workers=1, **asked)
    assert list(table.columns) == ["stp", "lat", "lng"]
    assert table["lat"].eq(35.0).all()


@pytest.mark.filterwarnings("error")
def test_days_and_their_dataset_have_none(archive: el.Archive, tmp_path: Path) -> None:
    table = el.cohort.daily(archive, FIFTEEN, workers=1)
    el.cohort.daily(archive, FIFTEEN, out=tmp_path / "days", workers=1)
    assert not SECRET & {*table.columns, *pd.read_parquet(tmp_path / "days").columns}


@pytest.mark.slow("a cohort's report is made")
def test_the_report_has_none(archive: el.Archive, tmp_path: Path) -> None:
    rows = el.cohort.daily(archive, FIFTEEN, workers=1)
    page = el.report_cohort(rows[["worn_h", "steps"]], tmp_path / "r.html").read_text()
    assert "139.0" not in page
    assert "lng" not in page


@pytest.mark.filterwarnings("ignore:left out")
def test_simulated_wearers_come_back_without(tmp_path: Path) -> None:
    archive = el.Archive(tmp_path / "archive")
    people = el.cohort.simulate(archive, 1, start="2026-10-19", days=1, log=FIFTEEN, workers=1)
    assert not SECRET & set(people.columns)
    archive.export(FIFTEEN, "2026-10-19", "2026-10-19", tmp_path / "day.csv", account="w0001")
    header = (tmp_path / "day.csv").read_text().splitlines()[0]
    assert not SECRET & set(header.split(","))
