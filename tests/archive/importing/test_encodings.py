"""Text that is not UTF-8 is recognised where it is certain, and otherwise left as it is."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyelog.archive.importing.encodings import is_cp932, recoded


@given(st.text(max_size=200), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf_16_becomes_the_same_text_in_utf_8(text: str, encoding: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    stream = recoded(io.BytesIO(text.encode(encoding)), encoding)
    assert stream.read().decode() == text


def test_a_character_cut_off_at_the_end_spoils_only_itself() -> None:
    content = "date,stp\n1,2\n".encode("utf-16-le") + "\ud83d".encode("utf-16-le", "surrogatepass")
    for end in (len(content), len(content) - 1):
        text = recoded(io.BytesIO(content[:end]), "utf-16-le").read().decode()
        assert text.startswith("date,stp\n1,2\n")
        assert text.endswith("�")


@pytest.mark.parametrize("words", ["散歩,晴れ", "ﾒﾓ", "①髙橋", "表示,ソ"])
def test_japanese_in_cp932_is_recognised_and_in_utf_8_is_not(words: str) -> None:
    lines = f"date,stp\n{words}\n{words}\n"
    assert is_cp932(lines.encode("cp932"))
    assert not is_cp932(lines.encode())


@pytest.mark.parametrize(
    "lines",
    [
        b"date,stp\n1,2\n",
        "früh,spät\n".encode("latin-1"),
        "fröhlich\n".encode("latin-1"),  # in cp932, characters of private use
        b"date\xff\n",
        "散歩\n散歩\n".encode() + "散歩\n".encode("cp932"),
        "散歩\n".encode()[:-2] + b"\n" + "晴れ\n散歩\n".encode(),
    ],
)
def test_what_is_not_certainly_cp932_stays_as_it_is(lines: bytes) -> None:
    assert not is_cp932(lines)
