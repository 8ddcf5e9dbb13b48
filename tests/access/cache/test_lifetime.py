"""How long a day stays fresh, and which days are different ones."""

from datetime import UTC, date, datetime, timedelta

import pytest

from eyelog.access.cache.lifetime import day_key, lifetime
from eyelog.clock import windows
from support.cached import URL

# Age

DAY = date(2026, 10, 25)


TZ = "Europe/Berlin"  # this day lasts 25 hours, to 23:00 UTC


END = datetime(2026, 10, 25, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("asked", "empty", "age"),
    [
        (END - timedelta(seconds=1), False, timedelta(minutes=5)),
        (END - timedelta(seconds=1), True, timedelta(minutes=5)),
        (END, False, timedelta(hours=6)),
        (END + timedelta(days=7, seconds=-1), False, timedelta(hours=6)),
        (END + timedelta(days=7), False, None),
        (END + timedelta(days=3000), False, None),
        (END, True, timedelta(hours=1)),
        (END + timedelta(days=3000), True, timedelta(hours=1)),
    ],
)
def test_a_day_stays_fresh_as_long_as_it_is_settled(
    asked: datetime, empty: bool, age: timedelta | None
) -> None:
    assert lifetime(DAY, TZ, begun=asked, empty=empty) == age


# Whose


def test_account_service_log_fields_and_windows_all_make_another_key() -> None:
    one = tuple(windows("2026-10-24", "2026-10-24", "Asia/Tokyo"))
    other = tuple(windows("2026-10-24", "2026-10-24", "UTC"))
    keys = {
        day_key("anna", URL, "computed_data", one, None),
        day_key("ben", URL, "computed_data", one, None),
        day_key("anna", "http://127.0.0.1:2", "computed_data", one, None),
        day_key("anna", URL, "standard_mode_logs", one, None),
        day_key("anna", URL, "computed_data", other, None),
        day_key("anna", URL, "computed_data", one, ("stp",)),
        day_key("anna", URL, "computed_data", one, ("stp", "cad")),
    }
    assert len(keys) == 7


def test_zones_that_agree_on_a_day_share_it() -> None:
    keys = {
        day_key("anna", URL, "computed_data", tuple(windows("2026-01-05", "2026-01-05", tz)), None)
        for tz in ("UTC", "Europe/London", "Africa/Abidjan")
    }
    assert len(keys) == 1
