"""A client fetches any range as one table."""

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.fetch.cache import cache_info
from eyelog.frame import history
from support import faulty, live
from support.fetching import TOKEN, client_of
from support.logs import columns
from support.paged import Paged
from support.records import records

LOG = "standard_mode_logs"


# With the real service


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[live.Live]:
    wearers = {
        name: [
            records("computed_data", "2024-03-30 20:00", 500, seed=seed),
            records(LOG, "2024-03-29 18:00", 3000, seed=seed),
        ]
        for seed, name in enumerate(["anna", "ben"])
    }
    with live.service(tmp_path_factory.mktemp("service") / "archive", wearers) as running:
        yield running


def logged_in(service: live.Live, home: Path, account: str, **options: Any) -> el.Client:
    application = el.Application(service.client_id, service.client_secret, service.redirect_uri)
    client = el.Client(service.url, application=application, account=account, home=home, **options)
    client.exchange(service.code(account))
    return client


@pytest.mark.parametrize("log", ["computed_data", LOG])
@pytest.mark.parametrize("tz", ["UTC", "Europe/Berlin", "Asia/Tokyo"])
def test_a_fetch_returns_the_records_of_the_archive(
    service: live.Live, home: Path, log: str, tz: str
) -> None:
    with logged_in(service, home, "anna", tz=tz) as client:
        found = getattr(client, log)("2024-03-29", "2024-04-01")
    held = el.Archive(service.archive).read(log, "2024-03-29", "2024-04-01", account="anna", tz=tz)
    assert len(found) > 400
    assert_frame_equal(found, held)
    assert str(found.index.tz) == tz


def test_two_accounts_never_see_each_others_data(service: live.Live, home: Path) -> None:
    frames = {}
    for account in ("anna", "ben"):
        with logged_in(service, home, account) as client:
            frames[account] = client.standard_mode_logs("2024-03-30", "2024-03-30")
            assert len(frames[account]) == 1440
    assert not frames["anna"].equals(frames["ben"])
    for account, frame in frames.items():
        offline = el.Client(service.url, application=None, account=account, home=home, offline=True)
        assert_frame_equal(offline.standard_mode_logs("2024-03-30", "2024-03-30"), frame)


def test_only_the_token_file_has_tokens_and_secrets(service: live.Live, home: Path) -> None:
    secrets = [service.client_secret]
    with logged_in(service, home, "anna") as client:
        token = client.credentials.token
        assert token is not None
        secrets += [token.access_token, str(token.refresh_token)]
        client.computed_data("2024-03-30", "2024-03-31")
        fresh = client.refresh()
        secrets.append(fresh.access_token)
        service.expire_token(fresh.access_token)
        client.computed_data("2024-03-30", "2024-03-31", refresh=True)
        assert client.credentials.token is not None
        secrets.append(client.credentials.token.access_token)
        for shown in (repr(client), repr(client.credentials), str(vars(client))):
            assert not any(secret in shown for secret in secrets)
    assert len(set(secrets)) == 5
    holders = {
        path.parent.name
        for path in home.rglob("*")
        if path.is_file() and any(secret.encode() in path.read_bytes() for secret in secrets)
    }
    assert holders == {"tokens"}
    assert {path.name.split("-")[0] for path in (home / "cache").iterdir()} == {"anna"}


def test_after_revoking_cached_days_are_still_there(service: live.Live, home: Path) -> None:
    with logged_in(service, home, "anna") as client:
        frame = client.standard_mode_logs("2024-03-30", "2024-03-30")
        client.revoke()
        assert_frame_equal(client.standard_mode_logs("2024-03-30", "2024-03-30"), frame)
        with pytest.raises(el.AuthorizationError, match="eyelog login"):
            client.standard_mode_logs("2024-03-30", "2024-03-30", refresh=True)


def test_a_given_token_wins_over_the_token_file(there: faulty.Server, home: Path) -> None:
    client = client_of(there, home, token=None)
    client.credentials.store.save(el.Token("token-of-the-file"))
    client.standard_mode_logs("2024-03-01", "2024-03-01")
    client_of(there, home).standard_mode_logs("2024-03-02", "2024-03-02")
    assert [seen.bearer for seen in there.requests] == ["token-of-the-file"] * 3 + [
        TOKEN.access_token
    ] * 3


