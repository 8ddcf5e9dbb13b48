"""The report as a file: what it takes, what it hides, and what it does where a part fails."""

import re
import stat
import warnings
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from support.command import main
from support.packets import packets
from support.reported import FIFTEEN, SIXTY, TZ, frame, page_of


@pytest.mark.slow("a report is made twice")
def test_equal_records_give_equal_bytes(tmp_path: Path) -> None:
    chosen = {"sections": ["trust", "days"]}
    first = el.report(frame(SIXTY, 3), tmp_path / "a.html", **chosen)
    second = el.report(frame(SIXTY, 3).copy(), tmp_path / "b.html", **chosen)
    assert first.read_bytes() == second.read_bytes()
    assert stat.S_IMODE(first.stat().st_mode) == 0o600  # only the owner can read it


def test_sections_are_chosen_and_keep_their_order_behind_page_one() -> None:
    found = page_of(frame(SIXTY, 3), "trust", "days")
    assert found.sections == ["contents", "days", "trust", "method"]
    assert found.html.index('class="answer"') < found.html.index('id="contents"')
    assert re.search(r'<a href="#trust"[^>]*>What was lost, and why</a>', found.html)


def test_a_glance_is_page_one_alone() -> None:
    text = page_of(frame(SIXTY, 9), glance=True).html
    assert "The last seven days at a glance" in text
    assert "<h2" not in text
    assert 'href="#' not in text.replace('href="#report"', "").split("<svg")[0]


def test_the_page_forbids_itself_scripts_and_the_network() -> None:
    text = page_of(frame(SIXTY, 3), glance=True).html
    assert "default-src &#39;none&#39;" in text or "default-src 'none'" in text
    assert "<script" not in text


def test_figures_are_text_and_lead_nowhere_whatever_the_settings_of_the_user() -> None:
    open_before = plt.get_fignums()
    found = page_of(frame(SIXTY, 3), "days")
    figures = re.findall("<svg.*?</svg>", found.html, re.DOTALL)
    assert len(figures) == 3
    assert all("Worn" in figure for figure in figures)
    ids = re.findall(r'\bid="([^"]*)"', found.html)
    assert len(ids) == len(set(ids))
    links = re.findall(r'(?:href|src|url\()="?([^")]*)', "".join(figures))
    assert all(link.startswith("data:") or link.removeprefix("#") in ids for link in links)
    with mpl.rc_context({"svg.fonttype": "path", "figure.dpi": 300}):
        assert page_of(frame(SIXTY, 3), "days").html == found.html
    assert plt.get_fignums() == open_before


def other(frame: pd.DataFrame, account: str) -> pd.DataFrame:
    out = frame.copy()
    out.attrs = {"eyelog": frame.attrs["eyelog"] | {"account": account}}
    return out


@pytest.mark.parametrize(
    ("given", "error", "why"),
    [
        ([], el.ConfigurationError, "needs a frame"),
        (3, el.ConfigurationError, "not a int"),
        (el.resample(el.sample(), "1h"), el.ConfigurationError, "resampled"),
        (el.sample().iloc[:0], el.ConfigurationError, "no records"),
        (packets(200), el.ConfigurationError, "200 rows of the 20 Hz log are not even one"),
        ([el.sample(), el.sample()], el.MixedLogsError, "one frame of each log"),
        (
            [el.sample(), el.sample(SIXTY).tz_convert("UTC")],
            el.ConfigurationError,
            "different zones",
        ),
        (
            [other(el.sample(), "ada"), other(el.sample(SIXTY), "ben")],
            el.ConfigurationError,
            "different wearers",
        ),
    ],
)
def test_what_cannot_be_reported_is_refused(given: object, error: type, why: str) -> None:
    with pytest.raises(error, match=why):
        page_of(given)


