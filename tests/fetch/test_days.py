"""A client fetches any range as one table: walks that end or raise, days kept whole and private."""

import io
import itertools
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from support import faulty, hostile, live
from support.command import main
from support.fetching import client_of, day_files, head_of, let_expire, rewrite
from support.logs import columns
from support.paged import Paged
from support.paths import TESTS
from support.records import records

LOG = "standard_mode_logs"


def cached() -> list[dict[str, Any]]:
    """Return what ``eyelog cache`` shows of each account."""
    with redirect_stdout(io.StringIO()) as out:
        assert main(["cache", "--json"]) == 0
    return list(json.loads(out.getvalue()))


def cleared(*words: str) -> int:
    """Return how many bytes ``eyelog cache clear`` clears."""
    with redirect_stderr(io.StringIO()) as said:
        assert main(["cache", "clear", *words]) == 0
    return int(said.getvalue().split()[1].replace(",", ""))


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
        assert [row["days"] for row in cached()] == [1]


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


# Frames and their story
# connect
def test_connect_uses_the_environment(
    there: faulty.Server, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EYELOG_BASE_URL", there.url + "/")
    monkeypatch.setenv("EYELOG_ACCESS_TOKEN", "token-of-the-environment")
    client = el.connect("anna", tz="Asia/Tokyo")
    assert repr(client) == (
        f"<Client '{there.url}', account 'anna', days of Asia/Tokyo: logged in, 0 days cached>"
    )
    assert client.home == home
    assert len(client.standard_mode_logs("2024-03-01", "2024-03-01")) == 24
    assert there.requests[0].bearer == "token-of-the-environment"


def test_connect_names_the_address_that_is_missing_or_none(monkeypatch) -> None:
    with pytest.raises(el.ConfigurationError, match="EYELOG_BASE_URL is not set"):
        el.connect()
    monkeypatch.setenv("EYELOG_BASE_URL", "ftp://x")
    with pytest.raises(el.ConfigurationError, match="EYELOG_BASE_URL must be an http"):
        el.connect()


def test_the_application_comes_from_the_environment_whole_or_not_at_all(monkeypatch):
    monkeypatch.setenv("EYELOG_BASE_URL", "https://service.example")
    assert el.connect().credentials.application is None
    monkeypatch.setenv("EYELOG_CLIENT_ID", "i")
    monkeypatch.setenv("EYELOG_CLIENT_SECRET", "hunter22")
    with pytest.raises(el.ConfigurationError, match="EYELOG_REDIRECT_URI not set") as caught:
        el.connect()
    assert "hunter22" not in str(caught.value)
    monkeypatch.setenv("EYELOG_REDIRECT_URI", "http://127.0.0.1:1/")
    known = el.connect().credentials.application
    assert known == el.Application("i", "hunter22", "http://127.0.0.1:1/")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://API.Example.org/", "https://api.example.org"),
        ("https://api.example.org:443/lab/", "https://api.example.org/lab"),
        ("https://host\n", "https://host"),
        (" http://127.0.0.1:8765 ", "http://127.0.0.1:8765"),
        ("http://localhost:80", "http://localhost"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_an_address_has_one_spelling(given, kept):
    assert el.Client(given, application=None).base_url == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "   ",
        "api.example.org",
        "ftp://host",
        "https://",
        "https://host?x=1",
        "https://host#x",
        "https://ho st",
        "https://host:port",
        "https://[::1",
        None,
        7,
        "https://us\u200ber.org",
        "javascript:alert(1)",
        "https://*.example",
        "https://.example",
        "https://user:hunter2@host",
        "https://anna:hunter2",
    ],
)
def test_what_is_no_address_is_refused(given):
    with pytest.raises(el.ConfigurationError, match="base_url") as caught:
        el.Client(given, application=None)
    assert "hunter2" not in str(caught.value)


def test_plain_http_to_another_machine_warns_where_a_token_would_be_sent():
    with pytest.warns(el.EyelogWarning, match="lab.example is used over plain http"):
        el.Client("http://lab.example", application=None)
    for quiet in ("http://127.0.0.1:8765", "http://localhost", "https://lab.example"):
        el.Client(quiet, application=None)


