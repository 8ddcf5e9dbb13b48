"""Figures as files: what is in them, and that they are whole, private and the same each time."""

import json
import os
import re
import stat
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib import pyplot as plt
from PIL import Image

import eyelog as el
from support.collisions import collisions_when_saved
from support.drawn import notes

WIDTHS = {"single": 89, "double": 183, "page": 247}


@pytest.fixture(scope="module")
def reasons():
    return el.flag(el.simulate("2025-01-06", 1, log="standard_mode_logs", tz="Asia/Tokyo"))


@pytest.fixture
def ax(reasons):
    return el.plot_quality(reasons)


@pytest.mark.slow("every figure is saved")
@pytest.mark.parametrize("width", WIDTHS)
def test_a_png_has_the_width_asked_at_300_dpi(ax, tmp_path: Path, width) -> None:
    el.save_figure(ax, tmp_path / "figure.png", width=width)
    with Image.open(tmp_path / "figure.png") as image:
        assert image.width == pytest.approx(WIDTHS[width] / 25.4 * 300, abs=1)
        assert image.info["dpi"][0] == pytest.approx(300, abs=0.1)


def test_for_a_report_the_figure_says_who_and_when(ax, tmp_path: Path) -> None:
    for name, arguments in (("paper", {}), ("report", {"subject": "P017"})):
        el.save_figure(ax, tmp_path / f"{name}.svg", **arguments)
    paper, report = ((tmp_path / f"{name}.svg").read_text() for name in ("paper", "report"))
    assert "P017" not in paper
    assert "P017 · Mon 6 Jan 2025" in report
    widths = [re.search(r'width="([\d.]+)pt"', text)[1] for text in (paper, report)]
    assert widths[0] == widths[1]
    assert not [text for text in ax.figure.texts if "P017" in text.get_text()]


@pytest.mark.parametrize("width", ["single", "double"])
def test_the_line_that_says_who_lies_over_no_other_words(tmp_path: Path, width: str) -> None:
    states = el.states(el.sample("standard_mode_logs"))
    saved = {"width": width, "subject": "P017"}
    assert not collisions_when_saved(el.plot_overview(states), tmp_path / "a.png", **saved)
    with Image.open(tmp_path / "a.png") as image:
        assert image.height < 170 / 25.4 * 300
    figure, own = plt.subplots(layout="constrained")
    own.plot([1, 2], label="a line")
    figure.legend(loc="outside lower left")
    assert not collisions_when_saved(figure, tmp_path / "b.png", **saved)


def test_a_table_that_has_lost_its_stamps_still_says_of_which_days_it_is(tmp_path: Path) -> None:
    frame = el.sample()
    for drawn in (
        el.plot_rate(el.blinks.rate(frame, by="hour")),
        el.plot_profile(el.rhythm.profile(el.resample(frame, "1h")["hm_yo"])),
        el.plot_attrition(el.attrition(frame, recipe="mind")),
    ):
        el.save_figure(drawn, tmp_path / "a.svg", subject="P017")
        assert ">P017 · 19 to 25 Oct 2026<" in (tmp_path / "a.svg").read_text()


def test_an_svg_holds_its_text_as_text_and_the_recipe(ax, tmp_path: Path) -> None:
    el.save_figure(ax, tmp_path / "figure.svg", width="double")
    text = (tmp_path / "figure.svg").read_text()
    assert "<text" in text
    assert "plot_quality" in re.search(r"<dc:description>(.*?)</dc:description>", text)[1]
    assert "dc:date" not in text
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


def test_a_pdf_embeds_its_fonts_as_text_and_holds_the_recipe(ax, tmp_path: Path) -> None:
    el.save_figure(ax, tmp_path / "figure.pdf")
    data = (tmp_path / "figure.pdf").read_bytes()
    assert b"/FontFile2" in data  # TrueType, which an editor of drawings can change
    assert b"/Type3" not in data
    assert b"plot_quality" in data
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL)
    assert any(b"Tj" in _inflated(s) or b"TJ" in _inflated(s) for s in streams)


