"""Page one: sentences on what stands out, what was looked at, and how far to trust it."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.reports.answer import answer
from eyelog.reports.logs import Logs, as_logs
from eyelog.reports.page import render
from eyelog.reports.parts import Empty, PageOne
from support.chromium import Chromium, chromium, needs_chromium
from support.drawn import artists, points
from support.reported import SIXTY, logs

WHO = "Person 7"


def planted(name: str = WHO, **changes: dict[int, float]) -> Logs:
    """Return logs whose days are noise, with values of some days replaced by column and day."""
    made = logs(SIXTY, days=33)
    out = Logs(made.frames, name=name)
    days = made.days(SIXTY).copy()
    generator = np.random.default_rng(2)
    for column, centre in (
        ("worn_h", 12.0),
        ("blink_rate_per_min", 14.0),
        ("tilt_fore_aft_deg", 9.0),
    ):
        days[column] = centre + 0.5 * generator.normal(size=len(days))
    for column in ("steps", "pace_spm", "eye_moves_per_h", "head_moves_yaw_per_h"):
        days[column] = 3000.0 + 100 * generator.normal(size=len(days))
    days["blink_rate_low"] = days["blink_rate_per_min"] - 0.3
    days["blink_rate_high"] = days["blink_rate_per_min"] + 0.3
    for column, values in changes.items():
        for day, value in values.items():
            days.iloc[day, days.columns.get_loc(column)] = value
    out._made["days", SIXTY] = days
    return out


def said(made: PageOne) -> list[str]:
    return [f"{one.lead} {one.rest}".strip() for one in made.sentences]


def test_a_new_level_is_said_with_its_first_day_and_its_interval() -> None:
    made = planted()
    days = made.days(SIXTY)
    days.iloc[16:, days.columns.get_loc("steps")] -= 1000.0
    (level,) = made.findings.levels["steps"].to_dict("records")
    first = next(text for text in said(answer(made)) if text.startswith("From Wed 4 Nov on"))
    assert first.startswith("From Wed 4 Nov on Person 7 took fewer steps than before: ")
    assert f"{level['after']:,.0f} steps, where it was {level['before']:,.0f} before" in first
    assert "of this wearer" in first


def test_a_trend_is_said_per_week() -> None:
    made = planted()
    days = made.days(SIXTY)
    days["steps"] += 150.0 * np.arange(len(days))
    trends = [text for text in said(answer(made)) if text.startswith("From week to week")]
    assert len(trends) == 1
    assert trends[0].startswith("From week to week Person 7 took more steps: ")
    assert f"{made.findings.trends['steps'].slope * 7:,.1f} steps each week" in trends[0]


def test_at_most_three_sentences_are_said_and_the_strongest_is_first() -> None:
    made = planted(
        blink_rate_per_min={28: 30.0, 29: 26.0, 30: 24.0}, steps={31: 60_000.0}, worn_h={32: 23.0}
    )
    first = answer(made)
    assert len(first.sentences) == 3
    p = [one.p for one in first.sentences]
    assert p == sorted(p)
    assert p[0] == min(float(table["p"].min()) for table in made.findings.days.values())


def test_a_thin_day_is_never_a_sentence_and_is_named_where_trust_is() -> None:
    made = planted(worn_h={30: 5.0}, blink_rate_per_min={30: 40.0})
    first = answer(made)
    judged = sum(int(of["outside"].notna().sum()) for of in made.findings.days.values())
    assert said(first)[0].startswith(f"Nothing stood out among {judged} values. A change over")
    assert "would have been named in 80 of 100 such pages" in said(first)[0]
    assert first.trust.startswith("Wed 18 Nov (5 h worn) is thin. Of ")


def test_a_wearer_without_a_name_is_the_wearer() -> None:
    assert (
        " the wearer blinked more often"
        in said(answer(planted("", blink_rate_per_min={30: 21.0})))[0]
    )


def test_the_glance_has_rings_on_what_the_page_says_and_on_nothing_else() -> None:
    made = planted(blink_rate_per_min={30: 21.0})
    drawn = answer(made).pictures[0].draw()
    place = 30 - (len(made.days(SIXTY)) - 7)
    assert points(drawn[2], "stands out") == [[place, 21]]
    assert [bool(artists(ax, "stands out")) for ax in drawn[1:]] == [False, True, False, False]
    plt.close("all")


# The longest page one: three sentences, thin days, five quantities.


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = planted(
        "A long pseudonym of a wearer",
        blink_rate_per_min={29: 30.0, 30: 29.0},
        steps={31: 60_000.0},
        worn_h={28: 5.0, 27: 5.0, 32: 5.0},
    )
    days = made.days(SIXTY)
    days["sc_fcs_mean"] = 50.0 + np.arange(len(days)) % 5
    made = Logs(made.frames, name=made.name)
    made._made["days", SIXTY] = days
    text = render(
        {},
        title=f"Eyewear report: {made.name}",
        about="19 Oct to 20 Nov 2026, Asia/Tokyo; 60-second log and 15-second log",
        dated="Study of the winter, second visit",
        opening=lambda: answer(made),
    )
    target = tmp_path_factory.mktemp("answer") / "answer.html"
    target.write_text(text, "utf-8")
    return target


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as window:
        yield window


@needs_chromium
def test_page_one_is_one_sheet_of_a4(browser: Chromium, page: Path) -> None:
    browser.open(page)
    assert browser.pdf().count(b"/Type /Page\n") == 1


def test_without_evidence_of_wear_the_picture_says_why_it_is_missing() -> None:
    frame = el.sample().drop(columns="isl")
    with pytest.warns(el.EyelogWarning, match="isl"):
        page = answer(as_logs(frame))
    with pytest.raises(Empty, match="nothing shows whether the eyewear was worn"):
        page.pictures[0].draw()
