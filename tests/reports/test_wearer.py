"""What the report of one wearer says, asked of the page."""

import io
import re

import numpy as np
import pandas as pd
import pytest

import eyelog as el
from support.packets import flagged_at, packets
from support.reported import FIFTEEN, SIXTY, TZ, frame, page, page_of

N = 12_000  # rows of the 20 Hz log


# The tables and sentences are those of the library.


def test_the_page_ends_with_what_was_lost_and_the_method_and_has_no_problem() -> None:
    assert page().sections == [
        *("contents", "days", "eyes", "walking", "head", "rhythm", "baseline", "agreement"),
        *("trust", "method"),
    ]
    assert page().said("problem|left-out") == []
    assert page().said()[0].startswith("On the median day (n = 9) the eyewear was worn for ")


@pytest.mark.parametrize("log", [FIFTEEN, SIXTY])
def test_judging_once_gives_the_days_of_the_library(log: str) -> None:
    kept = pd.read_csv(io.StringIO(page().file(f"days-{log}.csv")))
    days = el.daily(frame(log, 9))
    assert list(kept.columns) == ["day", *days.columns]
    assert kept["day"][0] == "2026-10-19"
    numbers = days.select_dtypes("number").astype("float64")
    np.testing.assert_allclose(kept[list(numbers)], numbers, rtol=1e-8)


def test_the_medians_are_of_the_days_that_count() -> None:
    rows = page().cells("Medians of the days that count, with 95 % intervals")
    sixty = frame(SIXTY, 9)
    assert (
        rows["Pace (steps per min)"][0].split()[0] == f"{el.daily(sixty)['pace_spm'].median():.0f}"
    )
    busiest = el.gait.peak_cadence(sixty, minutes=30)["peak_spm"]
    assert rows["Busiest 30 min (steps per min)"][0].startswith(f"{busiest.median():.3g} (")


def test_pace_classes_zones_and_agreement_are_those_of_the_library() -> None:
    sixty, said = frame(SIXTY, 9), " ".join(page().said())
    assert f"was {el.gait.pace(sixty).iloc[0]['pace_spm']:.0f} steps per minute" in said
    classes = el.gait.speed_classes(sixty).iloc[0]
    assert f"{classes['share_slow'] * 100:.0f} % slow" in said
    assert "% slow" not in " ".join(page_of(frame(FIFTEEN, 9), "walking").said())
    zones = pd.read_csv(io.StringIO(page().file("tilt-zones.csv")), index_col=0)
    assert list(zones.index) == list(el.posture.zones(sixty).index)
    table = el.compare.agreement(frame(FIFTEEN, 9), sixty)
    known = table[table["reason"] == ""]
    apart = int(((known["bias_low"] > 0) | (known["bias_high"] < 0)).sum())
    assert f"For {apart} of {len(known)} quantities" in said


def test_each_limit_stands_with_its_source() -> None:
    rows = page().cells("Limits, with their sources")
    assert rows["Day that counts: wear in a day"] == ["at least 4 h", "eyelog"]
    assert all(source for _, source in rows.values())
    assert "wear in a day,at least 4 h,all,eyelog" in page().file("limits.csv")


def test_what_was_left_out_adds_up_to_all_records() -> None:
    said = r"Of ([\d,]+) records of the 60-second log, (.*?); ([\d,]+) \(\d+ %\) were kept"
    (of_sixty,) = re.findall(said, page().methods)
    lost = re.findall(r"([\d,]+) \([^)]*%\) as ", of_sixty[1])
    total, kept, *lost = (int(n.replace(",", "")) for n in [of_sixty[0], of_sixty[2], *lost])
    assert total == len(frame(SIXTY, 9)) == kept + sum(lost)
    table = el.attrition(frame(SIXTY, 9), recipe="eye")
    assert kept == table.loc[table["outcome"] == "", "left"].iloc[-1]


def test_fields_that_no_summary_takes_do_not_count_among_the_values_that_were_lost() -> None:
    assert page().recipe["logs"][FIFTEEN]["fields"] < len(el.fields(FIFTEEN))
    with pytest.raises(el.ConfigurationError, match="none of the fields that a report takes"):
        page_of(frame(FIFTEEN, 9)[["bl"]])


def test_many_days_are_shown_as_weeks_and_kept_as_days() -> None:
    many = page_of(frame(SIXTY, 33), "days")
    assert len(many.table("The weeks, 60-second log")) == 1 + 5
    assert len(many.file("days-standard_mode_logs.csv").splitlines()) == 1 + 33


