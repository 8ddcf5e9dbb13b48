"""A simulated cohort, and the effect that is planted in it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.cohorts import SIXTY

DAY = {"start": "2026-10-19", "days": 1, "log": SIXTY}


def cohort(path: Path, count: int, **settings: object) -> tuple[el.Archive, pd.DataFrame]:
    archive = el.Archive(path)
    arguments = {**DAY, "workers": 1, **settings}
    return archive, el.cohort.simulate(archive, count, **arguments)  # type: ignore[arg-type]


@pytest.mark.slow("a cohort is simulated twice")
def test_the_same_seed_gives_the_same_cohort_whatever_the_workers(tmp_path: Path) -> None:
    first, people = cohort(tmp_path / "1", 3, seed=5, days=2)
    second, same = cohort(tmp_path / "2", 4, seed=5, days=2, workers=2)
    assert_frame_equal(people, same.iloc[:3])
    for account in people["account"]:
        read = [
            each.read(SIXTY, "2026-10-01", "2026-10-31", account=account)
            for each in (first, second)
        ]
        assert_frame_equal(read[0], read[1])
    _, others = cohort(tmp_path / "3", 3, seed=6)
    assert not set(others["seed"]) & set(same["seed"])


@pytest.mark.slow("a cohort is simulated")
def test_a_wearer_of_the_control_group_is_that_of_simulate(tmp_path: Path) -> None:
    archive, people = cohort(tmp_path / "a", 2, effect=1.5, days=14, tz="Asia/Tokyo")
    control, treated = people.to_dict("records")
    assert (control["group"], treated["group"]) == ("control", "treated")
    for row in (control, treated):
        frame = archive.read(
            SIXTY, "2026-10-01", "2026-11-30", account=row["account"], tz=row["tz"]
        )
        alone = el.simulate("2026-10-19", 14, log=SIXTY, seed=row["seed"], tz=row["tz"])
        assert frame["wea_s"].equals(alone["wea_s"])
        assert frame.equals(alone) == (row["group"] == "control")


def test_each_zone_has_wearers_of_both_groups_and_the_archive_keeps_it(tmp_path: Path) -> None:
    archive, people = cohort(tmp_path / "a", 4, tz=["Asia/Tokyo", "UTC"])
    assert set(zip(people["tz"], people["group"], strict=True)) == {
        (tz, group) for tz in ("Asia/Tokyo", "UTC") for group in ("control", "treated")
    }
    assert [str(archive.zones(name)) for name in people["account"]] == people["tz"].tolist()


def test_both_logs_are_written_unless_one_is_named(tmp_path: Path) -> None:
    archive, _ = cohort(tmp_path / "a", 1, log=None)
    assert archive.inventory()["log"].tolist() == ["computed_data", SIXTY]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"days": 0}, "days must be"),
        ({"seed": -1}, "seed must be"),
        ({"effect": 3}, "effect must be"),
        ({"effect": float("nan")}, "effect must be"),
        ({"tz": []}, "tz has no zone"),
        ({"tz": "Mars"}, "unknown time zone"),
        ({"tz": el.Zones([("", "UTC"), ("2026-10-22", "Asia/Tokyo")])}, "do not travel"),
        ({"start": "1950-01-01"}, "leave the years"),
        ({"log": "other"}, "other"),
    ],
)
def test_a_wrong_argument_is_one_line(tmp_path: Path, wrong: dict[str, object], said: str) -> None:
    with pytest.raises(el.ConfigurationError, match=said):
        cohort(tmp_path / "a", 1, **wrong)
    with pytest.raises(el.ConfigurationError, match="wearers must be"):
        cohort(tmp_path / "a", 0)


def test_an_archive_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a file")
    with pytest.raises(el.EyelogError, match="1 of 1 wearers were not written: w0001: cannot"):
        cohort(tmp_path / "a", 1)


@pytest.mark.slow("a level is a frequency: it needs many seeds")
@pytest.mark.timeout(1800)
def test_the_planted_effect_is_recovered(tmp_path: Path) -> None:
    """The intervals of 40 small cohorts hold the true difference about 38 times."""
    size, cohorts, effect = 8, 40, 1.2
    archive, people = cohort(tmp_path / "a", size * cohorts, effect=effect, workers=2)
    table = el.cohort.daily(archive, SIXTY, wearers=people.drop(columns="tz"), workers=2)
    rate = table["blink_rate_per_min"].droplevel("day")
    usual = rate / np.where(table["group"] == "treated", effect, 1.0)
    truth = (effect - 1) * usual.mean()
    held, found = 0, []
    for number in range(cohorts):
        few = people["account"].iloc[number * size : (number + 1) * size]
        of_these = table.loc[few.tolist()]
        groups = of_these["group"].groupby(level="account").first().to_dict()
        result = el.compare.group_difference(of_these, groups, outcome="blink_rate_per_min")
        held += result.low <= truth <= result.high
        found.append(result.difference)
    assert (result.first, result.second) == ("control", "treated")
    assert np.mean(found) == pytest.approx(truth, abs=3 * np.std(found) / cohorts**0.5)
    assert held >= 34  # fewer have a chance of 0.3 % with a 95 % interval
