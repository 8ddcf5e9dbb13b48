"""The report as a file."""

import re
import stat
import warnings
from pathlib import Path

import pytest

import eyelog as el
from support.reported import FIFTEEN, SIXTY, frame, said, unworn


def text_of(tmp_path: Path, frames: object, **options: object) -> str:
    return el.report(frames, tmp_path / "report.html", **options).read_text("utf-8")


def test_it_opens_with_the_days_and_ends_with_what_was_lost_and_the_method(tmp_path: Path) -> None:
    text = text_of(tmp_path, [frame(FIFTEEN, 9), frame(SIXTY, 9)])
    order = [
        "days",
        "eyes",
        "walking",
        "head",
        "rhythm",
        "baseline",
        "agreement",
        "trust",
        "method",
    ]
    places = [text.index(f'<h2 id="{key}">') for key in order]
    assert places == sorted(places)
    assert said(text, "problem") == []
    assert said(text, "finding")[0].startswith(
        "On the median day (n = 9) the eyewear was worn for "
    )


@pytest.mark.slow("a report is made twice")
def test_equal_records_give_equal_bytes(tmp_path: Path) -> None:
    chosen = {"sections": ["trust", "days"]}
    first = el.report(frame(SIXTY, 3), tmp_path / "a.html", **chosen)
    second = el.report(frame(SIXTY, 3).copy(), tmp_path / "b.html", **chosen)
    assert first.read_bytes() == second.read_bytes()


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = el.report(frame(SIXTY, 3), tmp_path / "report.html", sections=["days"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_sections_are_chosen_and_keep_their_order(tmp_path: Path) -> None:
    text = text_of(tmp_path, frame(SIXTY, 3), sections=["head", "days"])
    assert text.index('<h2 id="days">') < text.index('<h2 id="head">')
    assert '<h2 id="eyes">' not in text


@pytest.mark.slow("two reports are made")
def test_agreement_is_left_out_for_one_log_and_says_why_where_it_is_asked_for(
    tmp_path: Path,
) -> None:
    assert '<h2 id="agreement">' not in text_of(tmp_path, frame(SIXTY, 3))
    text = text_of(tmp_path, frame(SIXTY, 3), sections=["agreement"])
    assert said(text, "left-out") == [
        "Left out: Agreement of the two logs (it takes both logs, and the 15-second log was not"
        " given)."
    ]


def test_a_pseudonym_hides_the_account_everywhere(tmp_path: Path) -> None:
    named = frame(SIXTY, 3).copy()
    steps = [{"step": "archive", "account": "ada lovelace", "path": "/data/ada lovelace"}]
    named.attrs = {"eyelog": {"log": SIXTY, "account": "ada lovelace", "history": steps}}
    assert "Eyewear report: ada lovelace" in text_of(tmp_path, named, sections=["trust"])
    hidden = text_of(tmp_path, named, sections=["trust"], name="Person 7")
    assert "Eyewear report: Person 7" in hidden
    assert "lovelace" not in hidden


def test_eyewear_that_was_never_worn_is_a_report_of_reasons(tmp_path: Path) -> None:
    text = text_of(tmp_path, unworn().frames[FIFTEEN])
    assert "The eyewear was never worn." in said(text, "finding")[0]
    assert said(text, "left-out")[:2] == [
        "Left out: Days; Walking; Head and posture (days worn for 4 h or more: 0 of 3, and it takes"
        " 1).",
        "Left out: Eyes (The 15-second log gives no blink rate: too little usable time: 0 of 3"
        " minutes).",
    ]
    assert said(text, "answer")[0].startswith("<strong>The eyewear was not worn:</strong>")


def test_missing_evidence_is_warned_of_once_and_noted(tmp_path: Path) -> None:
    bare = frame(FIFTEEN, 3).drop(columns=["vld", "nis_time"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text = text_of(tmp_path, bare, sections=["days", "eyes"])
    messages = [str(one.message) for one in caught]
    assert messages
    assert len(messages) == len(set(messages))
    assert [one for one in said(text) if one.startswith("Note: ")] == [
        f"Note: {message}" for message in messages
    ]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"path": "report.pdf"}, "end its name with .html"),
        ({"path": "nowhere/report.html"}, "no folder"),
        ({"sections": ["eye"]}, "did you mean 'eyes'"),
        ({"sections": []}, "name at least one section"),
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
        el.report(frame(SIXTY, 3), tmp_path / "report.html", sections=["days"])


@pytest.mark.slow("a report is made for each name")
@pytest.mark.parametrize(
    ("account", "title"),
    [
        (None, "Eyewear report"),
        ("a\nb\x00c", "Eyewear report: a b c"),
        ("\u202e<script>", "Eyewear report: &lt;script&gt;"),
    ],
)
def test_whatever_the_account_is_called_every_figure_is_drawn(
    tmp_path: Path, account: str | None, title: str
) -> None:
    named = frame(SIXTY, 3).copy()
    named.attrs = {"eyelog": named.attrs["eyelog"] | {"account": account}}
    page = el.report(named, tmp_path / "report.html", sections=["days"]).read_text()
    assert f"<h1>{title}</h1>" in page
    assert "This figure is not drawn" not in page


def test_page_one_comes_before_the_contents_and_the_sections(tmp_path: Path) -> None:
    text = text_of(tmp_path, frame(SIXTY, 9), sections=["trust"])
    places = [text.index(part) for part in ('class="answer"', 'id="contents"', '<h2 id="trust">')]
    assert places == sorted(places)
    assert re.search(r'<a href="#trust"[^>]*>What was lost, and why</a>', text)


def test_a_glance_is_page_one_alone(tmp_path: Path) -> None:
    text = text_of(tmp_path, frame(SIXTY, 9), glance=True)
    assert "The last seven days at a glance" in text
    assert "<h2" not in text
    assert 'href="#' not in text.replace('href="#report"', "").split("<svg")[0]


def test_a_glance_with_sections_is_refused(tmp_path: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="leave out sections= or glance="):
        el.report(frame(SIXTY, 3), tmp_path / "r.html", sections=["days"], glance=True)
