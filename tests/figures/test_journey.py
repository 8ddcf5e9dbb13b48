"""Figures of a wearer whose zone varies: days and hours are those of the wearer's own clock."""

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.drawn import artists, one, title_of

LOG = "standard_mode_logs"
WEST = el.Zones([("", "Asia/Tokyo"), ("2026-10-22", "America/New_York")])
EAST = el.Zones([("", "America/New_York"), ("2026-10-22", "Asia/Tokyo")])


def journey(zones: el.Zones) -> pd.DataFrame:
    """Return four days in which the wearer walks from 12 to 13 of the local clock."""
    first, last = (
        pd.Timestamp(day, tz=name).tz_convert("UTC")
        for day, (_, name) in zip(("2026-10-20", "2026-10-24"), zones.rows, strict=True)
    )
    stamps = pd.date_range(first, last, freq="1min", inclusive="right").tz_convert(zones.home)
    offset = zones.offset_min(stamps)
    wall = stamps.tz_convert(None) + pd.to_timedelta(offset, unit="min") - pd.Timedelta("1us")
    noon = np.asarray(wall.hour == 12)
    return pd.DataFrame(
        {
            "stp_mid": np.where(noon, 90.0, 0.0),
            "sc_bk_n": 10.0,
            "stp_s": np.where(noon, 60.0, 0.0),
            "wea_s": 60.0,
            "nis_s": 0.0,
            "tl_xav": 0.0,
            "tl_yav": 0.0,
            "utc_offset_min": offset,
        },
        index=stamps.rename("date"),
    )


@pytest.mark.parametrize("zones", [WEST, EAST], ids=["west", "east"])
def test_the_states_of_a_week_are_at_the_hours_of_the_wearer_s_clock(zones) -> None:
    frame = journey(zones)
    row = el.plot_week(el.daily(frame), states=frame)[0]
    steps = one(row, "walking").get_data()
    share = np.append(np.nan_to_num(steps.values - steps.baseline), 0.0).reshape(-1, 49)
    # The flight east skips the noon of its day.
    walked = share[:, 24:26].sum(axis=1)
    assert walked == pytest.approx([2, 2, 2, 2] if zones is WEST else [2, 0, 2, 2])
    assert share.sum() == pytest.approx(walked.sum())


def ticks(ax) -> list[str]:
    ax.figure.canvas.draw()
    return [text.get_text().replace("\n", " ") for text in ax.get_xticklabels()]


