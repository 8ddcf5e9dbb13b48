"""What a wearer does on the own page, and what nobody else can do there."""

import json
import re
from pathlib import Path

import pytest

import eyelog as el
from support.account_page import Visitor, granted, signed, title
from support.live import AUDIT, REDIRECT, STANDARD, Live
from support.login_page import PASSWORD, Browser, tag_of

NEW = "a staple of batteries"
DAY = ("2026-10-24T00:00:00Z", "2026-10-24T01:00:00Z")


def allowed(there: Live, name: str, account: str = "ada") -> el.Client:
    """An application that has access to an account, and its client."""
    client_id, secret = there.operator.application(REDIRECT, name)
    home = there.archive.parent / f"home of {name}"
    client = el.Client(
        there.url, application=el.Application(client_id, secret, REDIRECT), home=home
    )
    client.exchange(there.operator.code(account, client_id, REDIRECT))
    return client


def events(there: Live) -> list[dict[str, str]]:
    lines = map(json.loads, (there.archive / AUDIT).read_text().splitlines())
    return [line for line in lines if not line["event"].startswith("admin.")]


def test_withdrawn_access_ends_at_once_and_the_client_says_to_log_in(there, visitor) -> None:
    there.login("ada")
    waiting = there.code("ada")
    with allowed(there, "Sleep study") as client, allowed(there, "Headaches") as other:
        token = client.credentials.token
        page = visitor.log_in()
        for name in ("Sleep study", f"Application {there.client_id}"):
            page = visitor.send(page, "withdraw", grant=granted(page)[name])
            assert title(page).startswith("Access is withdrawn")
        assert list(granted(page)) == ["Headaches"]
        assert there.exchange(waiting).status_code == 400  # a code that was not exchanged yet
        answer = there.get(STANDARD, *DAY, token=token.access_token)
        assert answer.status_code == 401
        assert "revoked" in answer.headers["WWW-Authenticate"]
        with pytest.raises(el.AuthorizationError, match="run `eyelog login`"):
            client.standard_mode_logs("2026-10-24", "2026-10-24")
        assert len(other.standard_mode_logs("2026-10-24", "2026-10-24")) == 60


def test_an_unknown_grant_and_one_of_another_wearer_withdraw_nothing(there, visitor) -> None:
    allowed(there, "Sleep study").close()
    allowed(there, "Headaches", account="bea").close()
    bea = Visitor(there)
    (hers,) = granted(bea.log_in("bea")).values()
    page = visitor.log_in()
    for grant in (hers, "", "x" * 10_000):
        page = visitor.send(page, "withdraw", grant=grant)
    assert not (there.archive / "_ended.jsonl").exists()
    assert list(granted(page)) == ["Sleep study"]
    assert list(granted(bea.open())) == ["Headaches"]


@pytest.mark.parametrize(
    ("filled", "wrong"),
    [
        ({}, {"old": "Enter your old", "new": "Enter a new", "again": "once more"}),
        ({"old": "x", "new": "short", "again": "short"}, {"new": "is too short: choose one of"}),
        ({"old": "x", "new": "password", "again": "password"}, {"new": "most common ones"}),
        ({"old": "x", "new": NEW, "again": NEW + "s"}, {"again": "The two new passwords differ."}),
        ({"old": "a guess", "new": NEW, "again": NEW}, {"old": "The old password is wrong."}),
    ],
)
def test_what_is_wrong_with_a_change_stands_at_its_field(
    visitor: Visitor, filled: dict[str, str], wrong: dict[str, str]
) -> None:
    page = visitor.send(visitor.log_in(), "change-password", **filled)
    assert page.status_code == 400
    for name in ("old", "new", "again"):
        field = tag_of(page, name)
        assert (f'{name}-wrong"' in field and "aria-invalid" in field) == (name in wrong)
        assert ("autofocus" in field) == (name == next(iter(wrong)))
        assert 'value=""' in field
    for said in wrong.values():
        assert said in page.text
    assert title(page) != "Your account"
    Visitor(visitor.there).log_in()  # with the old one


@pytest.mark.parametrize("do", ["log-in", "change-password", "delete"])
def test_no_password_is_guessed_faster_than_at_the_login_of_an_application(
    visitor: Visitor, do: str
) -> None:
    page = visitor.open() if do == "log-in" else visitor.log_in()
    guess = {"name": "ada", "password": "a guess", "old": "a guess", "new": NEW, "again": NEW}
    for _ in range(6):
        page = visitor.send(page, do, **guess)
    assert page.status_code == 429
    assert int(page.headers["Retry-After"]) > 0
    assert title(page).startswith("Too many wrong passwords. Try again in ")


