"""RFC 3339 stamps are read alike one by one and many at once, and nothing else is read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import eyelog as el
from eyelog.rfc3339 import format_rfc3339, parse_rfc3339, parse_stamps

# A day from either edge of the calendar, so that every offset can be had.
instants = st.datetimes(timezones=st.just(UTC)).filter(lambda stamp: 1 < stamp.year < 9999)


def test_the_three_ways_of_writing_an_offset_mean_the_same() -> None:
    expected = datetime(2026, 10, 24, tzinfo=UTC)
    assert parse_rfc3339("2026-10-24T00:00:00Z") == expected
    assert parse_rfc3339("2026-10-24T09:00:00+09:00") == expected
    assert parse_rfc3339("2026-10-24T09:00:00+0900") == expected


@pytest.mark.parametrize("text", ["2026-10-24", "2026-10-24T09:00:00", "noon", "", None])
def test_a_stamp_without_an_offset_is_refused(text: object) -> None:
    with pytest.raises(el.ConfigurationError, match="RFC 3339"):
        parse_rfc3339(text)  # type: ignore[arg-type] # that is the point


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


@given(st.lists(st.text("0123456789-:TZ+", min_size=20, max_size=20), min_size=1, max_size=2))
@example(["2026-02-29T00:00:00Z"])
@example(["2026-13-01T00:00:00Z"])
@example(["2026-00-10T00:00:00Z"])
@example(["2026-10-00T00:00:00Z"])
@example(["2026-10-24T00:00:60Z"])
@example(["0000-10-24T00:00:00Z"])
@example(["2026-10-24T00:00:00+24:00"])
@example(["2026-10-24T00:00:00+2360"])
def test_what_is_no_stamp_alone_is_none_among_many(texts: list[str]) -> None:
    with pytest.raises(el.ConfigurationError, match="RFC 3339"):
        parse_stamps(["2026-10-24T00:00:00Z", *texts])


@given(stamp=instants, minutes=st.integers(-14 * 60, 14 * 60))
def test_writing_and_reading_a_stamp_gives_it_back(stamp: datetime, minutes: int) -> None:
    local = stamp.astimezone(timezone(timedelta(minutes=minutes)))
    assert parse_rfc3339(format_rfc3339(local)) == stamp
    assert parse_rfc3339(format_rfc3339(local)).utcoffset() == timedelta(minutes=minutes)
