"""Accounts behind pseudonyms."""

from pathlib import Path

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.cohorts import SIXTY, damage


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return tmp_path / "keys" / "study.key"


def test_tables_can_still_be_joined(kept: el.Archive, wearers: pd.DataFrame, key: Path) -> None:
    table = el.cohort.daily(kept, SIXTY, tz="Asia/Tokyo", workers=1)
    hidden = el.cohort.pseudonymise(table, key_file=key)
    people = el.cohort.pseudonymise(wearers, key_file=key).set_index("account")
    joined = hidden.join(people)
    assert joined["group"].notna().all()
    for account, name in zip(wearers["account"], people.index, strict=True):
        assert_frame_equal(hidden.loc[name], table.loc[account], check_freq=False)
    assert hidden.index.is_monotonic_increasing


def test_no_account_is_left_anywhere(archive: el.Archive, tmp_path: Path, key: Path) -> None:
    damage(archive, "ann")
    with pytest.warns(el.EyelogWarning, match="failed"):
        table = el.cohort.daily(archive, SIXTY, workers=1)
    report = el.cohort.daily(archive, SIXTY, workers=1, out=tmp_path / "out")
    for each in (table, report):
        hidden = el.cohort.pseudonymise(each, key_file=key)
        text = hidden.reset_index().to_csv() + repr(hidden.attrs)
        for account in ("account=ann", "bob", "Ann", "'ann'"):
            assert account not in text


def test_another_key_gives_other_names(wearers: pd.DataFrame, key: Path, tmp_path: Path) -> None:
    first = el.cohort.pseudonymise(wearers, key_file=key)
    other = el.cohort.pseudonymise(wearers, key_file=tmp_path / "other.key")
    assert not set(first["account"]) & set(other["account"])
    assert first["account"].str.fullmatch("[0-9a-f]{16}").all()
    assert key.stat().st_mode & 0o077 == 0


def test_what_cannot_be_done_is_one_line(wearers: pd.DataFrame, key: Path) -> None:
    with pytest.raises(el.ConfigurationError, match="no 'account'"):
        el.cohort.pseudonymise(wearers[["group"]], key_file=key)
    with pytest.raises(el.ConfigurationError, match="takes a table"):
        el.cohort.pseudonymise("ann", key_file=key)  # type: ignore[arg-type]
    with pytest.raises(el.ConfigurationError, match="key_file is a folder"):
        el.cohort.pseudonymise(wearers, key_file=key.parents[1])
    for text in ("account", "a secret of mine", "0123456789abcdef", ""):
        with pytest.raises(el.ConfigurationError, match="key_file names the file of the key"):
            el.cohort.pseudonymise(wearers, key_file=text)
    key.parent.mkdir()
    for text in ("short", "account,group\nann,a\nbob,b\n", "a note of more than 16 bytes"):
        key.write_text(text)
        with pytest.raises(el.ConfigurationError, match="does not hold a key"):
            el.cohort.pseudonymise(wearers, key_file=key)
        assert key.read_text() == text