def _inflated(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


DRAWS: dict[str, Callable[[], Any]] = {
    "strip": lambda: el.plot_daily(el.daily(el.sample()), "steps"),
    "colour bar": lambda: el.plot_heatmap(el.resample(el.sample(), "1h"), "stp"),
    "numbered notes": lambda: el.plot_timeline(el.sample(), fields=["stp"], events=notes(14)),
}


@pytest.mark.parametrize("of", DRAWS)
def test_a_file_is_the_same_whatever_was_saved_of_the_figure_before(tmp_path: Path, of) -> None:
    drawn = DRAWS[of]()
    el.save_figure(drawn, tmp_path / "other.svg")
    el.save_figure(drawn, tmp_path / "after.png", width="double")
    el.save_figure(DRAWS[of](), tmp_path / "fresh.png", width="double")
    assert (tmp_path / "after.png").read_bytes() == (tmp_path / "fresh.png").read_bytes()


def test_the_figure_is_left_as_it_was_and_the_file_is_private(ax, tmp_path: Path) -> None:
    before = ax.figure.get_size_inches().tolist()
    el.save_figure(ax.figure, tmp_path / "figure.png", width="single")
    assert ax.figure.get_size_inches().tolist() == before
    assert stat.S_IMODE((tmp_path / "figure.png").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_a_figure_of_the_user_keeps_its_shape(tmp_path: Path) -> None:
    figure, _ = plt.subplots(figsize=(10, 5))
    el.save_figure(figure, tmp_path / "figure.png")
    with Image.open(tmp_path / "figure.png") as image:
        assert image.width == pytest.approx(2 * image.height, abs=2)


@pytest.mark.parametrize(
    ("name", "width", "message"),
    [
        ("figure.gif", "single", "end its name with .pdf, .svg or .png"),
        ("figure.png", "wide", "one of single, double, page"),
        ("nowhere/figure.png", "single", "make it"),
    ],
)
def test_what_cannot_be_saved_is_refused(ax, tmp_path: Path, name, width, message) -> None:
    with pytest.raises(el.ConfigurationError, match=message):
        el.save_figure(ax, tmp_path / name, width=width)


def test_what_is_no_figure_is_refused(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="Axes or a Figure"):
        el.save_figure("figure", tmp_path / "figure.png")  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="of 2: save each"):
        el.save_figure([plt.subplots()[1], plt.subplots()[1]], tmp_path / "figure.png")
    with pytest.raises(el.ConfigurationError, match="not list"):
        el.save_figure([], tmp_path / "figure.png")


def test_narrow_figures_get_the_height_that_more_lines_of_the_legend_take(tmp_path: Path) -> None:
    day = el.sample("standard_mode_logs")["2026-10-20":"2026-10-20"]
    heights = {}
    for width in ("single", "page"):  # the longest legend takes two lines of a column in any font
        el.save_figure(el.plot_timeline(day), tmp_path / "figure.png", width=width)
        with Image.open(tmp_path / "figure.png") as image:
            heights[width] = image.height
    assert heights["single"] > heights["page"]


PROCESS = """
import sys, eyelog as el
frame = el.simulate("2025-01-06", 1, log="standard_mode_logs", tz="Asia/Tokyo")
made = {"day": el.plot_day(frame, "hm_yo", states=el.states(frame)), "daily": el.plot_daily(frame)}
for kind in made:
    for ending in ("png", "svg", "pdf"):
        el.save_figure(made[kind], f"{sys.argv[1]}/{kind}.{ending}")
"""


@pytest.mark.slow("processes draw every figure")
def test_two_processes_with_other_hash_seeds_give_equal_bytes(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        subprocess.run(
            [
                sys.executable,
                "-W",
                "error",
                "-W",
                "ignore:Glyph",
                "-c",
                PROCESS,
                str(tmp_path / seed),
            ],
            env={**os.environ, "PYTHONHASHSEED": seed, "MPLBACKEND": "agg"},
            check=True,
        )
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert len(names) == 6
    unlike = [
        n for n in names if (tmp_path / "1" / n).read_bytes() != (tmp_path / "2" / n).read_bytes()
    ]
    assert unlike == []


def test_the_recipe_of_a_pdf_can_be_read_back(ax, tmp_path: Path) -> None:
    el.save_figure(ax, tmp_path / "figure.pdf")
    data = (tmp_path / "figure.pdf").read_bytes()
    text = re.search(rb"/Subject \((.*?)(?<!\\)\)", data, re.DOTALL)[1]
    recipe = json.loads(re.sub(rb"\\([()\\])", rb"\1", text))
    assert recipe["figures"][0]["arguments"]["reasons"]["rows"] == 1440


def test_importing_eyelog_and_its_figures_changes_no_setting() -> None:
    code = (
        "import matplotlib as mpl; before = dict(mpl.rcParams); import eyelog as el;"
        "el.plot_day, el.save_figure; assert dict(mpl.rcParams) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
