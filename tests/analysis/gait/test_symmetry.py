"""How alike the right and the left side are."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eyelog as el
from support.frames import EYES, frame_of


def walked(steps: list[float], cadence: float = 120.0) -> pd.DataFrame:
    return frame_of(EYES, {"stp": steps, "cad": [cadence if s else np.nan for s in steps]})


def test_a_bout_tells_pace_vibration_landing_and_symmetry() -> None:
    sides = {"st_r": 0.52, "st_l": 0.46, "sa_xr": 2, "sa_xl": 1, "sa_zr": 4, "sa_zl": 3}
    frame = walked([30] * 4).assign(**{k: float(v) for k, v in sides.items()})
    row = el.gait.bouts(frame).iloc[0]
    assert row["pace_spm"] == pytest.approx(120)
    assert row["sway_sideways_cm"] == 1.5
    assert row["sway_vertical_cm"] == 3.5
    assert np.isnan(row["sway_fore_aft_cm"])
    assert row["landing_g"] == pytest.approx(0.49)
    assert row["landing_symmetry"] == pytest.approx(12.2448980)


def test_symmetry_of_the_published_example() -> None:
    index, ratio, angle = el.gait.symmetry(5.2, 4.6)
    assert index == pytest.approx(12.2448980, abs=1e-7)
    assert ratio == pytest.approx(5.2 / 4.6)
    # Zifchock et al. 2008: (45 - atan(4.6 / 5.2)) / 90
    assert angle == pytest.approx(100 * (45 - np.degrees(np.arctan(4.6 / 5.2))) / 90)


def test_symmetry_is_unsigned_unless_asked() -> None:
    assert tuple(el.gait.symmetry(4.6, 5.2)) == pytest.approx(tuple(el.gait.symmetry(5.2, 4.6)))
    signed = el.gait.symmetry(4.6, 5.2, signed=True)
    assert signed.index == pytest.approx(-12.2448980)
    assert signed.ratio == pytest.approx(4.6 / 5.2)
    assert signed.angle < 0


def test_equal_sides_are_symmetric_and_missing_sides_are_missing() -> None:
    assert tuple(el.gait.symmetry(3.0, 3.0)) == (0.0, 1.0, 0.0)
    for sides in ((np.nan, 1.0), (0.0, 0.0), (-1.0, 2.0)):
        assert np.isnan(el.gait.symmetry(*sides)).all()


def test_sides_that_are_series_are_compared_row_by_row() -> None:
    right, left = pd.Series([5.2, np.nan], index=["a", "b"]), pd.Series([4.6, 1], index=["a", "b"])
    found = el.gait.symmetry(right, left)
    assert found.index.round(7).tolist()[0] == 12.244898
    assert np.isnan(found.index["b"])
    assert found.angle.index.tolist() == ["a", "b"]


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.floats(0.1, 10))
def test_symmetry_does_not_depend_on_the_unit(right: float, left: float, unit: float) -> None:
    np.testing.assert_allclose(
        el.gait.symmetry(right, left),
        el.gait.symmetry(right * unit, left * unit),
        rtol=1e-6,
        atol=1e-9,
    )
