"""Tables of events: what they must hold, and where they are drawn."""

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.figures import events as marks


def table(starts: list[str], ends: list[str | None], labels: list[str | None]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "start": pd.to_datetime(starts).tz_localize("UTC"),
            "end": pd.to_datetime(pd.Series(ends, dtype="str")).dt.tz_localize("UTC"),
            "label": pd.Series(labels, dtype="str"),
        }
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda e: e.assign(end=e["start"] - pd.Timedelta("1min")),
            "an event ends before it starts: 'walk' at 2025-01-01 10:00",
        ),
        (lambda e: e.drop(columns="label"), "columns start, end and label"),
        (lambda e: e.assign(start=e["start"].dt.tz_localize(None)), "'start' of the events"),
        (lambda e: e.assign(end=e["start"].dt.tz_localize(None)), "'end' of the events"),
        (lambda e: e.assign(start=e["start"].shift()), "no start"),
        (lambda e: e["start"], "must be a table"),
    ],
)
def test_what_are_no_events_is_refused(change, message) -> None:
    events = table(["2025-01-01 10:00"], ["2025-01-01 11:00"], ["walk"])
    with pytest.raises(el.ConfigurationError, match=message):
        el.plot_day(el.sample(), "stp", events=change(events))


def test_a_stretch_is_shaded_and_a_moment_is_a_line() -> None:
    ax = plt.subplots()[1]
    marks.shade(ax, 1.0, 3.0)
    marks.shade(ax, 5.0, None)
    assert [(patch.get_x(), patch.get_width()) for patch in ax.patches] == [(1.0, 2.0)]
    assert len([line for line in ax.lines if line.get_label() == "_event"]) == 1