def test_a_forged_form_does_nothing(there, visitor: Visitor) -> None:
    allowed(there, "Sleep study").close()
    page = visitor.log_in()
    fields = {"grant": granted(page)["Sleep study"], "old": PASSWORD, "new": NEW, "again": NEW}
    forged = [{}, {"form": ""}, {"form": "WyJhIl0.aSBg.c2lnbmF0dXJl"}]
    own = {"form": signed(page)}
    for do in ("withdraw", "change-password", "download", "log-out", "delete"):
        form = {"do": do, **fields, "password": PASSWORD}
        for forgery in forged:
            answer = visitor.post(form | forgery)
            assert (answer.status_code, title(answer)) == (400, "Your request was not accepted")
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
            assert visitor.post(form | own, **headers).status_code == 403
    for do in ("", "log-in", "show", "__init__"):
        assert visitor.send(page, do).status_code == 400
    assert list(granted(visitor.open())) == ["Sleep study"]
    Visitor(there).log_in()


def test_a_form_of_another_page_browser_or_wearer_is_refused(there, visitor: Visitor) -> None:
    ada = visitor.log_in()
    bea = Visitor(there)
    bea.log_in("bea")
    oauth = Browser(there).open()
    for page in (ada, oauth):
        assert bea.send(page, "log-out").status_code == 400
    # The same browser: Bea logs in where Ada's page is still open in another tab.
    assert title(visitor.open("?done=<script>")) == "Your account"
    second = visitor.send(visitor.open(), "log-out")
    assert title(visitor.send(second, "log-in", name="bea", password=PASSWORD)) == "Your account"
    refused = visitor.post({"form": signed(ada), "do": "download"})
    assert refused.status_code == 400
    assert "belongs to another login" in refused.text
    assert title(bea.open()) == "Your account"


def test_the_audit_log_has_what_was_done_and_no_secret(there, visitor: Visitor) -> None:
    allowed(there, "Sleep study").close()
    visitor.send(visitor.open(), "log-in", name="ada", password="a guess")
    visitor.send(visitor.open(), "log-in", name="mistyped secret", password="x")
    page = visitor.log_in()
    page = visitor.send(page, "withdraw", grant=granted(page)["Sleep study"])
    visitor.send(page, "download")
    visitor.send(page, "change-password", old=PASSWORD, new=NEW, again=NEW)
    done = [line for line in events(there) if line["event"] != "token"]
    assert [line["event"] for line in done] == [
        *("login_failed", "login_failed", "login", "withdraw", "download", "password_changed")
    ]
    assert [line.get("account") for line in done] == ["ada", None, *["ada"] * 4]
    assert all(line["address"] == "127.0.0.1" for line in done)
    assert done[3]["tokens"] == 2
    text = Path(there.archive / AUDIT).read_text()
    for secret in (PASSWORD, NEW, "a guess", "mistyped", *visitor.session.cookies.values()):
        assert secret not in text


def test_an_upload_token_is_shown_once_and_can_only_add(there: Live, visitor: Visitor) -> None:
    page = visitor.send(visitor.log_in(), "make-upload-token")
    found = re.search(r'<code class="token">([^<]*)</code>', page.text)
    assert found is not None
    assert found[1] not in visitor.open().text
    assert "Upload token made" in visitor.open().text
    (listed,) = there.operator.tokens()
    assert (listed["account"], listed["client_id"], listed["scope"]) == ("ada", "", "write")
    assert there.get(STANDARD, *DAY, token=found[1]).status_code == 403
    assert found[1].encode() not in (there.archive / "_service.sqlite").read_bytes()
    page = visitor.send(visitor.open(), "end-upload-tokens")
    assert title(page).startswith("Your upload tokens have ended")
    assert there.why_refused(found[1]) == "the access token is revoked"
    names = [event["event"] for event in events(there)]
    assert names[-2:] == ["upload_token", "upload_tokens_ended"]
    assert found[1] not in (there.archive / AUDIT).read_text()


def test_too_many_upload_tokens_are_refused_on_the_page(there: Live, visitor: Visitor) -> None:
    for _ in range(10):
        there.operator("upload-token", "ada")
    page = visitor.send(visitor.log_in(), "make-upload-token")
    assert page.status_code == 400
    assert "end them first" in page.text
    assert "has 10 upload tokens" in there.operator.refused("upload-token", "ada")
    page = visitor.send(page, "end-upload-tokens")
    assert visitor.send(page, "make-upload-token").status_code == 200
