"""What a session sends, to whom, and what it keeps to itself."""

import sqlite3

import pytest
import requests_cache

import eyelog as el
from eyelog.fetch.session import fetch, service_session
from support import authority, faulty
from support.authority import Authority
from support.fetching import credentials, fresh, session_of
from support.payload import GOOD, PAYLOAD


def test_a_request_carries_the_bearer_and_asks_for_compressed_json(get):
    with faulty.server(GOOD) as there:
        response = get(there, params={"date_from": "2026-10-24T00:00:00+09:00", "cursor": "a+/="})
        (seen,) = there.requests
    assert response.json() == PAYLOAD
    assert seen.headers["authorization"] == "Bearer token-of-tests"
    assert seen.headers["accept"] == "application/json"
    assert seen.headers["accept-encoding"] == "gzip, zstd"
    assert seen.query == {"date_from": "2026-10-24T00:00:00+09:00", "cursor": "a+/="}
    # What lies above, a cache for one, must not learn the token from the answer.
    assert "Authorization" not in response.request.headers


def test_the_bearer_goes_to_addresses_under_the_base_url_alone(home):
    with faulty.server(GOOD) as ours, faulty.server(GOOD) as other:
        who = credentials(home, ours.url + "/lab", token=fresh())
        session = session_of(who)
        session.headers["Authorization"] = "Bearer left-over"
        for url in (ours.url + "/lab/v2", ours.url + "/v2", ours.url + "/laboratory", other.url):
            fetch(session, url, where="data")
        session.close()
        assert [seen.bearer for seen in ours.requests] == ["access-token-0", None, None]
        assert [seen.bearer for seen in other.requests] == [None]


@pytest.mark.parametrize("path", ["", "/lab", "/lab/", "/日本"])
def test_a_base_url_may_be_spelt_in_any_way(home, path):
    with faulty.server(GOOD) as there:
        base = there.url.replace("http://127.0.0.1", "HTTP://LocalHost") + path
        who = credentials(home, base, token=fresh())
        session = service_session(base, who)
        fetch(session, who.base_url + "/v2/x", where="data")
        fetch(session, base.rstrip("/") + "/v2/x", where="data")
        session.close()
        assert [seen.bearer for seen in there.requests] == ["access-token-0"] * 2


def test_a_loopback_service_is_asked_directly_also_where_a_proxy_is_set(get, monkeypatch):
    with faulty.server(faulty.html(502)) as proxy, faulty.server(GOOD) as there:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        assert get(there).json() == PAYLOAD
        assert proxy.requests == []


@pytest.mark.filterwarnings("ignore:service.example is used over plain http")
def test_a_proxy_of_the_environment_is_used_for_other_machines(home, monkeypatch):
    with faulty.server(GOOD) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        session = session_of(credentials(home, "http://service.example", token=fresh()))
        fetch(session, "http://service.example/v2/x", where="data")
        session.close()
        (seen,) = proxy.requests
    assert seen.headers["host"] == "service.example"
    assert seen.bearer == "access-token-0"


def test_a_redirect_is_refused_and_nothing_is_sent_to_where_it_points(get):
    with faulty.server(GOOD) as other:
        away = faulty.Answer(302, b"", {"Location": other.url + "/v2/x?code=hunter22"})
        with faulty.server(away) as there, pytest.raises(el.Refused, match="points to") as caught:
            get(there)
        assert other.url in str(caught.value)
        assert "hunter22" not in str(caught.value)
        assert other.requests == []


def test_even_a_session_that_follows_redirects_sends_no_bearer_to_another_host(home):
    with faulty.server(GOOD) as other:
        away = faulty.Answer(302, b"", {"Location": other.url + "/x"})
        with faulty.server(away) as there:
            session = session_of(credentials(home, there.url, token=fresh()))
            assert session.get(there.url + "/v2/x").json() == PAYLOAD
            session.close()
        assert [seen.bearer for seen in other.requests] == [None]
        assert "authorization" not in other.requests[0].headers


def test_netrc_is_never_used(home, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login someone password hunter22\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with faulty.server(Authority(live={"access-token-0"})) as there:
        who = credentials(home, there.url, token=fresh())
        session = session_of(who)
        fetch(session, there.url + "/v2/x", where="data")
        who.exchange(authority.CODE)
        session.close()
        data, exchange = there.requests
        assert data.bearer == "access-token-0"
        assert "authorization" not in exchange.headers


def test_cookies_are_neither_kept_nor_handed_on(home):
    baked = faulty.answer(PAYLOAD, headers={"Set-Cookie": "id=hunter22; Path=/"})
    with faulty.server(baked) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        for _ in range(2):
            fetch(session, there.url + "/v2/x", where="data")
        session.close()
        assert "cookie" not in there.requests[1].headers
    assert not session.cookies


def test_connections_are_reused(home):
    kinds = [GOOD, faulty.compressed(PAYLOAD), faulty.compressed(PAYLOAD, how="zstd")]
    with faulty.server(*kinds, faulty.error(503), faulty.error(404), GOOD) as there:
        session = session_of(credentials(home, there.url, token=fresh()))
        for _ in range(4):
            try:
                fetch(session, there.url + "/v2/x", where="data")
            except el.Refused:
                continue
        session.close()
        assert len(there.requests) == 5
        assert len({seen.client for seen in there.requests}) == 1


def test_a_cache_above_it_holds_no_token_and_survives_its_rotation(home, tmp_path):
    with faulty.server(Authority()) as there:
        who = credentials(home, there.url, saved=fresh())
        session = requests_cache.CachedSession.wrap(
            session_of(who), cache_name=str(tmp_path / "cache"), backend="sqlite"
        )
        first = fetch(session, there.url + authority.DATA, where="data")
        who.refresh()
        again = fetch(session, there.url + authority.DATA, where="data")
        session.close()
        assert (first.from_cache, again.from_cache) == (False, True)
        assert again.content == first.content
        assert there.count(path=authority.DATA) == 2  # the 401 and its replay
    with sqlite3.connect(tmp_path / "cache.sqlite") as database:
        dump = repr(list(database.execute("select * from responses")))
    database.close()
    for secret in (*who.secrets, "Bearer", "Authorization"):
        assert secret not in dump
