"""What all figures share: the Axes they draw on, and what they refuse."""

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

import eyelog as el
from support.figures import counted_minutes


def test_a_figure_draws_on_the_axes_it_is_given() -> None:
    ax = plt.subplots()[1]
    assert el.plot_heatmap(counted_minutes(["2026-10-19"]), "stp_mid", ax=ax) is ax


def test_a_slice_of_one_day_is_drawn_as_one_day_by_every_figure() -> None:
    week = el.sample("standard_mode_logs")
    day = week.loc["2026-10-21"]
    assert day.index[0] == pd.Timestamp("2026-10-21", tz="Asia/Tokyo")  # closes the day before
    bins = el.resample(week, "10min").loc["2026-10-21"]
    both = pd.concat({"anna": el.states(day), "ben": el.states(day)}, names=["account"])
    drawn = [
        *(el.plot_overview(table) for table in (day, el.states(day), both)),
        *(el.plot_heatmap(table, "stp_s") for table in (day, bins)),
        *(el.plot_day(table, "stp_s") for table in (day, bins, el.resample(day, "10min"))),
        *(el.plot_timeline(day), el.plot_quality(day), el.plot_actogram(el.states(day))),
    ]
    plt.close("all")
    for made in drawn:
        panels = np.ravel(made)
        assert "Wed 21 Oct 2026" in panels[0].figure.get_suptitle()
        names = [text.get_text() for ax in panels for text in ax.get_yticklabels()]
        assert not [name for name in names if "20 Oct" in name]
        assert "Tue 20 Oct" not in [ax.get_title(loc="left") for ax in panels]


def test_a_record_at_midnight_alone_is_drawn_on_the_day_that_it_closes() -> None:
    alone = el.sample("standard_mode_logs").loc["2026-10-21"].iloc[:1]
    assert [text.get_text() for text in el.plot_overview(alone).get_yticklabels()] == ["Tue 20 Oct"]
