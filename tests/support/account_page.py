"""A wearer's browser on the page of the own account."""

import re
from html import unescape

import requests

from support.live import Live
from support.login_page import PASSWORD

CHOSEN = "a staple of batteries"
"""The password that an invited wearer chooses."""


class Visitor:
    """As much of a browser as the account page needs: cookies and forms, no scripts."""

    def __init__(self, there: Live) -> None:
        self.there = there
        self.session = requests.Session()
        self.session.headers["Accept"] = "text/html,application/xhtml+xml"
        self.url = f"{there.url}/account"

    def open(self, query: str = "") -> requests.Response:
        return self.session.get(self.url + query, timeout=30)

    def send(self, page: requests.Response, do: str, **filled: str) -> requests.Response:
        """Send a form of the page, as it stands there, and follow where it leads."""
        return self.post({"form": signed(page), "do": do, **filled})

    def post(self, form: dict[str, str], **headers: str) -> requests.Response:
        return self.session.post(self.url, data=form, headers=headers, timeout=60)

    def log_in(self, name: str = "ada", password: str = PASSWORD) -> requests.Response:
        page = self.send(self.open(), "log-in", name=name, password=password)
        assert "<h1>Your account</h1>" in page.text, page.text
        return page


def signed(page: requests.Response) -> str:
    """Return the hidden field of the page's forms."""
    found = re.search(r'name="form" value="([^"]*)"', page.text)
    assert found is not None, page.text
    return unescape(found[1])


def title(page: requests.Response) -> str:
    """Return the title of a page without the name of the program."""
    found = re.search(r"<title>(.*) - eyelog</title>", page.text)
    assert found is not None, page.text
    return unescape(found[1])


def granted(page: requests.Response) -> dict[str, str]:
    """Return the applications that the page lists, and the hidden field that names each."""
    names = re.findall(r"<h3>(.*?)</h3>", page.text)
    fields = re.findall(r'name="grant" value="([^"]*)"', page.text)
    return {unescape(name): field for name, field in zip(names, fields, strict=True)}


def choose(page: requests.Response, session: requests.Session, **filled: str) -> requests.Response:
    """Choose a password on the page of an invitation; nothing is followed."""
    form = {"form": signed(page), "new": CHOSEN, "again": CHOSEN, **filled}
    return session.post(page.url.partition("?")[0], data=form, allow_redirects=False, timeout=30)


def invites(link: str) -> bool:
    """Return whether the link of an invitation can be used."""
    answer = requests.get(link, timeout=30)
    assert answer.status_code in (200, 404)
    return answer.status_code == 200