@pytest.mark.parametrize(
    "given",
    [
        "http://127.0.0.1:9/callback",
        "https://host/cb?x=1",
        "com.example.app:/oauth",
        "http://[::1]/",
    ],
)
def test_a_redirect_uri_is_kept_letter_by_letter(given):
    assert el.Application("id", "secret", given).redirect_uri == given


@pytest.mark.parametrize(
    "given", ["", "/callback", "http:///cb", "https://h/cb#x", "http://u:p@h/"]
)
def test_what_is_no_redirect_uri_is_refused(given):
    with pytest.raises(el.ConfigurationError, match="redirect_uri"):
        el.Application("id", "secret", given)


BEGIN = datetime(2026, 10, 23, 15, tzinfo=UTC)


homes = itertools.count()


def record(minute: int, value: float) -> dict[str, Any]:
    return {"date": (BEGIN + timedelta(minutes=minute)).isoformat(), "stp_s": value}


def body(records: list[dict[str, Any]], cursor: object = None, hour: int = 0) -> bytes:
    return json.dumps({LOG: {str(hour): records}, "cursor": cursor}).encode()


class Script:
    """Answers in order, the last one again and again; keeps what was asked."""

    def __init__(self, *bodies: bytes) -> None:
        self.bodies = list(bodies)
        self.asked: list[dict[str, str]] = []

    def __call__(self, request: faulty.Request) -> faulty.Answer:
        self.asked.append(request.query)
        return faulty.Answer(200, self.bodies[min(len(self.asked), len(self.bodies)) - 1])


def walked(script: Script, home: Path, *, fields: Sequence[str] = ("stp_s",)) -> pd.DataFrame:
    with (
        faulty.server(script) as there,
        client_of(there, home / str(next(homes)), tz="Asia/Tokyo", account="anna") as client,
    ):
        return client.standard_mode_logs("2026-10-24", "2026-10-24", fields=fields)


@pytest.mark.parametrize(
    "end", [{"cursor": None}, {"cursor": ""}, {}], ids=["null", "empty", "missing"]
)
def test_a_walk_ends_at_a_null_an_empty_or_no_cursor(home: Path, end: dict[str, Any]) -> None:
    script = Script(
        body([record(1, 1)], "a"), json.dumps({LOG: {"0": [record(2, 2)]}, **end}).encode()
    )
    assert walked(script, home)["stp_s"].tolist() == [1.0, 2.0]
    assert len(script.asked) == 2


def test_all_parameters_but_the_cursor_stay_the_same_along_a_walk(home: Path) -> None:
    script = Script(body([], "a"), body([], "b+/="), body([]))
    walked(script, home, fields=["stp_s", "bl"])
    steady = {
        "date_from": "2026-10-24T00:00:00+09:00",
        "date_to": "2026-10-24T23:59:59+09:00",
        "fields": "date,stp_s,bl",
    }
    assert script.asked == [steady, {**steady, "cursor": "a"}, {**steady, "cursor": "b+/="}]
    assert list(script.asked[1])[:-1] == list(script.asked[0])


EMPTY = [body([], "a"), body([], "b"), body([], "c")]
ENDLESS = {
    "three empty pages": ([*EMPTY, body([record(1, 7)])], r"page 3: 3 empty pages.*operator", 3),
    "500 pages": (
        [body([record(n % 1440, n)], f"c{n}") for n in range(600)],
        "no end after 500 pages",
        500,
    ),
    "a cursor again": (
        [body([record(1, 1)], c) for c in "aba"],
        r"2026-10-24T00.*repeats a cur",
        3,
    ),
    "no answer": (
        [body([record(1, 1)], "a"), b"<html>"],
        r"'anna'.* to 2026-10-24T23.*, page 2",
        2,
    ),
    "two values for a stamp": (
        [body([record(1, 1)], "a"), body([record(1, 2)])],
        r"account 'anna', 2026-10-24: hour '0', record 1 of 1, field 'stp_s': it differs",
        2,
    ),
}


@pytest.mark.parametrize(("bodies", "says", "asked"), ENDLESS.values(), ids=ENDLESS)
def test_a_walk_that_cannot_be_whole_raises_and_says_where(
    home: Path, bodies: list[bytes], says: str, asked: int
) -> None:
    script = Script(*bodies)
    with pytest.raises(el.AnswerError, match=says):
        walked(script, home)
    assert len(script.asked) == asked
    assert not list(home.glob("*/cache/*/*"))


