"""Pages are joined into one table."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog import decode as decode_module
from eyelog.decode import Page, decode_page, joined_pages
from eyelog.frame import history
from support.answers import (
    EYES,
    MINUTES,
    Record,
    answer,
    by_hour,
    frame_of,
    records_of,
    stamp,
    walks,
)
from support.records import records as made_up

# Joining


def test_the_same_record_on_two_pages_counts_once() -> None:
    rows = records_of(made_up(EYES, "2026-10-24", 20))
    pages = [answer(by_hour(rows[:12])), answer(by_hour(rows[9:]))]
    found = frame_of(*pages)
    assert_frame_equal(found, frame_of(answer(by_hour(rows))))
    assert history(found)[-1] == {"step": "decode", "records": 20, "repeated": 3, "conflicts": 0}


def test_of_different_records_on_one_stamp_the_one_on_the_later_page_wins() -> None:
    first = answer({"0": [{"date": stamp(1), "stp": 9}, {"date": stamp(0), "stp": 1, "gw": "x"}]})
    later = answer({"0": [{"date": stamp(0), "stp": 2}]})
    found = frame_of(first, later)
    assert found["stp"].tolist() == [2.0, 9.0]
    assert found["gw"].isna().all()
    assert history(found)[-1] == {"step": "decode", "records": 2, "repeated": 1, "conflicts": 1}
    assert frame_of(later, first)["stp"].tolist() == [1.0, 9.0]


def test_one_instant_in_two_offsets_is_one_record() -> None:
    dates = ["2026-10-24T00:00:00Z", "2026-10-24T09:00:00+09:00"]
    found = frame_of(answer({"0": [{"date": date, "stp": 4} for date in dates]}))
    assert history(found)[-1] == {"step": "decode", "records": 1, "repeated": 1, "conflicts": 0}


def test_pages_of_the_other_log_are_refused() -> None:
    page = decode_page(answer({}, MINUTES), MINUTES)
    with pytest.raises(el.MixedLogsError, match="standard_mode_logs"):
        joined_pages([page], EYES)


def test_a_frame_does_not_share_memory_with_its_pages() -> None:
    page = decode_page(answer({"0": [{"date": stamp(0), "stp": 1, "isl": True}]}), EYES)
    found = joined_pages([page], EYES).frame
    found.loc[:, "stp"] = 5
    found.loc[:, "isl"] = False
    assert page.columns["stp"].tolist() == [1.0]
    assert joined_pages([page], EYES).frame["isl"].tolist() == [True]


@pytest.mark.parametrize("many", [False, True])
def test_pages_that_are_spent_give_the_same_frame_and_lose_their_columns(
    monkeypatch: pytest.MonkeyPatch, many: bool
) -> None:
    monkeypatch.setattr(decode_module, "_MANY_RECORDS", 0 if many else 10)
    hours = {"0": [{"date": stamp(0), "stp": 1, "isl": True}], "1": [{"date": stamp(1)}]}
    kept, spent = (decode_page(answer(hours), EYES) for _ in range(2))
    found = joined_pages([spent], EYES, spend=True)
    assert_frame_equal(found.frame, joined_pages([kept], EYES).frame)
    assert dict(spent.columns) == {}


def test_a_page_counts_its_records() -> None:
    page = decode_page(answer({"0": [{"date": stamp(0)}], "1": []}, cursor="next"), EYES)
    assert isinstance(page, Page)
    assert (page.log, page.cursor, page.n, page.unknown) == (EYES, "next", 1, ())


# Laws


@given(walks(), st.data())
@settings(max_examples=30)
def test_paged_and_shuffled_equals_whole_and_in_order(
    walk: tuple[str, list[Record]], data: st.DataObject
) -> None:
    log, rows = walk
    whole = frame_of(answer({"0": rows}, log), log=log, tz="Europe/Berlin")
    mixed = data.draw(st.permutations(rows))
    cuts = data.draw(st.lists(st.integers(0, len(rows)), max_size=3).map(sorted))
    pages = []
    for low, high in zip([0, *cuts], [*cuts, len(rows)], strict=True):
        hours: dict[str, list[Record]] = {}
        for row in mixed[low:high]:
            hours.setdefault(data.draw(st.sampled_from(["0", "9", "10", "x"])), []).append(row)
        pages.append(answer(hours, log))
    found = frame_of(*pages, log=log, tz="Europe/Berlin")
    assert_frame_equal(found, whole)
    assert found.attrs == whole.attrs
