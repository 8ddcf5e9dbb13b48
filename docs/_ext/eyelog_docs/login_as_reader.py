"""Stand in for a browser: log in at the address of a login page, as the page's reader does.

``BROWSER="python login_as_reader.py %s"`` makes ``eyelog login`` open this. The name and the
password are those that the pages use.
"""

import sys
from html.parser import HTMLParser
from urllib.parse import urljoin

import requests

NAME, PASSWORD = "anna", "a good password"


class Form(HTMLParser):
    """Collects where the form goes, and its hidden fields."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, str] = {}
        self.action = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the action of the form, and the values that it carries."""
        given = dict(attrs)
        if tag == "form":
            self.action = given.get("action") or ""
        if tag == "input" and given.get("type") == "hidden":
            self.fields[given["name"] or ""] = given.get("value") or ""


def main(address: str) -> None:
    """Fill in the form, allow, and follow the redirect to the application."""
    with requests.Session() as session:
        page = session.get(address, timeout=20)
        form = Form()
        form.feed(page.text)
        answers = form.fields | {"name": NAME, "password": PASSWORD, "decision": "allow"}
        reply = session.post(urljoin(page.url, form.action), data=answers, timeout=20)
        reply.raise_for_status()


if __name__ == "__main__":
    main(sys.argv[1])
