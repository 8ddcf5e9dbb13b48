"""Blinks, one by one: the report of a 20 Hz recording."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.reports.logs import as_logs
from eyelog.reports.section_parts import Empty
from eyelog.reports.sections.blinks import section
from support.packets import flagged_at, packets
from support.reported import cells

N = 12_000


def recording(**more) -> pd.DataFrame:
    return packets(N, more, seed=2)


def test_the_blinks_that_count_and_the_others_are_counted():
    frame = recording(noiseStatus=flagged_at(N, *range(3000, 3200)))
    found = el.blinks.blinks(frame)
    said = section(as_logs(frame)).findings[0]
    assert f"Of {len(found)} blinks reported {found['counted'].sum()} count." in said
    assert f"noisy ({(found['reason'] == 'noisy').sum()})" in said


def test_the_longest_time_without_a_blink_is_named_with_its_end():
    frame = recording()
    between = el.blinks.blinks(frame)["interval_s"]
    said = section(as_logs(frame)).findings[1]
    assert f"longest time without a blink was {between.max():.1f} s" in said
    assert f"{between.idxmax():%H:%M}" in said


def test_a_report_of_the_20_hz_log_makes_the_15_second_log_and_takes_the_rate_from_single_blinks():
    frame = recording()
    logs = as_logs(frame, name="P017")
    assert logs.called == ["20 Hz log", "15-second log made from it"]
    (log,) = logs.frames
    days = logs.days(log)
    assert days["blink_rate_per_min"].iloc[0] == pytest.approx(
        el.blinks.rate(frame)["rate_per_min"].iloc[0]
    )
    assert days["steps"].iloc[0] == el.intervals(frame)["stp"].sum()


def test_the_pseudonym_stands_in_place_of_the_account(tmp_path):
    frame = recording()
    frame.attrs["eyelog"]["account"] = "secret.person"
    page = el.report(frame, tmp_path / "report.html", name="P017", sections=["eyes", "blinks"])
    text = page.read_text()
    assert "secret.person" not in text
    assert "P017" in text
    assert "Blinks, one by one" in text


def test_with_the_apps_own_log_the_two_are_compared():
    frame = recording()
    app = el.intervals(frame)
    app["bkh_av"] += 1
    logs = as_logs([frame, app])
    assert not logs.derived
    table = section(logs).tables[-1]()
    row = cells(table)["bkh_av"]
    assert float(row[row.index("uV-equiv") + 3]) > float(row[row.index("uV-equiv") + 2])


def test_without_single_blinks_the_section_says_why():
    with pytest.raises(Empty, match="in the 20 Hz log alone"):
        section(as_logs(el.sample()))
    quiet = {"blinkSpeed": np.zeros(N), "blinkStrength": np.zeros(N)}
    with pytest.raises(Empty, match="reports no blink"):
        section(as_logs(recording(**quiet)))
    with pytest.raises(Empty, match=r"none of the \d+ blinks reported counts: noisy"):
        section(as_logs(recording(noiseStatus=np.ones(N, dtype=bool))))
