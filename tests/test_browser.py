"""The pages that eyelog answers to a browser with: one look, strict headers, escaped texts."""

import ast
import base64
import hashlib
import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from eyelog import browser
from eyelog.browser import WIDE, html, page_headers, page_template, rendered

PLAIN = page_template("<h1>{{ title }}</h1>")


def test_a_page_is_whole_and_its_title_names_the_program() -> None:
    page = rendered(PLAIN, title="You are in", layout=WIDE, who="ada", footer="The end.")
    assert page.startswith("<!doctype html>")
    assert "<title>You are in - eyelog</title>" in page
    for part in ('lang="en"', 'class="page wide"', ">ada</span>", "<footer>The end.</footer>"):
        assert part in page
    assert "<script" not in page
    assert "<footer" not in rendered(PLAIN, title="x")


def test_the_markup_of_pages_stands_in_files_and_not_in_code() -> None:
    root = Path(browser.__file__).parent
    for path in [browser.__file__, *root.glob("service/**/*.py"), *root.glob("access/**/*.py")]:
        for node in ast.walk(ast.parse(Path(path).read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"<(h1|p|form|html|div)[ >]", node.value), (path, node.lineno)
    assert {file.name for file in (root / "html").iterdir()} >= {"whole.html", "login.html"}
    assert html("start.html").startswith("<h1>")


def test_every_text_is_escaped() -> None:
    text = "<b>\"&'"
    page = rendered(PLAIN, title=text, who=text, footer=text)
    assert text not in page
    assert page.count("&lt;b&gt;&#34;&amp;&#39;") == 4


def test_a_value_that_is_missing_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(UndefinedError):
        rendered(page_template("{{ nothing }}"), title="x")


def test_the_policy_allows_the_style_of_the_page_and_no_script() -> None:
    style = re.search(r"<style>(.*?)</style>", rendered(PLAIN, title="x"), re.DOTALL)
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


@pytest.mark.parametrize(
    ("filled", "tag"),
    [
        ({}, 'autocomplete="off">'),
        ({"focus": True}, 'autocomplete="off" autofocus>'),
        ({"wrong": "No."}, 'aria-invalid="true" aria-describedby="old-wrong">'),
        ({"error": "error"}, 'aria-invalid="true" aria-describedby="error">'),
        ({"hint": "Long."}, 'aria-describedby="old-hint">'),
        (
            {"hint": "Long.", "wrong": "No.", "error": "error"},
            'aria-invalid="true" aria-describedby="old-hint old-wrong error">',
        ),
    ],
)
def test_a_field_is_tied_to_its_label_its_hint_and_what_is_wrong(
    filled: dict[str, object], tag: str
) -> None:
    main = "{{ field('old', 'Old one', 'password', 'off', **filled) }}"
    page = rendered(page_template(main), title="x", filled=filled)
    assert '<label for="old">Old one</label>' in page
    found = re.search(r"<input [^>]*>", page)
    assert found is not None
    assert found[0].endswith(tag)
    for name in re.findall(r'aria-describedby="([^"]*)"', found[0])[:1]:
        assert all(f'id="{each}"' in page for each in name.split() if each != "error")