@st.composite
def walks(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[bytes]]:
    """Records in the order of their pages, and pages that hold them: hours in any order.

    Three empty pages in a row, which end a walk, do not occur: a cut repeats at most twice.
    """
    minutes = draw(st.lists(st.integers(0, 1439), max_size=30, unique=True))
    values = draw(st.lists(st.integers(0, 60), min_size=len(minutes), max_size=len(minutes)))
    records = [record(minute, value) for minute, value in zip(minutes, values, strict=True)]
    cuts = sorted(draw(st.lists(st.integers(0, len(records)), max_size=3, unique=True)) * 2)
    edges = [0, *cuts, len(records)]
    pages = []
    for n, (low, high) in enumerate(pairwise(edges)):
        hours = {str(hour): [each] for hour, each in enumerate(records[low:high])}
        order = draw(st.permutations(sorted(hours)))
        cursor = f"c{n}" if n < len(edges) - 2 else None
        pages.append(json.dumps({LOG: {key: hours[key] for key in order}, "cursor": cursor}))
    return records, [page.encode() for page in pages]


@given(walk=walks())
@settings(max_examples=15)
def test_a_paged_walk_equals_one_page_whatever_the_cuts_and_the_order_of_hours(
    walk: tuple[list[dict[str, Any]], list[bytes]],
) -> None:
    records, pages = walk
    with tempfile.TemporaryDirectory() as folder:
        found = walked(Script(*pages), Path(folder))
        assert_frame_equal(found, walked(Script(body(records)), Path(folder)))
    expected = {each["date"]: each["stp_s"] for each in records}
    assert len(found) == len(expected)
    assert found.index.is_monotonic_increasing
    for stamp, value in expected.items():
        assert found.loc[stamp, "stp_s"] == value


posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")


# What is asked, and what is not
def test_the_second_fetch_of_the_same_closed_days_makes_no_request(
    there: faulty.Server, home: Path
) -> None:
    first = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-05")
    asked = there.count()
    assert asked == 5 * 3
    again = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-05")
    assert there.count() == asked
    assert_frame_equal(first, again)
    assert first.attrs == again.attrs
    part = client_of(there, home).standard_mode_logs("2024-03-02", "2024-03-03")
    assert there.count() == asked
    assert_frame_equal(part, first["2024-03-02":"2024-03-03"])
    client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01", refresh=True)
    assert there.count() == asked + 3
    assert {seen.headers["cache-control"] for seen in there.requests} == {"no-cache"}
    with faulty.server(Paged(holds=lambda _: False)) as other:
        assert len(client_of(other, home).standard_mode_logs("2024-03-01", "2024-03-01")) == 0
    assert len(cached()) == 2


def test_cached_days_survive_the_rotation_of_the_token_and_need_none(
    there: faulty.Server, home: Path
) -> None:
    first = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-02")
    asked = there.count()
    for token in (el.Token("another-token"), None):
        found = client_of(there, home, token=token).standard_mode_logs("2024-03-01", "2024-03-02")
        assert_frame_equal(found, first)
    assert there.count() == asked
    content = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    for secret in (b"access-token-of-tests", b"refresh-token-of-tests", b"cookie-of-tests"):
        assert secret not in content
    with pytest.raises(el.AuthorizationError, match="eyelog login"):
        client_of(there, home, token=None).standard_mode_logs("2024-03-03", "2024-03-03")
    assert there.count() == asked


# Offline
@pytest.mark.usefixtures("within_one_hour")
def test_offline_answers_from_the_cache_whatever_its_age(home: Path) -> None:
    with faulty.server(Paged()) as server:
        today = datetime.now(UTC).date()
        frame = client_of(server, home).standard_mode_logs(today - timedelta(days=2), today)
    let_expire(home)
    offline = client_of(server, home, token=None, offline=True)
    assert_frame_equal(offline.standard_mode_logs(today - timedelta(days=2), today), frame)
    assert repr(offline) == (
        f"<Client '{server.url}', account 'me', days of UTC: offline, 3 days cached>"
    )


