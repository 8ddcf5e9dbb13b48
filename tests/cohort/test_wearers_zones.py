"""Wearers of a cohort in the zones that the archive keeps, each in their own."""

import pytest

import eyelog as el
from eyelog.cohort.wearers import roster

LOG = "standard_mode_logs"
TRIP = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])


@pytest.fixture
def archive(tmp_path) -> el.Archive:
    made = el.Archive(tmp_path / "archive")
    for account, tz in {"anna": "Asia/Tokyo", "ben": "Europe/Berlin"}.items():
        frame = el.simulate("2026-10-20", 2, log=LOG, tz=tz)
        made.write(LOG, frame, account=account)
        made.set_zones(tz, account=account)
    return made


def zones_of(archive: el.Archive, **arguments) -> dict[str, str]:
    given = {"accounts": None, "tz": None, "wearers": None} | arguments
    return {each.account: str(each.tz) for each in roster(archive, LOG, **given).wearers}


def test_each_wearer_has_the_zone_of_the_archive(archive) -> None:
    assert zones_of(archive) == {"anna": "Asia/Tokyo", "ben": "Europe/Berlin"}
    assert el.cohort.daily(archive, log=LOG).groupby("account").size().to_dict() == {
        "anna": 2,
        "ben": 2,
    }


def test_a_changed_zone_is_computed_again_and_an_equal_one_is_not(archive, tmp_path) -> None:
    def states() -> dict[str, str]:
        report = el.cohort.daily(archive, log=LOG, out=tmp_path / "out")
        return dict(zip(report["account"], report["state"], strict=True))

    archive.set_zones(TRIP, account="anna")
    assert set(states().values()) == {"done"}
    archive.set_zones(TRIP.to_frame(), account="anna")
    assert set(states().values()) == {"unchanged"}
    # The same names in the same order, from another day: other days.
    archive.set_zones([("", "Asia/Tokyo"), ("2026-10-21", "America/New_York")], account="anna")
    assert states() == {"anna": "done", "ben": "unchanged"}


def test_a_simulated_cohort_keeps_its_zones_and_does_not_travel(tmp_path) -> None:
    archive = el.Archive(tmp_path)
    options = {"start": "2026-10-20", "days": 1, "log": LOG, "workers": 1}
    el.cohort.simulate(archive, 4, tz=["Asia/Tokyo", "Europe/Berlin"], **options)
    assert [str(archive.zones(f"w000{n}")) for n in (1, 3)] == ["Asia/Tokyo", "Europe/Berlin"]
    with pytest.raises(el.ConfigurationError, match="do not travel"):
        el.cohort.simulate(archive, 2, tz=TRIP, **options)
