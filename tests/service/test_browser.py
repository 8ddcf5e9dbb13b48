"""The pages that eyelog answers to a browser with: one look, strict headers, escaped texts."""

import base64
import hashlib
import re

from eyelog_service.browser import page_headers, page_template

PLAIN = page_template("<h1>{{ title }}</h1>")


def test_every_text_is_escaped() -> None:
    text = "<b>\"&'"
    page = PLAIN.render(title=text, who=text, footer=text)
    assert text not in page
    assert page.count("&lt;b&gt;&#34;&amp;&#39;") == 4


def test_the_policy_allows_the_style_of_the_page_and_no_script() -> None:
    style = re.search(r"<style>(.*?)</style>", PLAIN.render(title="x"), re.DOTALL)
    assert style is not None
    hashed = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = page_headers("'self' https://lab.example")["Content-Security-Policy"]
    assert f"style-src 'sha256-{hashed}';" in policy
    assert policy.startswith("default-src 'none';")
    assert "script-src" not in policy
    assert "form-action 'self' https://lab.example;" in policy
    assert "form-action 'none';" in page_headers()["Content-Security-Policy"]


def test_the_policy_allows_one_script_and_that_it_asks_its_own_server() -> None:
    hashed = base64.b64encode(hashlib.sha256(b"run()").digest()).decode()
    policy = page_headers(script="run()")["Content-Security-Policy"]
    assert f"script-src 'sha256-{hashed}'; connect-src 'self';" in policy
