"""A real browser: what people see, what it asks the network for, what axe finds."""

import base64
import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

DRIVER = shutil.which("chromedriver")
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    not (DRIVER and BROWSER), reason="chromium and chromedriver are not installed"
)
PHONE, DESK = 390, 1280

# Boxes of texts that lie on one another, within each figure that is shown.
OVERLAPS = """
const found = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const shown = svg.getBoundingClientRect();
  if (!shown.width) continue;
  const texts = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim());
  const boxes = texts.map((text) => text.getBoundingClientRect());
  for (let i = 0; i < boxes.length; i++)
    for (let j = 0; j < i; j++) {
      const a = boxes[i], b = boxes[j];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > a.height / 3 && high > 1.5)
        found.push([svg.firstChild.id, texts[i].textContent, texts[j].textContent]);
    }
}
return found;
"""

# Texts that stick out of their figure, where the browser cuts them off.
CUT_OFF = """
const found = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const shown = svg.getBoundingClientRect();
  if (!shown.width) continue;
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (box.left < shown.left - 1 || box.right > shown.right + 1 ||
        box.top < shown.top - 1 || box.bottom > shown.bottom + 1)
      found.push([svg.firstChild.id, text.textContent]);
  }
}
return found;
"""

# Blocks of the page that begin above the end of the one before.
STACKED = """
const found = [];
for (const parent of document.querySelectorAll("body, main, section, figure")) {
  let bottom = -Infinity, last = "";
  for (const child of parent.children) {
    const box = child.getBoundingClientRect();
    if (!box.height || getComputedStyle(child).position === "absolute") continue;
    if (box.top < bottom - 1) found.push([last, child.outerHTML.slice(0, 80)]);
    bottom = box.bottom; last = child.outerHTML.slice(0, 80);
  }
}
return found;
"""

# What sticks out of the window, but for what scrolls in a box of its own.
TOO_WIDE = """
return [...document.querySelectorAll("body *")]
  .filter((element) => !element.closest(".sheet, pre, svg, .skip"))
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => element.outerHTML.slice(0, 120));
"""


class Chromium:
    """One browser window; each page starts with an empty log."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(
        self, address: str | Path, *, width: int = DESK, height: int = 900, dark: bool = False
    ) -> None:
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.command("Emulation.setEmulatedMedia", features=[scheme])
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(address if isinstance(address, str) else address.as_uri())

    def wait_for_title(self, title: str, *, seconds: float = 20) -> None:
        """Wait until a page of eyelog with this title is there."""
        deadline = time.monotonic() + seconds
        while (
            self.driver.title != f"{title} - eyelog"
            or self.run("return document.readyState") != "complete"
        ):
            assert time.monotonic() < deadline, self.driver.title
            time.sleep(0.05)

    def command(self, name: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(name, arguments)

    def run(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def console(self) -> list[str]:
        """Return what went wrong on the page, in the browser's words."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        """Return the addresses that the page asked for, itself included."""
        events = [json.loads(e["message"])["message"] for e in self.driver.get_log("performance")]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def axe(self) -> list[tuple[str, list[str]]]:
        """Return the rules that the page breaks, and where."""
        self.run(files("axe_core_python").joinpath("axe.min.js").read_text("utf-8"))
        result = self.driver.execute_async_script(
            "axe.run(document, {resultTypes: ['violations']}).then(arguments[0])"
        )
        return [
            (broken["id"], [node["html"][:120] for node in broken["nodes"]])
            for broken in result["violations"]
        ]

    def layout_faults(self) -> list[Any]:
        """Return what overlaps, is cut off or sticks out of the window."""
        looked_for = (STACKED, TOO_WIDE, OVERLAPS, CUT_OFF)
        return [fault for script in looked_for for fault in self.run(script)]

    def scrolls_sideways(self) -> bool:
        return bool(self.run("return document.documentElement.scrollWidth > innerWidth"))

    def press(self, *keys: str) -> None:
        """Press keys, whatever has the focus; a field for files would take them for paths."""
        from selenium.webdriver import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_through(self, most: int = 400) -> list[str]:
        """Press Tab until it comes round; return the outer HTML of what had the focus."""
        from selenium.webdriver.common.keys import Keys

        seen: list[str] = []
        for _ in range(most):
            self.press(Keys.TAB)
            now = str(self.run("return document.activeElement.outerHTML.slice(0, 300)"))
            if now.startswith("<body") or now in seen[:1]:
                break
            seen.append(now)
        return seen

    def pdf(self) -> bytes:
        printed = self.command("Page.printToPDF", preferCSSPageSize=True)
        return base64.b64decode(printed["data"])


@contextmanager
def chromium() -> Iterator[Chromium]:
    """Start a browser without a window."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    driver.set_script_timeout(120)  # axe looks at every element of every figure
    try:
        yield Chromium(driver)
    finally:
        driver.quit()
