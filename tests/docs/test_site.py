"""The built site, in a real browser: it asks for nothing elsewhere, and everyone can read it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from filelock import FileLock

from support.chromium import DESK, PHONE, Chromium, chromium, needs_chromium
from support.site import DOCS

pytest.importorskip("furo")
pytestmark = [
    pytest.mark.slow("the site is built and read in a browser"),
    pytest.mark.timeout(1200),
    needs_chromium,
]

PAGES = [
    "index.html",
    "start.html",
    "how-to/can-i-trust-this-day.html",
    "reference/made/computed-data.html",
    "reference/api/eyelog.flag.html",
    "figures/index.html",
    "definitions.html",
]


@pytest.fixture(scope="module")
def site() -> Path:
    """Return the site that `make docs` made; where there is none, make it, once for all workers."""
    built = DOCS / "_build" / "html"
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning"]
    (DOCS / "_build").mkdir(exist_ok=True)
    with FileLock(DOCS / "_build" / "lock"):
        if not (built / "objects.inv").exists():  # written last
            done = subprocess.run([*command, DOCS, built], capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    return built


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as window:
        yield window


@pytest.mark.parametrize(("width", "dark"), [(DESK, False), (PHONE, True)])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_read_by_everyone_and_asks_for_nothing_elsewhere(
    site: Path, browser: Chromium, page: str, width: int, dark: bool
) -> None:
    browser.open(site / page, width=width, dark=dark)
    schemes = {urlsplit(address).scheme for address in browser.requests()}
    assert schemes <= {"file", "data"}
    assert browser.console() == []
    assert browser.axe() == []
    if width == PHONE:
        assert not browser.scrolls_sideways()


def test_no_page_names_another_host_as_the_source_of_what_it_shows(site: Path) -> None:
    """Links may lead out; scripts, styles, fonts and pictures may not."""
    loaded = [
        (page.name, part)
        for page in site.rglob("*.html")
        for part in page.read_text().split("<")
        if part.startswith(("script", "link", "img", "iframe", "source"))
        and ('src="http' in part or 'href="http' in part or 'src="//' in part)
    ]
    assert loaded == []


def test_a_search_of_fields_leaves_what_fits(site: Path, browser: Chromium) -> None:
    browser.open(site / "reference/made/computed-data.html")
    shown = browser.run("""
        const box = document.querySelector(".field-search");
        box.value = "blink duration";
        box.dispatchEvent(new Event("input"));
        return [...document.querySelectorAll("article tbody tr")]
          .filter((row) => !row.hidden).map((row) => row.cells[0].textContent.trim());
    """)
    assert "bkw_av" in shown
    assert "stp" not in shown
    heads = browser.run("""
        return [...document.querySelectorAll("article h3")]
          .filter((head) => head.getClientRects().length).length;
    """)
    assert heads == len(shown)
