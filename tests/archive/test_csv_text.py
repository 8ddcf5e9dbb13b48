"""Texts that a spreadsheet cannot run, and that come back as they were."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.archive.export import header_cell, written
from eyelog.read.format import text_of
from support.logs import LOGS

ODD = ["=1+1", "@x", "+1", "-1", "\tx", " a ", "", "nan", "12", "1e5", "true", '"a"', "a\nb", "NA"]
FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - the letters meant
TEXTS = st.one_of(st.text(max_size=8), st.sampled_from(ODD))


def cells_of(texts: list[str | None], *, known: bool) -> list[str | None]:
    column = pa.chunked_array([pa.array(texts, pa.string())])
    cells: list[str | None] = written(column, documented=known).to_pylist()
    return cells


@given(st.lists(TEXTS, min_size=1), st.booleans())
def test_no_cell_begins_as_a_formula_and_every_text_comes_back(
    texts: list[str], known: bool
) -> None:
    cells = cells_of(list(texts), known=known)
    assert [cell for cell in cells if cell is not None and cell.startswith(FORMULA)] == []
    assert [text_of(str(cell)) for cell in cells] == texts


def test_a_text_that_looks_like_a_value_is_marked_where_the_type_is_not_known() -> None:
    texts = ["12", "true", "", "NA", "x"]
    assert cells_of(list(texts), known=True) == texts
    assert cells_of(list(texts), known=False) == ['"12"', '"true"', '""', '"NA"', "x"]


def test_a_cell_in_quotation_marks_that_is_not_json_stays() -> None:
    assert text_of('"a"b"') == '"a"b"'
    assert text_of('"') == '"'


@pytest.mark.parametrize("log", LOGS)
def test_a_field_keeps_its_name_and_a_name_that_could_be_taken_for_one_is_marked(log: str) -> None:
    assert header_cell("date", log) == "date"
    assert header_cell("bl", log) == "bl"
    assert header_cell("unheard", log) == "unheard"
    for name in ("STP", "stepCount", "=1", " bl", ""):
        assert text_of(header_cell(name, log)) == name
        assert header_cell(name, log) != name
