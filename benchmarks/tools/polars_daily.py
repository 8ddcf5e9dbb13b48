"""The daily summary of the 60-second log, written by hand as a polars query.

It judges and summarises the same columns of the same month files with the same definitions, some
wearers per query so that memory is bounded; ranges and limits stand in the text as numbers, as in
any such query. It has every advantage that is honest: days have a fixed offset from UTC (no change
of clocks), no checksum of a file is compared, one broken file ends the query, and what cannot
change a result is left out (a statistic of no blink weighs nothing, so nobody asks whether it is
left over from the blink before). The exact limits of the rate are added to the table of days by
scipy.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

OFFSET_H = 9  # Asia/Tokyo
WEARERS = 8  # per query: as fast as all at once, in a memory that does not grow
DAY_US = 86_400_000_000
MINUTE_US = 60_000_000
HOUR_US = 3_600_000_000
STEP_S = 0.5  # a usual step: squares of the differences from it lose no digits
STATIC = ("ems_rl", "eml_rl", "ems_ud", "eml_ud", "lc_bk_n", "sc_bk_n")
MOTION = ("hm_po", "hm_yo")
STEPS = ("stp_fst", "stp_mid", "stp_slw", "stp_vsl")
FIELDS = (
    *("val_s", "nis_s", "wea_s", "stp_s", "tl_xav", "tl_yav", "sc_bkh_av", "sc_bkh_sd"),
    *("sc_bkw_av", *STATIC, *MOTION, *STEPS),
)
RANGES: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("val_s", "nis_s", "wea_s", "stp_s"), (0, 60)),
    **dict.fromkeys(("tl_xav", "tl_yav"), (-180, 180)),
    **dict.fromkeys((*STATIC, *MOTION, *STEPS), (0, 255)),
    "sc_bkh_av": (0, 512),
    "sc_bkh_sd": (0, 51.2),
    "sc_bkw_av": (50, 306),
}
WHOLE = {*STATIC, *MOTION, *STEPS, "sc_bkh_av", "sc_bkw_av"}


def batches(folder: Path) -> Iterator[list[str]]:
    """Give the files of some wearers at a time, in order."""
    wearers = sorted((folder / "log=standard_mode_logs").glob("account=*"))
    for first in range(0, len(wearers), WEARERS):
        files = [f for w in wearers[first : first + WEARERS] for f in w.glob("*/*.parquet")]
        yield sorted(map(str, files))


def polars_daily(folder: Path) -> pd.DataFrame:
    """Summarise all wearers of an archive with polars."""
    return finished(pd.concat(map(polars_days, batches(folder))))


def polars_days(files: list[str]) -> pd.DataFrame:
    """Return the days of some wearers."""
    import polars as pl

    c = pl.col

    def in_range(name: str) -> Any:
        low, high = RANGES[name]
        good = c(name).is_between(low, high)
        if name in WHOLE:
            good &= c(name).floor() == c(name)
        return pl.when(good).then(c(name))

    us = c("date").dt.timestamp("us") + OFFSET_H * 60 * MINUTE_US
    day = (us - 1) // DAY_US
    rows = pl.scan_parquet(files, hive_partitioning=True).select(
        c("account").cast(pl.Categorical),
        us.alias("us"),
        day.alias("day"),
        pl.any_horizontal(c(name).is_not_null() for name in FIELDS).alias("recorded"),
        *(in_range(name).alias(name) for name in FIELDS),
    )
    off = ~c("tl_xav").is_between(-45, 45).fill_null(True) | ~c("tl_yav").is_between(
        -45, 90
    ).fill_null(True)
    rows = rows.with_columns(
        off.alias("off"),
        (c("wea_s") < 20).fill_null(False).alias("short"),
        (c("wea_s") < 30).fill_null(False).alias("short_for_steps"),
        (c("stp_s") > 0).fill_null(False).alias("moving"),
        (c("nis_s") > 10).fill_null(False).alias("noisy"),
        pl.when(off).then(0.0).otherwise(c("wea_s")).alias("worn_s"),
    ).with_columns(
        (c("off") | c("short")).alias("unworn"),
        (c("off") | c("short") | c("moving") | c("noisy")).alias("unusable"),
        (c("worn_s") >= 20).fill_null(False).alias("on"),
    )
    still = ("sc_bkh_av", "sc_bkh_sd", "sc_bkw_av")
    rows = rows.with_columns(
        *(pl.when(~c("unusable")).then(c(name)).alias(name) for name in (*STATIC, *still)),
        *(pl.when(~c("unworn")).then(c(name)).alias(name) for name in (*MOTION, "tl_xav")),
        pl.when(~c("unworn")).then(c("tl_yav")).alias("tl_yav"),
        pl.when(~(c("off") | c("short_for_steps")))
        .then(c("stp_fst") + c("stp_mid") + c("stp_slw") + c("stp_vsl"))
        .alias("steps"),
        pl.when(c("unusable"))
        .then(0.0)
        .when(c("nis_s").is_null() | c("stp_s").is_null())
        .then(None)
        .otherwise(c("worn_s"))
        .alias("valid_s"),
        pl.when(~(c("off") | c("short_for_steps")) & c("wea_s").is_not_null())
        .then(pl.when(c("stp_s").is_not_null()).then(pl.min_horizontal("stp_s", "wea_s")))
        .alias("walking_s"),
        pl.when(c("val_s").is_not_null() & c("nis_s").is_not_null())
        .then((c("val_s") - c("nis_s")).clip(lower_bound=0.0))
        .alias("usable_s"),
        (
            c("on")
            & ~(
                c("on").shift(1, fill_value=False)
                & (c("us").diff() <= 1.5 * MINUTE_US).fill_null(False)
                & (c("account") == c("account").shift(1)).fill_null(False)
            )
        ).alias("opens"),
    )
    after = c("opens").shift(-1, fill_value=True) | ~c("on").shift(-1, fill_value=False)
    began = pl.when(c("opens")).then(c("us")).forward_fill()
    ended = pl.when(c("on") & after).then(c("us")).backward_fill()
    rows = (
        rows.with_columns(
            (c("on") & (ended - began + MINUTE_US >= 5 * MINUTE_US)).alias("lasting"),
            (c("ems_rl") + c("eml_rl")).alias("horizontal"),
            (c("ems_ud") + c("eml_ud")).alias("vertical"),
            (
                c("steps").is_not_null()
                & (c("stp_s") >= 50)
                & c("tl_yav").is_between(-45, 45, closed="left").fill_null(True)
            ).alias("paced"),
            (c("lc_bk_n").is_not_null() & c("usable_s").is_not_null()).alias("watched"),
            ((c("us") - c("day") * DAY_US) / HOUR_US).alias("hour"),
            (c("stp_s") / c("steps") - STEP_S).alias("step"),
        )
        .with_columns(
            pl.when(c("watched") & (c("usable_s") > 0)).then(c("hour")).alias("hour"),
            pl.when(c("paced") & (c("steps") > 0)).then(c("step")).alias("step"),
        )
        .with_columns(
            *((c("hour") ** power * c("usable_s")).alias(f"hour{power}") for power in (0, 1, 2)),
            *((c("hour") ** power * c("lc_bk_n")).alias(f"count{power}") for power in (0, 1)),
            *((c("step") ** power * c("steps")).alias(f"step{power}") for power in (0, 1, 2)),
        )
    )

    def per_h(name: str) -> Any:
        both = c(name).is_not_null() & c("worn_s").is_not_null()
        spent = c("worn_s").filter(both).sum() / 3600
        return pl.when(spent > 0).then(c(name).filter(both).sum() / spent)

    def weighed(values: Any) -> Any:
        both = values.is_not_null() & c("sc_bk_n").is_not_null()
        weight = c("sc_bk_n").filter(both).sum()
        return pl.when(weight > 0).then((values * c("sc_bk_n")).sum() / weight)

    def direction(name: str) -> Any:
        angle = c(name).radians()
        east, north = angle.cos().sum(), angle.sin().sum()
        far = (east**2 + north**2).sqrt() > 1e-12 * c(name).count()
        return pl.when(far).then(pl.arctan2(north, east).degrees())

    def summed(name: str) -> Any:
        return pl.when(c(name).count() > 0).then(c(name).sum())

    opens = c("day").first() * DAY_US
    paced_s = c("stp_s").filter(c("paced")).sum()
    usable = c("usable_s").filter(c("watched")).sum()
    blinks = c("lc_bk_n").filter(c("watched")).sum()
    enough = (usable >= 180) & ~((blinks == 0) & (usable >= 600))
    middle = c("hour1").sum() / c("hour0").sum()
    above = c("count1").sum() - middle * c("count0").sum()
    below = (c("hour2").sum() - middle**2 * c("hour0").sum()) / 60
    long = c("hour").max() - c("hour").min() >= 2
    mean, square = (c(name).sum() / c("step0").sum() for name in ("step1", "step2"))
    spread = (square - mean**2).clip(lower_bound=0).sqrt()
    n = c("recorded").sum()
    days = rows.group_by("account", "day").agg(
        n.alias("n"),
        pl.min_horizontal(n / 1440.0, 1.0).alias("coverage"),
        (n / 60.0).alias("recorded_h"),
        (summed("worn_s") / 3600).alias("worn_h"),
        (summed("valid_s") / 3600).alias("valid_h"),
        (summed("walking_s") / 3600).alias("walking_h"),
        pl.max_horizontal(c("us").filter(c("lasting")).min() - MINUTE_US, opens).alias(
            "first_worn"
        ),
        c("us").filter(c("lasting")).max().alias("last_worn"),
        summed("steps").alias("steps"),
        pl.when(paced_s > 0)
        .then(c("steps").filter(c("paced")).sum() * 60 / paced_s)
        .alias("pace_spm"),
        (paced_s / 60).alias("pace_exposure_min"),
        pl.when(c("step").count() > 1).then(spread / (mean + STEP_S)).alias("step_time_cv_between"),
        pl.when(enough).then(blinks / (usable / 60)).alias("blink_rate_per_min"),
        pl.when(enough & long & (below > 0)).then(above / below).alias("blink_rate_slope_per_h"),
        blinks.alias("blink_n"),
        (usable / 60).alias("blink_exposure_min"),
        weighed(c("sc_bkh_av")).alias("blink_strength_uv"),
        weighed(c("sc_bkh_sd") ** 2).sqrt().alias("blink_strength_sd_uv"),
        weighed(c("sc_bkw_av")).alias("blink_duration_ms"),
        per_h("horizontal").alias("eye_moves_horizontal_per_h"),
        per_h("vertical").alias("eye_moves_vertical_per_h"),
        per_h("hm_po").alias("head_moves_pitch_per_h"),
        per_h("hm_yo").alias("head_moves_yaw_per_h"),
        direction("tl_yav").alias("tilt_fore_aft_deg"),
        direction("tl_xav").alias("tilt_sideways_deg"),
        (c("lasting").any()).alias("lasted"),
        ((pl.len() == 1) & (c("us").first() == opens + DAY_US)).alias("lone"),
    )
    table = days.filter(~c("lone")).drop("lone").collect()
    return pd.DataFrame(table.to_dict(as_series=False))


def finished(days: pd.DataFrame) -> pd.DataFrame:
    """Return the days with exact limits of their rate, and stamps, indexed as eyelog's are."""
    from scipy import stats  # here, so that worker processes do not import it

    zone = pd.Timestamp(0, tz="Asia/Tokyo").tz
    good = days["blink_rate_per_min"].notna().to_numpy()
    n, minutes = (days[name].to_numpy(float) for name in ("blink_n", "blink_exposure_min"))
    low = np.where(n > 0, stats.chi2.ppf(0.025, 2 * np.where(n > 0, n, 1)) / 2, 0.0)
    high = stats.chi2.ppf(0.975, 2 * n + 2) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        days["blink_rate_low"] = np.where(good, low / minutes, np.nan)
        days["blink_rate_high"] = np.where(good, high / minutes, np.nan)
    days["blink_n"] = np.rint(n).astype(np.int64)
    days["n"] = days["n"].astype(np.int64)
    days["eye_moves_per_h"] = days["eye_moves_horizontal_per_h"] + days["eye_moves_vertical_per_h"]
    lasted = days["lasted"].to_numpy(bool)
    days["day"] *= DAY_US
    for name in ("day", "first_worn", "last_worn"):
        us = days[name].fillna(0).to_numpy(np.int64)
        local = pd.DatetimeIndex(us.view("M8[us]")).tz_localize(zone)
        days[name] = local.tz_localize(None) if name == "day" else local.where(lasted)
    days["account"] = days["account"].astype(str)
    return days.set_index(["account", "day"]).sort_index()
