"""A browser for tests: what the wearer does at the address that a login shows."""

import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode, urlsplit

import requests

from eyelog import Application
from support import authority

FREE = Application(authority.CLIENT_ID, authority.CLIENT_SECRET, "http://127.0.0.1/callback")


class Browser:
    """Stands for a browser: `say` shows it the address, `visit` is what the wearer then does."""

    def __init__(self, visit=lambda _: None):
        self.visit = visit
        self.lines = []
        self.pool = ThreadPoolExecutor(1)
        self.visited = None

    def say(self, text):
        self.lines.append(text)
        address = re.search(r"^http\S+$", text, re.MULTILINE)
        if address:
            query = {k: v[0] for k, v in parse_qs(urlsplit(address[0]).query).items()}
            self.address, self.query = address[0], query
            self.visited = self.pool.submit(self.visit, query)


def returns(**changes):
    """Visit the redirect with the code and state of the login, with changes."""

    def visit(query):
        answer = {"code": authority.CODE, "state": query["state"]} | changes
        callback = urlencode({k: v for k, v in answer.items() if v is not None})
        return requests.get(f"{query['redirect_uri']}?{callback}", timeout=5)

    return visit
