"""The fonts of figures: those that journals ask for, and others for letters they lack."""

import io
import subprocess
import sys
import warnings

import pandas as pd
import pytest
from matplotlib import font_manager
from matplotlib.text import Text

import eyelog as el
from eyelog.figures import fonts
from eyelog.figures.drawing import axes, plot_function, set_title

HIEROGLYPHS = "\U00013000\U00013001"


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch):
    """Forget what was found and said before, and what the test finds and says."""
    monkeypatch.setattr(fonts, "_found", {})
    monkeypatch.setattr(fonts, "_preferred", fonts._preferred.__wrapped__)
    said = (fonts.say_that_the_font_is_replaced, fonts._say_missing)
    for each in said:
        each.cache_clear()
    yield
    for each in said:
        each.cache_clear()


@plot_function
def plot_title(text: str):
    ax = axes(None)
    set_title(ax, text)
    return ax


def titled(text: str):
    return plot_title(text).figure


def saved(figure, ending: str = "png") -> bytes:
    sink = io.BytesIO()
    figure.savefig(sink, format=ending)
    return sink.getvalue()


def installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    monkeypatch.setattr(font_manager, "get_font_names", lambda: list(names))


def test_the_font_that_journals_ask_for_comes_first(no_memory, monkeypatch) -> None:
    installed(monkeypatch, "DejaVu Sans", "Inter", "Liberation Sans", "Arial", "IPAGothic")
    assert fonts.families() == ["Arial", "DejaVu Sans", "IPAGothic"]


def test_without_such_a_font_saving_names_the_package_once(no_memory, monkeypatch) -> None:
    installed(monkeypatch, "DejaVu Sans")
    figure = titled("anna")
    with pytest.warns(el.errors.EyelogWarning, match="package fonts-liberation"):
        saved(figure)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        saved(figure)


def test_with_such_a_font_saving_says_nothing(no_memory, monkeypatch) -> None:
    installed(monkeypatch, "DejaVu Sans", "Liberation Sans")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fonts.say_that_the_font_is_replaced()


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_a_letter_is_drawn_in_any_font_that_has_it(no_memory, ending) -> None:
    letter = "\u1d84"  # of the fonts that come with matplotlib, STIXGeneral has this one
    assert fonts.families()[0] != "STIXGeneral"
    figure = titled("anna")
    figure.axes[0].set_xlabel(letter)
    saved(figure, ending)
    assert "STIXGeneral" in fonts.families()


def test_so_is_a_letter_in_a_title_of_the_user(no_memory) -> None:
    figure = titled("anna")
    figure.axes[0].set_title("\u1d84")
    saved(figure)
    assert "STIXGeneral" in figure.axes[0].title.get_fontfamily()


def test_letters_that_no_font_has_are_named_in_one_line(no_memory) -> None:
    with pytest.warns(el.errors.EyelogWarning, match="no installed font has") as caught:
        saved(titled(f"{HIEROGLYPHS} · 15-second log"))
    (said,) = {text for one in caught if (text := str(one.message)).startswith("no installed")}
    assert "the package fonts-noto-core" in said
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        saved(titled(f"{HIEROGLYPHS} · 15-second log"))  # once is enough


def noted(kind: str, label: str):
    """Return a figure with two events of one label."""
    frame = el.simulate("2026-10-19", 2, log="standard_mode_logs", tz="Asia/Tokyo")
    starts = pd.date_range("2026-10-19 09:00", periods=2, freq="6h", tz="Asia/Tokyo")
    events = pd.DataFrame({"start": starts, "end": pd.NaT, "label": label})
    return el.compose_figure(frame, kind, events=events)


@pytest.mark.parametrize("kind", ["timeline", "day", "week", "actogram"])
def test_letters_of_a_diary_are_named_when_the_figure_is_drawn_and_not_before(
    no_memory, kind: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = noted(kind, HIEROGLYPHS)
    with pytest.warns(el.errors.EyelogWarning) as caught:
        saved(figure)
    # The other warning is that Helvetica is replaced, where it is.
    said = [text for one in caught if "Helvetica" not in (text := str(one.message))]
    assert len(said) == 1
    assert said[0].startswith("no installed font has")


@pytest.mark.filterwarnings("ignore:neither Helvetica nor Arial")
@pytest.mark.parametrize("kind", ["timeline", "day", "week", "actogram"])
def test_a_diary_is_in_a_font_that_has_its_letters(no_memory, kind: str) -> None:
    figure = noted(kind, "\u1d84")
    saved(figure)
    found = [text for text in figure.findobj(Text) if "\u1d84" in text.get_text()]
    assert found
    assert all("STIXGeneral" in text.get_fontfamily() for text in found)


@pytest.mark.parametrize("name", ["山田", "한국", "ｱﾝﾅ"])
def test_the_package_for_east_asian_names_is_named(no_memory, name: str) -> None:
    with pytest.warns(el.errors.EyelogWarning, match="the package fonts-noto-cjk"):
        fonts.say_that_letters_are_missing(name)


def test_importing_and_drawing_do_not_read_every_font() -> None:
    code = (
        "import eyelog as el\n"
        "from eyelog.figures import fonts\n"
        "fonts.FT2Font = None\n"  # would fail if a font were opened
        "el.plot_overview(el.sample()).figure.canvas.draw()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