def test_offline_names_all_missing_days(there: faulty.Server, home: Path) -> None:
    client_of(there, home).standard_mode_logs("2024-03-03", "2024-03-04")
    asked = there.count()
    offline = client_of(there, home, offline=True)
    with pytest.raises(el.NotCached, match=r"8 day\(s\).*2024-03-01.*and 3 more") as caught:
        offline.standard_mode_logs("2024-03-01", "2024-03-10")
    expected = [f"2024-03-{n:02}" for n in (1, 2, 5, 6, 7, 8, 9, 10)]
    assert list(caught.value.missing) == expected
    with pytest.raises(el.NotCached, match="with these fields"):
        offline.standard_mode_logs("2024-03-03", "2024-03-04", fields=["stp_s"])
    with pytest.raises(el.ConfigurationError, match="offline"):
        offline.standard_mode_logs("2024-03-03", "2024-03-04", refresh=True)
    day_files(home)[1].write_bytes(b"no day")
    with pytest.raises(el.NotCached, match="is damaged") as caught:
        offline.standard_mode_logs("2024-03-03", "2024-03-04")
    assert caught.value.missing == ("2024-03-04",)
    assert there.count() == asked


# Age
@pytest.mark.usefixtures("within_one_hour")
def test_an_old_answer_is_asked_again_and_replaced(there: faulty.Server, home: Path) -> None:
    today = datetime.now(UTC).date()
    client = client_of(there, home)
    client.standard_mode_logs(today, today)
    asked = there.count()
    client.standard_mode_logs(today, today)
    assert there.count() == asked
    let_expire(home)
    client.standard_mode_logs(today, today)
    assert there.count() == 2 * asked
    assert [row["days"] for row in cached()] == [1]