def test_a_wearer_who_travels_reads_the_times_of_the_own_clock() -> None:
    zones = el.Zones([("", TZ), ("2026-10-22", "America/New_York")])
    stamps = pd.DatetimeIndex([], tz="UTC")
    for day, tz in (("2026-10-20", TZ), ("2026-10-23", "America/New_York")):
        opens = pd.Timestamp(f"{day} 08:01", tz=tz)
        stamps = stamps.append(pd.date_range(opens, periods=840, freq="1min").tz_convert("UTC"))
    stamps = stamps.tz_convert(zones.home).rename("date")
    records = pd.DataFrame({"wea_s": 60.0, "tl_xav": 0.0, "tl_yav": 0.0}, index=stamps)
    records["utc_offset_min"] = zones.offset_min(stamps)
    with pytest.warns(el.EyelogWarning):
        of_trip = page_of(records, "days")
    headers, *rows = of_trip.table(
        "The days, 60-second log (times of day by the wearer's own clock)"
    )
    first = headers.index("First worn")
    assert [row[first : first + 2] for row in rows] == [["08:00", "22:00"]] * 2
    assert "2026-10-23T21:00:00+09:00" in of_trip.file("days-standard_mode_logs.csv")


def test_fewer_than_seven_days_have_no_sentence_on_how_alike_they_are() -> None:
    few = page_of(frame(SIXTY, 5), "rhythm")
    assert "stability" not in " ".join(few.said())
    stability = few.cells("Rhythm of the steps per hour")["Interdaily stability (IS)"]
    assert stability[0].startswith("fewer than 7 days")
    assert "days without a common pattern give" in " ".join(page().said())


def test_single_blinks_that_count_and_the_others_are_counted() -> None:
    rows = packets(N, {"noiseStatus": flagged_at(N, *range(3000, 3200))}, seed=2)
    rows.attrs["eyelog"]["account"] = "secret.person"
    found = el.blinks.events(rows)
    single = page_of(rows, "eyes", "blinks", name="P017")
    (said,) = [one for one in single.said() if one.startswith("Of ")]
    assert f"Of {len(found)} blinks reported {found['counted'].sum()} count." in said
    assert f"noisy ({(found['reason'] == 'noisy').sum()})" in said
    assert "P017" in single.html
    assert "secret.person" not in single.html


# Records that lack what a report usually finds still make a whole page.


def masked(log: str, days: int) -> pd.DataFrame:
    return el.mask(frame(log, days), el.flag(frame(log, days)))


def blank(log: str, *fields: str) -> pd.DataFrame:
    """Return two days without any value of these fields, or of any."""
    out = frame(log, 2).copy()
    for name in fields or out.columns:
        out[name] = out[name].mask(out[name].notna())
    return out


def noisy() -> pd.DataFrame:
    return packets(N, {"noiseStatus": np.ones(N, dtype=bool)}, seed=2)


def quiet() -> pd.DataFrame:
    return packets(N, {"blinkSpeed": np.zeros(N), "blinkStrength": np.zeros(N)}, seed=2)


@pytest.mark.filterwarnings("ignore::eyelog.EyelogWarning")
@pytest.mark.parametrize(
    ("records", "section", "said", "never"),
    [
        (
            lambda: frame(FIFTEEN, 3).drop(columns="cad"),
            "days",
            "are not usable for the eyes.",
            "not drawn",
        ),
        (
            lambda: masked(SIXTY, 3),
            "days",
            "masked before, so the other reading cannot be tried.",
            "not drawn",
        ),
        (
            lambda: blank(SIXTY, "tl_yav"),
            "head",
            "the wearer nodded",
            "The fore-aft tilt was most often",
        ),
        (
            lambda: blank(FIFTEEN),
            "trust",
            "Nothing in it shows whether the eyewear was worn.",
            "% of this time",
        ),
        (
            lambda: frame(FIFTEEN, 3).drop(columns="isl"),
            "days",
            "so these were not checked",
            "95 % interval 0",
        ),
        (
            lambda: frame(FIFTEEN, 3).drop(columns="isl"),
            "trust",
            "nothing in it shows whether the eyewear was worn",
            "% of this time",
        ),
        (
            lambda: frame(FIFTEEN, 3).drop(columns="isl"),
            "trust",
            "This figure is not drawn: nothing shows whether the eyewear was worn.",
            "The same in numbers",
        ),
        (
            lambda: frame(SIXTY, 3),
            "agreement",
            "Left out: Agreement of the two logs (it takes both logs, and the 15-second log was not"
            " given).",
            '<h2 id="agreement">',
        ),
        (el.sample, "blinks", "single blinks are in the 20 Hz log alone", '<h2 id="blinks">'),
        (quiet, "blinks", "the 20 Hz log reports no blink", '<h2 id="blinks">'),
        (noisy, "blinks", "blinks reported counts: noisy (", '<h2 id="blinks">'),
    ],
)
def test_records_that_lack_something_say_what(records, section, said, never) -> None:
    found = page_of(records(), section)
    assert said in " ".join([found.methods, *found.said("finding|more|problem|left-out|trust")])
    assert never not in found.html


