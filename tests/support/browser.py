"""A browser for tests: what the wearer does at the address that a login shows."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from eyelog.access.auth.application import Application
from support import authority

FREE = Application(authority.CLIENT_ID, authority.CLIENT_SECRET, "http://127.0.0.1/callback")


class Browser:
    """Stands for a browser: `say` shows it the address, `visit` is what the wearer then does."""

    def __init__(self, visit=lambda _: None):
        self.visit = visit
        self.said = []
        self.pool = ThreadPoolExecutor(1)
        self.visited = None

    def say(self, text):
        self.said.append(text)
        address = re.search(r"^http\S+$", text, re.MULTILINE)
        if address:
            asked = {k: v[0] for k, v in parse_qs(urlsplit(address[0]).query).items()}
            self.address, self.asked = address[0], asked
            self.visited = self.pool.submit(self.visit, asked)


def returns(**changes):
    """Visit the redirect with the code and state of the login, changed as told."""

    def visit(asked):
        answer = {"code": authority.CODE, "state": asked["state"]} | changes
        query = urlencode({k: v for k, v in answer.items() if v is not None})
        return requests.get(f"{asked['redirect_uri']}?{query}", timeout=5)

    return visit
