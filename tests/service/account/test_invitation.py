"""With an invitation a wearer chooses a password, once, and is logged in."""

import re
from html import unescape

import pytest
import requests

from eyelog_service.accounts import NewAccount
from eyelog_service.audit import FILE_NAME
from support.live import Live

CODE = "c" * 43
CHOSEN = "a good long one"


@pytest.fixture
def invited(there: Live) -> Live:
    there.registry.accounts.add_all([NewAccount("dan", study="sleep")], {"dan": CODE})
    return there


def send(page: requests.Response, session: requests.Session, **filled: str) -> requests.Response:
    hidden = re.search(r'name="form" value="([^"]*)"', page.text)
    assert hidden is not None, page.text
    form = {"form": unescape(hidden[1]), "new": CHOSEN, "again": CHOSEN, **filled}
    return session.post(page.url.partition("?")[0], data=form, allow_redirects=False, timeout=30)


def test_an_invited_wearer_chooses_a_password_once_and_is_logged_in(invited: Live) -> None:
    address = f"{invited.url}/invitation?code={CODE}"
    with requests.Session() as session:
        for _ in range(3):  # a mail program may look at the link first
            page = session.get(address, timeout=30)
            assert page.status_code == 200
        assert "<strong>dan</strong>" in page.text
        answer = send(page, session)
        assert (answer.status_code, answer.headers["Location"]) == (303, "account?done=chosen")
        account = session.get(f"{invited.url}/account?done=chosen", timeout=30)
        assert "Your password is set." in account.text
        assert send(page, session).status_code == 404
        again = session.get(address, timeout=30)
    assert again.status_code == 404
    assert "has been used" in again.text
    assert invited.registry.accounts.check_login("dan", CHOSEN)
    log = (invited.archive / FILE_NAME).read_text()
    assert '"invitation_accepted"' in log
    assert CODE not in log
    assert CHOSEN not in log


@pytest.mark.parametrize(
    ("filled", "said"),
    [
        ({"new": "short", "again": "short"}, "too short"),
        ({"again": "another one"}, "differ"),
        ({"new": "", "again": ""}, "Enter a new password."),
    ],
)
def test_a_password_that_cannot_be_used_leaves_the_link_as_it_was(
    invited: Live, filled: dict[str, str], said: str
) -> None:
    with requests.Session() as session:
        page = session.get(f"{invited.url}/invitation?code={CODE}", timeout=30)
        refused = send(page, session, **filled)
        assert refused.status_code == 400
        assert said in unescape(refused.text)
        assert send(refused, session).status_code == 303


def test_an_invitation_ends_with_its_account_its_time_or_a_password(invited: Live) -> None:
    registry = invited.registry
    assert registry.accounts.invited(CODE) == "dan"
    assert registry.accounts.invited("another") is None
    registry.accounts.disable("dan")
    assert registry.accounts.invited(CODE) is None
    registry.accounts.enable("dan")
    with registry.state.write() as db:
        db.exec_driver_sql("UPDATE invitation SET expires = expires - 15 * 86400")
    assert registry.accounts.invited(CODE) is None
    assert not registry.accounts.accept_invitation(CODE, CHOSEN)
    with registry.state.write() as db:
        db.exec_driver_sql("UPDATE invitation SET expires = expires + 15 * 86400")
    registry.accounts.set_password("dan", "correct horse battery")
    assert registry.accounts.invited(CODE) is None
    registry.accounts.add_all([NewAccount("eve")], {"eve": "e" * 43})
    registry.accounts.remove("eve")
    assert registry.state.rows("SELECT * FROM invitation") == []


def test_a_form_of_another_browser_is_refused(invited: Live) -> None:
    with requests.Session() as session, requests.Session() as other:
        page = session.get(f"{invited.url}/invitation?code={CODE}", timeout=30)
        assert send(page, other).status_code == 400
    assert invited.registry.accounts.invited(CODE) == "dan"