def test_records_of_which_no_value_is_lost_have_no_table_of_reasons() -> None:
    whole = el.sample()
    fields = ["isl", "vld", "nis_time", "stp", "hm_yo"]
    clean = whole.loc[el.flag(whole)["stp"] == 0, fields].head(78)
    with pytest.warns(el.EyelogWarning):
        found = page_of(clean, "trust")
    assert "A table is left out: no value has a reason against it." in found.said("problem")


def test_a_median_is_said_to_be_of_the_days_that_have_the_value() -> None:
    days = frame(SIXTY, 9).copy()
    late = days.index > days.index[0] + pd.Timedelta("3D")
    days.loc[late, [name for name in days if name.startswith("hm_p")]] = pd.NA
    found = page_of(days, "days", "head")
    assert any(
        one.startswith("On the median day (n = 3) the wearer nodded") for one in found.said()
    )
    assert "(3 days)</td>" in found.html


def test_eyewear_that_was_never_worn_is_a_report_of_reasons() -> None:
    unworn = frame(FIFTEEN, 3).copy()
    unworn["isl"] = pd.array([True] * len(unworn), dtype="boolean")
    found = page_of(unworn)
    assert "The eyewear was never worn." in found.said("finding")[0]
    assert found.said("left-out")[:2] == [
        "Left out: Days; Walking; Head and posture (days worn for 4 h or more: 0 of 3, and it takes"
        " 1).",
        "Left out: Eyes (The 15-second log gives no blink rate: too little usable time: 0 of 3"
        " minutes).",
    ]
    assert found.answers[0].startswith("The eyewear was not worn:")


def test_a_record_at_the_midnight_that_opens_the_range_adds_no_day() -> None:
    sixty = frame(SIXTY, 3)
    asked = sixty[sixty.index >= sixty.index[0].normalize() + pd.Timedelta("1D")]
    assert asked.index[0] == asked.index[0].normalize()
    assert "Tue 20 to Wed 21 Oct 2026, Asia/Tokyo" in page_of(asked, glance=True).html
    assert "Mon 19 Oct 2026, Asia/Tokyo" in page_of(asked.iloc[:1], glance=True).html


def test_a_masked_frame_has_the_same_days_under_a_pseudonym() -> None:
    named, own = (page_of(masked(FIFTEEN, 3), "days", name=name) for name in ("P7", None))
    assert named.file("days-computed_data.csv") == own.file("days-computed_data.csv")


# Days before, and days that start in the evening.


def test_days_before_change_nothing_but_what_days_are_compared_with() -> None:
    whole, since = frame(SIXTY, 33), "2026-11-12"
    later = page_of(whole, "days", "trust", since=since)
    alone = page_of(whole[whole.index > pd.Timestamp(since, tz=TZ)], "days", "trust")
    assert later.said() == alone.said()
    name = "days-standard_mode_logs.csv"
    assert later.file(name) == alone.file(name)
    assert any("own 56 days before" in fact for fact in later.facts)
    with pytest.raises(el.ConfigurationError, match="no records from 2027-01-01 on"):
        page_of(whole, since="2027-01-01")


def test_days_that_start_in_the_evening_are_those_of_all_tables_and_pictures() -> None:
    records = frame(SIXTY, 9)
    night = page_of(records, "days", "trust", day_starts="18:00")
    kept = pd.read_csv(io.StringIO(night.file("days-standard_mode_logs.csv")))
    days = el.daily(records, day_starts="18:00")
    assert kept["day"].tolist() == [str(day.date()) for day in days.index]
    assert kept["steps"].tolist() == days["steps"].tolist()
    for words in ("from 18:00 to 18:00", "State (18:00 to 18:00)"):
        assert words in night.html
    assert night.recipe["report"]["day_starts"] == "18:00"
    later = page_of(records, "days", since="2026-10-24", day_starts="18:00")
    assert later.recipe["logs"][SIXTY]["first"] == "2026-10-24T18:01:00+09:00"
    with pytest.raises(el.ConfigurationError, match="write it as 18:00"):
        page_of(records, day_starts="evening")


def test_a_week_of_thin_days_is_compared_as_a_whole_with_the_days_before() -> None:
    whole, since = frame(SIXTY, 33), "2026-11-14"
    first = pd.Timestamp(since, tz=TZ)
    thin = whole[(whole.index <= first) | (whole.index.hour < 13)]
    found = page_of(thin, "baseline", since=since)
    assert "searched for a difference from the days before" in found.html
    assert "cannot be compared" not in found.html
    assert "no day can be compared" not in found.html
    assert "own 56 days before" in found.html
