"""A wearer's browser on the login page."""

import re
from html import unescape
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from support.live import Live

PASSWORD = "correct horse"
CALLBACK = "http://127.0.0.1:5007/callback"


class Browser:
    """As much of a browser as the login page needs: cookies and one form, no scripts."""

    def __init__(self, there: Live) -> None:
        self.there = there
        self.session = requests.Session()
        self.session.headers["Accept"] = "text/html,application/xhtml+xml"
        self.url = f"{there.url}/v1/oauth/authorize"

    def open(self, **query: Any) -> requests.Response:
        whole = {
            "response_type": "code",
            "client_id": self.there.client_id,
            "redirect_uri": CALLBACK,
            "state": "s t&a=te",
            **query,
        }
        kept = {key: value for key, value in whole.items() if value is not None}
        return self.session.get(self.url, params=kept, allow_redirects=False, timeout=30)

    def send(self, page: requests.Response, **filled: str) -> requests.Response:
        hidden = re.search(r'name="form" value="([^"]*)"', page.text)
        assert hidden is not None
        form = {"form": unescape(hidden[1]), "name": "ada", "decision": "allow", **filled}
        return self.session.post(self.url, data=form, allow_redirects=False, timeout=30)


def sent_back(answer: requests.Response) -> dict[str, str]:
    """Return the parameters that reach the application at its callback."""
    assert answer.status_code == 303, answer.text
    assert answer.headers["Cache-Control"] == "no-store"
    target = urlsplit(answer.headers["Location"])
    assert f"{target.scheme}://{target.netloc}{target.path}" == CALLBACK
    return {key: value for key, (value,) in parse_qs(target.query).items()}


def tag_of(page: requests.Response, name: str) -> str:
    """Return the tag of a field of a form."""
    found = re.search(rf'<input id="{name}"[^>]*>', page.text)
    assert found is not None, page.text
    return found[0]