def test_an_empty_log_beside_a_full_one_is_left_out() -> None:
    found = page_of([frame(FIFTEEN, 3), frame(SIXTY, 3).iloc[:0]], "days")
    assert list(found.recipe["logs"]) == [FIFTEEN]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"path": "report.pdf"}, "end its name with .html"),
        ({"path": "nowhere/report.html"}, "no folder"),
        ({"sections": ["eye"]}, "did you mean 'eyes'"),
        ({"sections": []}, "name at least one section"),
        ({"sections": ["days"], "glance": True}, "leave out sections= or glance="),
        ({"name": " "}, "name must be text"),
        ({"dated": 3}, "dated must be text"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(
    tmp_path: Path, options: dict[str, object], why: str
) -> None:
    path = tmp_path / str(options.pop("path", "report.html"))
    with pytest.raises(el.ConfigurationError, match=why):
        el.report(frame(SIXTY, 3), path, **options)
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    with pytest.raises(el.EyelogError, match=r"cannot write .*report\.html"):
        el.report(frame(SIXTY, 3), tmp_path / "report.html", glance=True)


# Names.


def test_a_pseudonym_hides_the_account_everywhere() -> None:
    named = frame(SIXTY, 3).copy()
    steps = [{"step": "import", "file": "ada.csv", "path": "/home/ada", "rows": 3, "tz": "UTC"}]
    named.attrs = {"eyelog": {"log": SIXTY, "account": "ada", "history": steps}}
    assert "Eyewear report: ada" in page_of(named, "trust").html
    hidden = page_of(named, "trust", name="Person 7")
    assert "Eyewear report: Person 7" in hidden.html
    assert not re.search(r"\bada\b", hidden.html)
    kept = [{"step": "import", "rows": 3, "tz": "UTC"}]
    assert hidden.recipe["logs"][SIXTY]["history"] == kept
    assert named.attrs["eyelog"]["account"] == "ada"


@pytest.mark.parametrize(
    ("account", "title"),
    [
        (None, "Eyewear report"),
        ("a\nb\x00c", "Eyewear report: a b c"),
        ("\u202e<script>", "Eyewear report: &lt;script&gt;"),
    ],
)
def test_whatever_the_account_is_called_the_picture_is_drawn(
    account: str | None, title: str
) -> None:
    found = page_of(other(frame(SIXTY, 3), account), glance=True)
    assert f"<h1>{title}</h1>" in found.html
    assert found.said("problem") == []


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ('P"7; } body { display: none', r"P\22 7\3b  \7d  body \7b  display\3a  none\3b  Mon 19"),
        ("V" * 130, r" {0}\2026 {0}\3b  Mon 19".format("V" * 20)),
        (" ".join(["name"] * 100), r"name name\2026  name"),
    ],
    ids=["ends the string", "one long word", "many words"],
)
def test_the_foot_of_a_printed_page_has_the_name_and_room_for_the_number(
    name: str, shown: str
) -> None:
    text = page_of(frame(SIXTY, 3), glance=True, name=name).html
    line = text.split("@bottom-left { content: ")[1].splitlines()[0]
    assert line.count('"') == 2
    assert shown in line
    assert line.count("name") < 35


# A part that fails takes nothing with it.


def test_a_figure_that_cannot_be_made_takes_nothing_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_rows(*_: object, **__: object) -> None:
        raise el.ConfigurationError("there are no rows")

    monkeypatch.setattr(el, "plot_daily", no_rows)
    found = page_of(frame(SIXTY, 3), "days")
    assert found.said("problem") == ["This figure is not drawn: there are no rows."]
    assert found.table("The days, 60-second log")


@pytest.mark.parametrize(
    ("name", "what"),
    [("coverage", "page one"), ("gaps", "a table"), ("plot_daily", "the figure 'Hours worn on")],
)
def test_a_bug_in_one_part_is_warned_of_and_shown_in_its_place(
    monkeypatch: pytest.MonkeyPatch, name: str, what: str
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(el, name, fails)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = page_of(frame(SIXTY, 3), "days", "trust")
    said = [str(one.message) for one in caught]
    assert any(one.startswith(f"the report lacks {what}") for one in said)
    assert any(one.endswith("ZeroDivisionError: division by zero") for one in said)
    assert any("ailed (ZeroDivisionError: division by zero)" in one for one in found.said())
    assert "method" in found.sections


def test_missing_evidence_is_warned_of_once_and_noted() -> None:
    bare = frame(FIFTEEN, 3).drop(columns=["vld", "nis_time"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = page_of(bare, "days", "eyes")
    messages = [str(one.message) for one in caught]
    assert messages
    assert len(messages) == len(set(messages))
    notes = [one for one in found.said() if one.startswith("Note: ")]
    assert notes == [f"Note: {message}" for message in messages]


def test_limits_of_ones_own_are_stated_beside_the_defaults() -> None:
    chosen = el.Limits(min_day="8h", max_noise="1s", wear="blinks")
    text = page_of(frame(SIXTY, 3), "days", limits=chosen).methods
    for words in (
        "min_day 8h (default 4h)",
        "max_noise 1s (default ",
        "in which blinks were counted count as worn too",
        "at least 8 h of wear and count",
    ):
        assert words in text


def test_the_command_reads_the_days_before_from_the_archive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    el.Archive(tmp_path / "a").write(SIXTY, frame(SIXTY, 33), account="me")
    out = tmp_path / "week.html"
    words = ["report", SIXTY, "2026-11-14", "2026-11-20", "--archive", str(tmp_path / "a")]
    assert main([*words, "--glance", "--tz", TZ, "--day-starts", "00:00", "-o", str(out)]) == 0
    said = capsys.readouterr().err
    assert "2026-11-14 to 2026-11-20" in said
    assert "Compared with the days from 2026-09-19 on." in said
    assert "own 56 days before" in out.read_text()
