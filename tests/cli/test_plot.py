"""`eyelog plot`: a figure of a log, with a panel for each field where it draws one."""

from typing import Any

import pandas as pd
import pytest
from matplotlib import pyplot as plt

import eyelog as el
from eyelog.cli.plot import draw
from eyelog.figures.defaults import KINDS


@pytest.fixture(scope="module")
def fortnight() -> pd.DataFrame:
    return el.simulate("2026-10-12", 14, log="standard_mode_logs", tz="Asia/Tokyo")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_with_the_fields_that_suit_the_log(fortnight, kind: str) -> None:
    frame = fortnight[:4000] if kind in ("day", "timeline") else fortnight
    made = draw(frame, kind, **({"at": "2026-10-19"} if kind == "change" else {}))
    assert made is not None


@pytest.mark.parametrize(
    ("kind", "fields", "options", "says"),
    [
        ("quality", ["bl"], {}, "takes no fields"),
        ("day", ["bl", "hm_yo", "hm_po"], {}, "one or two fields, not 3"),
        ("actogram", ["hm_yo", "hm_po"], {}, "one field, not 2"),
        ("week", None, {"at": "2026-10-19"}, "takes no at: leave out --at"),
        ("daily", None, {"by": "weekend"}, "takes no by: leave out --by"),
        ("profile", None, {"by": "weekend"}, "takes no by: leave out --by"),
        ("change", None, {"by": "events"}, "pass --events FILE too"),
        ("change", None, {"events": "diary.csv", "at": "2026-10-19"}, "or leave out --events"),
        ("change", None, {}, "needs --at DATE or --by COLUMN"),
        ("heatmap", ["stq"], {}, "stq"),
    ],
)
def test_what_a_kind_does_not_take_is_refused(
    fortnight, kind: str, fields: Any, options: dict, says: str
) -> None:
    with pytest.raises(el.EyelogError, match=says):
        draw(fortnight, kind, fields, **options)


def test_days_are_compared_by_the_labels_of_a_diary(fortnight) -> None:
    starts = pd.date_range("2026-10-12 09:00", periods=12, freq="D", tz="Asia/Tokyo")
    diary = pd.DataFrame({"start": starts, "end": starts + pd.Timedelta("8h")})
    diary["label"] = ["home", "office"] * 6
    values, _ = draw(fortnight, "change", ["steps"], by="events", events=diary)
    assert [tick.get_text().split("\n")[0] for tick in values.get_xticklabels()] == [
        "home",
        "office",
    ]