@pytest.mark.usefixtures("within_one_hour")
def test_days_wholly_in_the_future_are_not_asked_for_and_come_back_empty(
    there: faulty.Server, home: Path
) -> None:
    today = datetime.now(UTC).date()
    frame = client_of(there, home).standard_mode_logs(
        today + timedelta(days=2), today + timedelta(days=400)
    )
    assert there.count() == 0
    assert len(frame) == 0
    assert list(frame.columns) == list(columns(LOG))
    assert str(frame.index.dtype) == "datetime64[us, UTC]"
    ahead = client_of(there, home).standard_mode_logs(today, today + timedelta(days=30))
    assert {seen.query["date_from"][:10] for seen in there.requests} == {str(today)}
    assert len(ahead) == 24
    offline = client_of(there, home, offline=True)
    assert len(offline.standard_mode_logs(today, today + timedelta(days=30))) == 24


def test_only_the_requested_columns_come_back_and_date_is_always_requested(
    there: faulty.Server, home: Path
) -> None:
    client = client_of(there, home)
    frame = client.standard_mode_logs("2024-03-01", "2024-03-01", fields=["stp_s", "wea_s", "date"])
    assert list(frame.columns) == ["wea_s", "stp_s"]
    assert {seen.query["fields"] for seen in there.requests} == {"date,wea_s,stp_s"}
    asked = there.count()
    client.standard_mode_logs("2024-03-01", "2024-03-01", fields=("wea_s", "stp_s"))
    assert there.count() == asked
    client.standard_mode_logs("2024-03-01", "2024-03-01")
    assert there.count() == 2 * asked
    assert "fields" not in there.requests[-1].query


@pytest.mark.parametrize(
    ("day", "tz", "hours"),
    [
        ("2024-10-27", "Europe/Berlin", 25),
        ("2024-03-31", "Europe/Berlin", 23),
        ("2024-04-07", "Australia/Lord_Howe", 25),
        ("2018-11-04", "America/Sao_Paulo", 23),
        ("2011-12-30", "Pacific/Apia", 0),
        ("2024-10-27", "Asia/Kathmandu", 24),
    ],
)
def test_each_hour_of_an_odd_day_comes_once(
    there: faulty.Server, home: Path, day: str, tz: str, hours: int
) -> None:
    frame = client_of(there, home, tz=tz).standard_mode_logs(day, day)
    assert len(frame) == hours
    assert all(str(stamp.date()) == day for stamp in frame.index)
    if hours:
        assert len(cache_info(home)) == cache_info(home)["days"].sum() == 1


def test_instants_are_taken_to_the_second(there: faulty.Server, home: Path) -> None:
    frame = client_of(there, home, tz="Asia/Tokyo").standard_mode_logs(
        datetime(2024, 3, 1, 22, tzinfo=UTC), datetime(2024, 3, 2, 3, 30, tzinfo=UTC)
    )
    assert frame.index[0].isoformat() == "2024-03-02T07:00:00+09:00"
    assert len(frame) == 6
    assert there.requests[0].query["date_to"] == "2024-03-02T12:30:00+09:00"


@settings(max_examples=8)
@given(
    size=st.integers(1, 40),
    days=st.integers(1, 3),
    tz=st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]),
    workers=st.integers(1, 4),
)
def test_a_paged_fetch_equals_an_unpaged_one_over_a_real_socket(
    size: int, days: int, tz: str, workers: int
) -> None:
    end = f"2024-03-{29 + days}" if days < 3 else "2024-04-01"
    frames = []
    for pages in (size, 10_000):
        with (
            tempfile.TemporaryDirectory() as folder,
            faulty.server(Paged(every=1800, size=pages)) as server,
            client_of(server, Path(folder), tz=tz, workers=workers) as client,
        ):
            frames.append(client.standard_mode_logs("2024-03-30", end))
    assert_frame_equal(*frames)
    assert len(frames[0]) >= 46 * days


def test_offline_and_refresh_exclude_each_other(there: faulty.Server, home: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="offline"):
        client_of(there, home, offline=True).standard_mode_logs(
            "2024-03-01", "2024-03-01", refresh=True
        )


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, el.Refused), (401, el.AuthorizationError), (403, el.Refused), (404, el.Refused)],
)
def test_a_refusal_is_a_typed_error(home: Path, status: int, kind: type[Exception]) -> None:
    token = el.Token("access-token-of-tests")
    with faulty.server(faulty.error(status)) as server:
        with pytest.raises(kind) as caught:
            client_of(server, home, token=token).standard_mode_logs("2024-03-01", "2024-03-01")
        assert "access-token-of-tests" not in str(caught.value)
    assert len(cache_info(home)) == 0


