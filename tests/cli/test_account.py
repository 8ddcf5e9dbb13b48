"""Logging in and out, the cache, and where a token may stand."""

import json
import stat

import eyelog as el
from eyelog.fetch.oauth import TokenFile
from support.command import main
from support.commands import RANGE

FETCH_ALL = ["fetch", "standard_mode_logs", *RANGE]


def test_a_second_login_mentions_the_cached_days_that_are_kept(logged_in, capsys) -> None:
    main([*FETCH_ALL, "--fields", "bl"])
    capsys.readouterr()
    assert main(["login", "--code", logged_in.code("ada")]) == 0
    assert "cache clear --account me" in capsys.readouterr().err


def test_the_cache_can_be_listed_and_cleared(logged_in, capsys) -> None:
    main(FETCH_ALL)
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["days"] == 1
    assert main(["cache", "clear"]) == 0
    capsys.readouterr()
    assert main(["cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_a_logout_ends_the_token(logged_in, capsys) -> None:
    assert main(["logout"]) == 0
    capsys.readouterr()
    assert main([*FETCH_ALL, "--refresh"]) == 1
    assert "eyelog login" in capsys.readouterr().err


def test_a_logout_leaves_no_refresh_token_that_works(logged_in, home, capsys) -> None:
    (file,) = home.glob("tokens/*.json")
    token = json.loads(file.read_bytes())
    assert main(["logout"]) == 0
    assert "the access is withdrawn" in capsys.readouterr().err
    answer = logged_in.refresh(token["refresh_token"])
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_grant")


def test_a_logout_without_a_service_says_where_the_access_is_withdrawn(
    logged_in, home, monkeypatch, capsys
) -> None:
    (file,) = home.glob("tokens/*.json")
    nowhere = "http://127.0.0.1:1"
    TokenFile(home, "me", nowhere).save(el.Token(json.loads(file.read_bytes())["access_token"]))
    monkeypatch.setenv("EYELOG_BASE_URL", nowhere)
    assert main(["logout"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "is deleted on this machine, but the service was not told" in line
    assert f"withdraw the access at {nowhere}/account" in line
    assert list(home.glob("tokens/*.json")) == [file]
    assert main(["logout"]) == 1
    assert "there is no token" in capsys.readouterr().err


def test_tokens_and_secrets_stand_only_in_the_token_file(logged_in, home, capsys) -> None:
    main(["fetch", "computed_data", *RANGE])
    main([*FETCH_ALL, "--refresh"])
    printed = capsys.readouterr()
    files = [path for path in home.rglob("*") if path.is_file()]
    token_files = [path for path in files if b"access_token" in path.read_bytes()]
    assert len(token_files) == 1
    token = json.loads(token_files[0].read_bytes())
    for secret in (token["access_token"], token["refresh_token"], logged_in.client_secret):
        holders = [path for path in files if secret.encode() in path.read_bytes()]
        assert holders in ([], token_files)
        assert secret not in printed.out + printed.err
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)
