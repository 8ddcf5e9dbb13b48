"""A frame is opened in order of time, or refused by the name of what is wrong with it."""

import inspect
from typing import get_type_hints

import pandas as pd
import pytest
from IPython.core.completer import IPCompleter, provisionalcompleter

import eyelog as el
from eyelog.analysis.grouped.opening import FrameOptions, open_frame
from support.frames import MINUTES


def test_rows_are_put_in_order_of_time_and_their_own_order_is_kept() -> None:
    frame = el.sample().iloc[:6]
    mixed = frame.iloc[[3, 0, 5, 1, 4, 2]]
    opened = open_frame(mixed, "test")
    pd.testing.assert_frame_equal(opened.frame, frame, check_freq=False)
    assert opened.order is not None
    pd.testing.assert_frame_equal(mixed.iloc[opened.order], frame, check_freq=False)
    assert open_frame(frame, "test").order is None


def test_the_frame_that_was_given_is_not_changed() -> None:
    mixed = el.sample().iloc[[3, 0, 2]]
    before = mixed.copy()
    open_frame(mixed, "test")
    pd.testing.assert_frame_equal(mixed, before)


def test_what_nothing_in_the_frame_shows_is_what_was_said() -> None:
    frame = el.sample(MINUTES)[["stp_s"]]
    frame.attrs = {}
    limits = el.Limits(max_noise="2s")
    opened = open_frame(frame, "test", log=MINUTES, limits=limits, judge=False, stamp="start")
    assert (opened.log, opened.limits, opened.judge) == (MINUTES, limits, False)
    assert opened.evidence().limits is limits
    assert opened.clock().tz == frame.index.tz


def test_a_stamp_that_comes_twice_is_refused() -> None:
    frame = el.sample().iloc[[0, 1, 1]]
    with pytest.raises(el.ConfigurationError, match="several rows with one stamp"):
        open_frame(frame, "test")


def test_bins_are_read_with_the_stamp_that_they_were_made_with() -> None:
    bins = el.resample(el.sample(MINUTES), "1h", stamp="start")
    with pytest.raises(el.ConfigurationError, match="bins were made with stamp='start'"):
        open_frame(bins, "test")
    assert open_frame(bins, "test", stamp="start").stamp == "start"


def test_a_stamp_is_an_end_or_a_start() -> None:
    with pytest.raises(el.ConfigurationError, match="stamp"):
        open_frame(el.sample(), "test", stamp="middle")


def test_a_lack_of_evidence_is_warned_of_by_its_name() -> None:
    frame = el.sample().drop(columns="nis_time")
    with pytest.warns(el.EyelogWarning, match="NOISY"):
        open_frame(frame, "test").warn_of_lacking()


def test_a_summary_shows_the_keywords_of_the_opening_as_its_own() -> None:
    parameters = list(inspect.signature(el.gait.step_time).parameters.values())
    assert [(each.name, each.default) for each in parameters] == [
        ("frame", inspect.Parameter.empty),
        ("by", None),
        ("limits", None),
        ("judge", True),
        ("stamp", "end"),
        ("log", None),
    ]


@pytest.mark.parametrize("jedi", [False, True], ids=["by running", "by reading"])
def test_a_notebook_completes_the_keywords_of_the_opening(jedi: bool) -> None:
    completer = IPCompleter(shell=None, namespace={"el": el}, use_jedi=jedi)
    completer.disable_matchers = ["IPCompleter.magic_matcher", "IPCompleter.file_matcher"]
    typed = "el.gait.step_time(frame, li"
    with provisionalcompleter():
        offered = [each.text for each in completer.completions(typed, len(typed))]
    assert "limits=" in offered


def test_what_a_summary_may_hand_on_is_what_the_opening_takes() -> None:
    parameters = inspect.signature(open_frame).parameters.values()
    taken = {each.name: each.annotation for each in parameters if each.kind is each.KEYWORD_ONLY}
    assert get_type_hints(FrameOptions) == taken


def test_a_keyword_that_no_summary_has_is_refused_by_the_name_of_the_summary() -> None:
    with pytest.raises(TypeError, match=r"^gait\.step_time\(\) got an unexpected .* 'limts'$"):
        el.gait.step_time(el.sample(), limts=None)  # type: ignore[call-arg]