def test_records_that_were_not_asked_for_are_kept_with_a_warning(home: Path) -> None:
    body = {LOG: {"0": [{"date": "2024-03-01T12:00:00Z"}, {"date": "2024-03-02T00:00:00Z"}]}}
    with (
        faulty.server(faulty.answer(body)) as server,
        pytest.warns(el.EyelogWarning, match=r"1 record\(s\) with a stamp outside"),
    ):
        frame = client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-01")
    assert len(frame) == 2


def test_a_stamp_with_a_fraction_within_the_last_second_was_asked_for(home: Path) -> None:
    body = {LOG: {"0": [{"date": "2024-03-01T23:59:59.999Z"}]}}
    with faulty.server(faulty.answer(body)) as server:
        assert len(client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-01")) == 1


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        (lambda c: c.computed_data("2024-03-02", "2024-03-01"), el.ConfigurationError),
        (lambda c: c.computed_data("yesterday", "2024-03-01"), el.ConfigurationError),
        (
            lambda c: c.computed_data(datetime(2024, 3, 1), "2024-03-01"),  # noqa: DTZ001 # naive
            el.ConfigurationError,
        ),
        (lambda c: c.computed_data("2024-03-01", "2024-03-01", tz="Mars"), el.ConfigurationError),
        (lambda c: c.computed_data("2024-03-01", "2024-03-01", fields=["stp_s"]), el.FieldError),
        (lambda c: c.computed_data("2024-03-01", "2024-03-01", fields=[]), el.FieldError),
    ],
)
def test_an_invalid_request_is_refused_before_anything_is_sent(
    there: faulty.Server, home: Path, call: Any, kind: type[Exception]
) -> None:
    with pytest.raises(kind):
        call(client_of(there, home))
    assert there.count() == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"account": ""},
        {"account": " "},
        {"account": None},
        {"account": "\ud800"},
        {"tz": "Mars"},
        {"workers": 0},
        {"workers": 2.5},
        {"workers": True},
    ],
)
def test_an_invalid_setting_is_refused(
    there: faulty.Server, home: Path, wrong: dict[str, Any]
) -> None:
    with pytest.raises(el.ConfigurationError):
        client_of(there, home, **wrong)


@pytest.mark.parametrize("url", ["", "service.example", "ftp://host", "https://me:pw@host"])
def test_an_invalid_address_is_refused_and_no_password_shown(url: str) -> None:
    with pytest.raises(el.ConfigurationError) as caught:
        el.Client(url, application=None)
    assert "pw" not in str(caught.value)


# Frames and their story


def test_the_provenance_names_the_fetch_and_has_no_clock_time(
    there: faulty.Server, home: Path
) -> None:
    frame = client_of(there, home, account="anna").standard_mode_logs("2024-03-01", "2024-03-01")
    assert frame.attrs["eyelog"]["log"] == LOG
    assert frame.attrs["eyelog"]["account"] == "anna"
    assert history(frame)[-1] == {
        "step": "fetch",
        "start": "2024-03-01",
        "end": "2024-03-01",
        "tz": "UTC",
        "fields": None,
    }


def test_a_closed_client_opens_again(there: faulty.Server, home: Path) -> None:
    with client_of(there, home) as client:
        client.standard_mode_logs("2024-03-01", "2024-03-01")
    client.close()
    assert len(client.standard_mode_logs("2024-03-02", "2024-03-02")) == 24


def test_a_walk_of_many_fields_is_the_same_from_the_cache(service: live.Live, home: Path) -> None:
    with logged_in(service, home, "ben") as client:
        first = client.computed_data("2024-03-30", "2024-03-31", fields=["gw", "isl", "stp"])
        again = client.computed_data("2024-03-30", "2024-03-31", fields=["stp", "isl", "gw"])
    assert_frame_equal(first, again)
    assert list(first.columns) == ["stp", "isl", "gw"]
    assert isinstance(first.index, pd.DatetimeIndex)