@pytest.mark.parametrize("zones", [WEST, EAST], ids=["west", "east"])
def test_the_overview_has_a_row_for_each_local_date_and_its_hours_are_local(zones) -> None:
    ax = el.plot_overview(journey(zones))
    assert [text.get_text() for text in ax.get_yticklabels()] == [
        *("Tue 20 Oct", "Wed 21 Oct", "Thu 22 Oct", "Fri 23 Oct")
    ]
    assert ax.get_xlabel() == "Time of day"
    colours = np.asarray(ax.images[0].get_array())
    days = colours[:: len(colours) // 4]
    walking = days[0, 12 * 60 + 30]
    for day in (0, 2 if zones is EAST else 1, 3):
        assert (days[day, 12 * 60 : 13 * 60] == walking).all()
        assert not (days[day, : 12 * 60] == walking).all(axis=-1).any()


def test_the_hours_that_a_flight_east_skips_are_blank() -> None:
    ax = el.plot_overview(journey(EAST))
    blanks = [(bar.get_x(), bar.get_width(), bar.get_y()) for bars in ax.containers for bar in bars]
    # New York is left at 11:00 on 21 October, when it is midnight in Tokyo.
    assert (11.0, 13.0, 0.5) in blanks


def test_states_alone_are_refused_because_they_do_not_hold_the_clock() -> None:
    frame = journey(WEST)
    with pytest.raises(el.ConfigurationError, match=r"plot_week .* pass the frame itself"):
        el.plot_week(el.daily(frame), states=el.states(frame))
    with pytest.raises(el.ConfigurationError, match=r"plot_overview .* pass the frame itself"):
        el.plot_overview(el.states(frame))
    with pytest.raises(el.ConfigurationError, match=r"plot_quality\(frame\)"):
        el.plot_quality(el.flag(frame))


def test_a_timeline_is_long_where_a_day_is_long() -> None:
    (ax,) = el.plot_timeline(journey(WEST), fields=["stp_mid"])
    assert ticks(ax) == [*("Tue 20 Oct", "Wed 21 Oct", "Thu 22 Oct", "Fri 23 Oct", "Sat 24 Oct")]
    assert np.diff(ax.get_xticks()) * 24 == pytest.approx([24, 24, 37, 24])
    assert title_of(ax) == "20 to 23 Oct 2026 · local time"


def test_hours_along_a_journey_are_named_on_both_clocks() -> None:
    frame = journey(WEST)
    (ax,) = el.plot_timeline(frame["2026-10-22 06:00":"2026-10-22 18:00"], fields=["stp_mid"])
    hours = [text[:2] for text in ticks(ax)]
    assert hours.count("00") == 2
    assert hours.count("03") == 2


def test_reasons_are_drawn_by_local_days_and_hours() -> None:
    frame = journey(WEST)
    walked = frame["stp_mid"] > 0
    for by in ("time", "time_of_day"):
        ax = el.plot_quality(frame, by=by)
        if by == "time":
            assert "local time" in title_of(ax)
        else:
            assert ax.child_axes[-1].get_xlabel() == "Time of day"
    rows = [text.get_text() for text in ax.get_yticklabels()]
    moving = np.asarray(ax.images[0].get_array())[rows.index("walking")]
    assert walked.any()
    assert (moving[72:78] > 0).all()  # from 12 to 13
    assert (np.delete(moving, range(72, 78)) == 0).all()


@pytest.mark.parametrize("zones", [WEST, EAST], ids=["west", "east"])
def test_bouts_are_at_the_hours_and_on_the_days_of_the_wearers_clock(zones) -> None:
    frame = journey(zones).assign(stp_fst=0.0, stp_slw=0.0, stp_vsl=0.0)
    walks = el.gait.bouts(frame)
    bins = el.resample(frame, "1min")
    active = el.rhythm.activity_bouts(bins, "stp_s", threshold=30, min_length="20min")
    for table in (walks, active):
        offsets = [540.0, -240.0] if zones is WEST else [-240.0, 540.0]
        assert table["utc_offset_min"].iloc[[0, -1]].tolist() == offsets
        ax = el.plot_bouts(table)
        (middles,) = (dots.get_offsets() for dots in artists(ax, f"{len(table)} bout"))
        assert set(np.floor(middles[:, 0])) == {12.0}
        assert ax.get_xlabel() == "Time of day"
        assert title_of(ax).endswith("20 to 23 Oct 2026")
    assert "utc_offset_min" not in el.gait.bouts(frame.drop(columns="utc_offset_min"))


def test_bins_of_a_journey_have_one_width_and_are_drawn() -> None:
    for zones in (WEST, el.Zones([("", "Asia/Tokyo"), ("2026-10-22T09:27:30-04:00", "UTC-04:00")])):
        bins = el.resample(el.simulate("2026-10-20", 4, log=LOG, tz=zones), "10min")
        ax = el.plot_heatmap(bins, "stp_mid")
        assert ax.images[0].get_array().shape == (4, 144)
        assert el.plot_profile(el.rhythm.profile(bins, "stp_mid")).get_ylabel().endswith("10 min")


@pytest.mark.slow("a report is made")
def test_a_report_of_a_journey_says_what_it_draws(tmp_path) -> None:
    frame = el.simulate("2026-10-20", 4, log=LOG, tz=WEST)
    text = el.report(frame, tmp_path / "anna.html").read_text()
    assert "Thu 22 Oct" in text
    assert "needs the wearer" not in text
