"""RFC 3339 stamps are read alike one by one and many at once, and nothing else is read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from eyelog.clock import parse_rfc3339, parse_stamps

# A day from either edge of the calendar, so that every offset can be had.
instants = st.datetimes(timezones=st.just(UTC)).filter(lambda stamp: 1 < stamp.year < 9999)


@pytest.mark.parametrize(
    "text",
    [
        *("2026-W43-6T09:00:00Z", "2026-10-24T09:00:00Z\0", "2026-10-24T090000+0900"),
        *("2026-10-24T09:00:00,5Z", "2026-10-24T09:00:00 Z", "2026-10-24T09:00:00+09"),
        *("2026-10-24T09:00:0\u0665Z", "2026-10-24T09:00:60Z", "2026-02-29T09:00:00Z"),
    ],
)
def test_what_python_takes_but_rfc_3339_does_not_is_refused(text: str) -> None:
    with pytest.raises(el.ConfigurationError, match="RFC 3339"):
        parse_rfc3339(text)
    with pytest.raises(el.ConfigurationError, match="RFC 3339"):
        parse_stamps(["2026-10-24T09:00:00Z", text])


def written(stamp: datetime, form: str) -> str:
    text = stamp.replace(tzinfo=None).isoformat()
    sign = stamp.isoformat(timespec="seconds")[19:]
    return text + {"Z": "Z", "+hh:mm": sign, "+hhmm": sign.replace(":", "")}[form]


@given(
    st.lists(
        st.datetimes(
            timezones=st.integers(-1439, 1439).map(lambda m: timezone(timedelta(minutes=m)))
        ),
        max_size=5,
    ),
    st.lists(st.sampled_from(["Z", "+hh:mm", "+hhmm"]), min_size=1, max_size=2),
    st.booleans(),
)
def test_many_stamps_at_once_are_read_as_one_by_one(
    stamps: list[datetime], forms: list[str], fractions: bool
) -> None:
    if not fractions:
        stamps = [stamp.replace(microsecond=0) for stamp in stamps]
    texts = [written(stamp, forms[i % len(forms)]) for i, stamp in enumerate(stamps)]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    expected = [(parse_rfc3339(text) - epoch) // timedelta(microseconds=1) for text in texts]
    assert parse_stamps(texts).astype(int).tolist() == expected


@given(stamp=instants, minutes=st.integers(-14 * 60, 14 * 60))
def test_writing_and_reading_a_stamp_gives_it_back(stamp: datetime, minutes: int) -> None:
    local = stamp.astimezone(timezone(timedelta(minutes=minutes)))
    assert parse_rfc3339(local.isoformat()) == stamp
    assert parse_rfc3339(local.isoformat()).utcoffset() == timedelta(minutes=minutes)