@pytest.mark.usefixtures("within_one_hour")
@pytest.mark.parametrize("tz", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("empty", [False, True])
def test_how_long_a_day_stays_fresh_follows_from_its_age_and_whether_it_holds_anything(
    home: Path, tz: str, empty: bool
) -> None:
    today = datetime.now(ZoneInfo(tz)).date()
    ages = (0, 1, 7, 8, 3000)  # a day of a week ago ended less than seven days ago
    with faulty.server(Paged(holds=lambda _: not empty)) as server:
        client = client_of(server, home, tz=tz)
        for age in ages:
            client.standard_mode_logs(*[today - timedelta(days=age)] * 2)
    heads = [head_of(path) for path in day_files(home)]
    found = {head["day"]: head["expires"] and head["expires"] - head["fetched"] for head in heads}
    fresh_s = [found[str(today - timedelta(days=age))] for age in ages]
    hour = 3600
    if empty:
        assert fresh_s == pytest.approx([300, hour, hour, hour, hour])
    else:
        assert fresh_s[:3] == pytest.approx([300, 6 * hour, 6 * hour])
        assert fresh_s[3:] == [None, None]


def test_days_fetched_before_a_failure_stay_and_are_not_asked_again(home: Path) -> None:
    paged = Paged()

    def breaks(request: faulty.Request) -> faulty.Answer:
        broken = request.query["date_from"].startswith("2024-03-04")
        return faulty.error(403) if broken else paged(request)

    with faulty.server(breaks) as server:
        with pytest.raises(el.Refused):
            client_of(server, home, workers=1).standard_mode_logs("2024-03-01", "2024-03-06")
        server.script = paged
        server.requests.clear()
        frame = client_of(server, home).standard_mode_logs("2024-03-01", "2024-03-06")
        assert len(frame) == 6 * 24
        days = {seen.query["date_from"][8:10] for seen in server.requests}
        assert days == {"04", "05", "06"}


def test_a_refresh_that_fails_raises_and_leaves_the_stored_day_as_it_was(
    there: faulty.Server, home: Path
) -> None:
    client = client_of(there, home)
    frame = client.standard_mode_logs("2024-03-01", "2024-03-01")
    paged, there.script = there.script, lambda _: faulty.error(403)
    with pytest.raises(el.Refused):
        client.standard_mode_logs("2024-03-01", "2024-03-01", refresh=True)

    def half_way(request: faulty.Request) -> faulty.Answer:
        return faulty.html() if "cursor" in request.query else paged(request)

    there.script = half_way
    with pytest.raises(el.AnswerError):
        client.standard_mode_logs("2024-03-01", "2024-03-01", refresh=True)
    offline = client_of(there, home, offline=True)
    assert_frame_equal(offline.standard_mode_logs("2024-03-01", "2024-03-01"), frame)


Change = Callable[[dict[str, Any], dict[str, bytes]], object]


def page_is(at: int, body: int | bytes) -> Change:
    """Put a body, or that of another page, in place of a page of a stored day."""

    def change(_: dict[str, Any], pages: dict[str, bytes]) -> None:
        held = list(pages.values())
        pages[list(pages)[at]] = held[body] if isinstance(body, int) else body

    return change


DOCTORED: dict[str, Change] = {
    "a page is lost": lambda head, pages: (pages.popitem(), head.update(pages=len(pages))),
    "the last page is there alone": page_is(0, 2),
    "a page is there twice": page_is(0, 1),
    "the last page is there twice": page_is(1, 2),
    "a page is no answer": page_is(0, b"<html>"),
    "of a clock that ran ahead": lambda head, _: head.update(fetched=9e9),
    "of another account": lambda head, _: head.update(account="ben"),
    "of another day": lambda head, _: head.update(day="2024-03-02"),
}


@pytest.mark.filterwarnings("ignore:the cache file .* is damaged")
@pytest.mark.parametrize("change", DOCTORED.values(), ids=DOCTORED)
def test_a_stored_day_that_is_not_whole_or_of_another_is_asked_for_again(
    there: faulty.Server, home: Path, change: Change
) -> None:
    frame = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")
    rewrite(day_files(home)[0], change)
    again = client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-01")
    assert there.count() == 6
    assert_frame_equal(again, frame)


def test_offline_answers_from_a_day_stored_by_a_clock_that_ran_ahead(
    there: faulty.Server, home: Path
) -> None:
    frame = fetched(there, home)
    rewrite(day_files(home)[0], lambda head, _: head.update(fetched=9e9))
    assert_frame_equal(fetched(there, home, offline=True), frame)


def test_a_stored_day_of_another_account_warns(there: faulty.Server, home: Path) -> None:
    fetched(there, home)
    rewrite(day_files(home)[0], lambda head, _: head.update(account="ben"))
    with pytest.warns(el.EyelogWarning, match="damaged"):
        fetched(there, home)


def test_a_stored_part_of_a_day_never_answers_for_the_whole_day(
    there: faulty.Server, home: Path
) -> None:
    client = client_of(there, home, tz="Europe/Berlin")
    # The clock goes back at 03:00 that day: the part is the first window of the whole day.
    part = client.standard_mode_logs("2024-10-27T00:00:00+02:00", "2024-10-27T02:59:59+02:00")
    assert len(part) == 3
    count = there.count()
    assert len(client.standard_mode_logs("2024-10-27", "2024-10-27")) == 25
    assert there.count() == count + 1 + 3
    offline = client_of(there, home, tz="Europe/Berlin", offline=True)
    assert len(offline.standard_mode_logs("2024-10-27", "2024-10-27")) == 25
    assert len(offline.standard_mode_logs("2024-10-27T00:00:00+02:00", "2024-10-27T02:59:59+02:00"))


# Threads, processes, signals
@pytest.mark.parametrize("workers", [1, 4])
def test_as_many_days_are_asked_for_at_once_as_there_are_workers(home: Path, workers: int) -> None:
    pages, guard, met = Paged(size=100), threading.Lock(), threading.Event()
    under_way, most = 0, 0

    def at_once(request: faulty.Request) -> faulty.Answer:
        nonlocal under_way, most
        with guard:
            under_way += 1
            most = max(most, under_way)
            if under_way == workers:
                met.set()
        met.wait(2)  # an answer waits for the other workers' requests
        with guard:
            under_way -= 1
        return pages(request)

    with faulty.server(at_once) as server:
        client = client_of(server, home, workers=workers)
        client.standard_mode_logs("2024-03-01", "2024-03-20")
    assert most == workers


INTERRUPTED = """
    import sys
    import eyelog as el
    token = el.Token("access-token-of-tests")
    client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
    try:
        client.standard_mode_logs("2024-01-01", "2024-12-31")
    except KeyboardInterrupt:
        sys.exit(7)
"""


@posix
def test_an_interrupt_ends_a_fetch_at_once_and_keeps_its_days(home: Path) -> None:
    paged = Paged()

    def stalls(request: faulty.Request) -> faulty.Answer:
        slow = request.query["date_from"] >= "2024-01-10"
        return faulty.slow({}, 30) if slow else paged(request)

    with faulty.server(stalls) as server:
        command = [sys.executable, "-c", textwrap.dedent(INTERRUPTED), server.url, str(home)]
        with subprocess.Popen(command, stderr=subprocess.PIPE) as child:
            while server.count() < 9 * 3 + 4 and child.poll() is None:
                time.sleep(0.01)
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            _, shown = child.communicate(timeout=20)
            assert (child.returncode, shown) == (7, b"")
        offline = client_of(server, home, offline=True)
        assert len(offline.standard_mode_logs("2024-01-01", "2024-01-09")) == 9 * 24


def test_progress_is_shown_where_somebody_looks_and_goes_to_stderr(
    there: faulty.Server, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for progress in (True, False, None):
        client = client_of(there, home, progress=progress, account="anna")
        client.standard_mode_logs("2024-03-01", "2024-03-03")
        shown = capsys.readouterr()
        assert shown.out == ""
        assert ("standard_mode_logs of anna" in shown.err) is ("0/3" in shown.err) is bool(progress)


def fetched(there: faulty.Server, home: Path, **options: Any) -> pd.DataFrame:
    with client_of(there, home, **options) as client:
        return client.standard_mode_logs("2024-03-01", "2024-03-02")


# One file is one day
def test_each_day_of_each_log_and_choice_of_fields_is_a_file(
    there: faulty.Server, home: Path
) -> None:
    fetched(there, home)
    with client_of(there, home) as client:
        client.standard_mode_logs("2024-03-01", "2024-03-01", fields=["stp_s"])
        client.standard_mode_logs("2024-03-01", "2024-03-01", tz="Asia/Tokyo")
        client.computed_data("2024-03-01", "2024-03-01")
    names = [path.name[:30] for path in day_files(home)]
    assert len(set(day_files(home))) == len(names) == 5
    assert [row["days"] for row in cached()] == [3]  # two of one log, one of the other


def test_zones_that_agree_on_a_day_share_it(there: faulty.Server, home: Path) -> None:
    for tz in ("UTC", "Europe/London", "Africa/Abidjan"):
        fetched(there, home, tz=tz)
    assert len(day_files(home)) == 2


NAMES = [
    *("anna", "Anna", "ANNA", "anna ", "an/na", "an\\na", "../anna", "änna", "a\u0308nna", "安奈"),
    *("CON", "nul", ".", "a" * 500, "a" * 501, "🙂", "me", "%61nna"),
]


def test_any_text_makes_a_folder_that_no_other_account_has(
    there: faulty.Server, home: Path
) -> None:
    for name in NAMES:
        with client_of(there, home, account=name) as client:
            client.standard_mode_logs("2024-03-01", "2024-03-01")
    for name in ("anna\n", "anna\x00"):
        with pytest.raises(el.ConfigurationError, match="is not a name"):
            client_of(there, home, account=name)
    folders = [path.parent for path in day_files(home)]
    assert len({folder.name.lower() for folder in folders}) == len(folders) == len(NAMES)
    for folder in folders:
        assert folder.parent == home / "cache"
        assert folder.name.isascii()
        assert len(folder.name) < 120
        assert not set(folder.name) & set('/\\:*?"<>| %\0')


@posix
def test_files_are_0600_and_folders_0700_whatever_the_umask(
    there: faulty.Server, home: Path
) -> None:
    old = os.umask(0)
    try:
        fetched(there, home)
    finally:
        os.umask(old)
    assert {stat.S_IMODE(path.stat().st_mode) for path in day_files(home)} == {0o600}
    folders = (home, home / "cache", day_files(home)[0].parent)
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


@posix
def test_a_symbolic_link_is_not_written_through(
    there: faulty.Server, home: Path, tmp_path: Path
) -> None:
    fetched(there, home)
    target = tmp_path / "precious"
    path = day_files(home)[0]
    path.rename(target)
    path.symlink_to(target)
    before = target.read_bytes()
    with client_of(there, home) as client:
        client.standard_mode_logs("2024-03-01", "2024-03-02", refresh=True)
    assert target.read_bytes() == before
    assert not path.is_symlink()


# Damage
@given(at=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7), kept=st.floats(0, 1))
@settings(max_examples=20)
def test_a_flipped_bit_or_a_cut_is_a_miss_and_never_another_answer(
    tmp_path_factory: pytest.TempPathFactory, at: float, bit: int, kept: float
) -> None:
    home = tmp_path_factory.mktemp("home")
    with faulty.server(Paged(size=100)) as there:
        frame = fetched(there, home)
        path = day_files(home)[0]
        content = bytearray(path.read_bytes())
        content[int(at * len(content))] ^= 1 << bit
        for damaged in (bytes(content), bytes(content[: int(kept * len(content))])):
            path.write_bytes(damaged)
            before = there.count()
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                assert_frame_equal(fetched(there, home), frame)
            # About one bit in 500 means nothing to zstd: what the file says is then the same.
            flipped = len(damaged) == len(content)
            assert there.count() - before == len(warned) == (0 if flipped and not warned else 1)
            assert all("is damaged: its day is requested again" in str(w.message) for w in warned)


@posix
def test_a_full_disk_is_noted_and_what_was_there_stays(there: faulty.Server, home: Path) -> None:
    script = """
        import resource, signal, sys, warnings
        import eyelog as el
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        warnings.simplefilter("always")
        token = el.Token("access-token-of-tests")
        client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2])
        client.standard_mode_logs("2024-03-01", "2024-03-01")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        print(len(client.standard_mode_logs("2024-03-01", "2024-03-02", refresh=True)))
    """
    command = [sys.executable, "-c", textwrap.dedent(script), there.url, str(home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "48\n"
    assert "cannot be written" in done.stderr
    assert len(list(home.rglob("cache/*/*"))) == 1
    with client_of(there, home, offline=True) as client:
        assert len(client.standard_mode_logs("2024-03-01", "2024-03-01")) == 24


def test_the_cache_of_an_earlier_version_is_emptied_with_one_line(
    there: faulty.Server, home: Path
) -> None:
    fetched(there, home)
    folder = day_files(home)[0].parent
    shutil.rmtree(folder)
    earlier = folder.with_name(folder.name + ".v1.sqlite")
    earlier.write_bytes(b"SQLite format 3\0")
    assert [row["account"] for row in cached()] == [earlier.name]
    with pytest.raises(el.NotCached, match="an earlier version of eyelog"):
        fetched(there, home, offline=True)
    with pytest.warns(el.EyelogWarning, match="of an earlier version: it was emptied") as caught:
        fetched(there, home)
    assert len(caught) == 1
    assert not earlier.exists()
    fetched(there, home)


# The contents
def test_the_cache_shows_its_contents_and_can_be_cleared_by_account(
    there: faulty.Server, home: Path
) -> None:
    assert cached() == []
    before = datetime.now(UTC)
    for account in ("ben", "anna"):
        fetched(there, home, account=account)
    rows = cached()
    assert [row["account"] for row in rows] == ["anna", "ben"]
    for row in rows:
        assert (row["base_url"], row["days"], row["pages"]) == (there.url, 2, 6)
        oldest, newest = (datetime.fromisoformat(row[end]) for end in ("oldest", "newest"))
        assert before <= oldest <= newest
    assert sum(row["bytes"] for row in rows) == sum(path.stat().st_size for path in day_files(home))

    assert cleared("--account", "anna") == rows[0]["bytes"]
    assert [row["account"] for row in cached()] == ["ben"]
    assert cleared("--account", "nobody") == 0
    assert cleared() == rows[1]["bytes"]
    assert list((home / "cache").iterdir()) == []
    fetched(there, home)
    for path in day_files(home):
        path.write_bytes(b"no day")
    (row,) = cached()
    assert (row["account"], row["days"]) == (day_files(home)[0].parent.name, 0)
    assert cleared() == 12


# Killed
REFRESHER = """
    import sys
    import eyelog as el
    token = el.Token("access-token-of-tests")
    client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
    print("begun", flush=True)
    while True:
        client.standard_mode_logs("2024-03-01", "2024-03-08", refresh=True)
"""


def walk_number(_: datetime, walk: int) -> float:
    return walk


@pytest.mark.slow("a process is killed at many moments")
@posix
def test_a_refresh_killed_at_any_moment_leaves_each_day_wholly_old_or_new(home: Path) -> None:
    script = Paged(size=8, value=walk_number, delay=0.001)
    with faulty.server(script) as there:
        client_of(there, home).standard_mode_logs("2024-03-01", "2024-03-08")
        mixed, seen = 0, {0.0}
        for n in range(0, 12, 2):
            command = [sys.executable, "-c", textwrap.dedent(REFRESHER), there.url, str(home)]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
                assert child.stdout is not None
                assert child.stdout.readline() == b"begun\n"
                before = there.count()
                while there.count() < before + 10 + 3 * n:
                    time.sleep(0.003)
                child.kill()
            offline = client_of(there, home, offline=True)
            frame = offline.standard_mode_logs("2024-03-01", "2024-03-08")
            assert len(frame) == 8 * 24
            walks = frame["stp_s"].groupby(frame.index.date).nunique()
            assert walks.tolist() == [1] * 8
            mixed += 0 < len(seen & set(frame["stp_s"])) < 8
            seen = set(frame["stp_s"])
        assert mixed, "no kill came between two days: the test shows nothing"


@posix
def test_three_processes_of_many_threads_share_a_cache(home: Path) -> None:
    script = """
        import sys, warnings
        import eyelog as el
        warnings.simplefilter("error")
        token = el.Token("access-token-of-tests")
        client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=4)
        for _ in range(6):
            frame = client.standard_mode_logs("2024-03-01", "2024-03-08", refresh=True)
            assert (frame["stp_s"].groupby(frame.index.date).nunique() == 1).all()
            again = client.standard_mode_logs("2024-03-01", "2024-03-08")
            assert (again["stp_s"].groupby(again.index.date).nunique() == 1).all()
    """
    with faulty.server(Paged(size=8, value=walk_number)) as there:
        command = [sys.executable, "-c", textwrap.dedent(script), there.url, str(home)]
        running = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
        for each in running:
            assert each.communicate(timeout=120)[1] == ""
            assert each.returncode == 0
    assert len(list(home.rglob("cache/*/*"))) == 8


@pytest.mark.parametrize("status", [201, 203, 204, 206, 226])
def test_only_a_200_is_a_whole_answer(home: Path, status: int) -> None:
    body: Any = {LOG: {"1": [{"date": "2024-03-01T01:00:00Z", "stp_s": 1}]}, "cursor": None}
    with (
        faulty.server(faulty.answer(body, status)) as there,
        client_of(there, home) as client,
        pytest.raises(el.AnswerError, match=f"account 'me', 2024-03-01.*: {status} from GET"),
    ):
        client.standard_mode_logs("2024-03-01", "2024-03-01")
    assert not list(home.glob("cache/*/*"))


@pytest.mark.parametrize("body", hostile.BODIES.values(), ids=hostile.BODIES)
def test_a_hostile_answer_is_a_typed_error_and_leaves_nothing(home: Path, body: bytes) -> None:
    with faulty.server(faulty.Answer(200, body)) as there, client_of(there, home) as client:
        with pytest.raises(el.AnswerError, match=r"account 'me', 2024-03-01") as caught:
            client.standard_mode_logs("2024-03-01", "2024-03-01")
        assert there.count() == 1
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 500
    assert not list(home.glob("cache/*/*"))


FORKED = """
import os, sys, threading, time
import eyelog as el
token = el.Token("access-token-of-tests")
client = el.Client(sys.argv[1], application=None, token=token, home=sys.argv[2], workers=1)
assert len(client.standard_mode_logs("2024-03-01", "2024-03-01")) == 24
held = threading.Event()
def hold():
    with client.credentials._locked():
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    frame = client.standard_mode_logs("2024-03-02", "2024-03-02")
    os._exit(0 if len(frame) == 24 else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes fork")
def test_a_forked_child_uses_its_own_connection_and_no_lock_of_its_parent(home):
    with faulty.server(Paged(size=100)) as there:
        subprocess.run(
            [sys.executable, "-c", FORKED, there.url, str(home)],
            cwd=TESTS,
            check=True,
            timeout=240,  # a deadlock, however busy the machine
        )
        parent, child = (seen.client for seen in there.requests)
        assert parent != child
