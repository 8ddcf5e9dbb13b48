"""Blinks, one by one: the report of a 20 Hz recording."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from eyelog.reports.logs import as_logs
from eyelog.reports.parts import Empty
from eyelog.reports.sections import blinks as section
from support.packets import flagged_at, packets

N = 12_000


def recording(**more) -> pd.DataFrame:
    return packets(N, more, seed=2)


def test_the_blinks_that_count_and_the_others_are_counted():
    frame = recording(noiseStatus=flagged_at(N, *range(3000, 3200)))
    found = el.blinks.events(frame)
    said = section(as_logs(frame)).findings[0]
    assert f"Of {len(found)} blinks reported {found['counted'].sum()} count." in said
    assert f"noisy ({(found['reason'] == 'noisy').sum()})" in said


def test_the_pseudonym_stands_in_place_of_the_account(tmp_path):
    frame = recording()
    frame.attrs["eyelog"]["account"] = "secret.person"
    page = el.report(frame, tmp_path / "report.html", name="P017", sections=["eyes", "blinks"])
    text = page.read_text()
    assert "secret.person" not in text
    assert "P017" in text
    assert "Blinks, one by one" in text


def test_without_single_blinks_the_section_says_why():
    with pytest.raises(Empty, match="in the 20 Hz log alone"):
        section(as_logs(el.sample()))
    quiet = {"blinkSpeed": np.zeros(N), "blinkStrength": np.zeros(N)}
    with pytest.raises(Empty, match="reports no blink"):
        section(as_logs(recording(**quiet)))
    with pytest.raises(Empty, match=r"none of the \d+ blinks reported counts: noisy"):
        section(as_logs(recording(noiseStatus=np.ones(N, dtype=bool))))
