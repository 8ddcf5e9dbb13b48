"""A body is decompressed whole, and never beyond the size that an answer can have."""

import gzip
import tracemalloc

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from requests.exceptions import ContentDecodingError

import eyelog as el
from eyelog.fetch import session
from support import faulty

PACK = {"gzip": gzip.compress, "zstd": zstandard.compress}
MANY = 800 << 20


def bomb(how):
    """A few hundred kilobytes that become 800 MB."""
    if how == "gzip":
        return gzip.compress(bytes(MANY), compresslevel=1)
    return zstandard.compress(bytes(MANY))


@pytest.mark.parametrize("how", PACK)
def test_a_small_answer_that_becomes_huge_is_stopped_and_not_asked_again(get, how):
    answer = faulty.Answer(200, bomb(how), {"Content-Encoding": how})
    with faulty.server(answer) as there:
        tracemalloc.start()
        try:
            with pytest.raises(
                el.Unreachable, match=r"larger than 64 MB.*a full day.*7 MB"
            ) as caught:
                get(there)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert len(there.requests) == 1
    assert not caught.value.retryable
    assert peak < 300 << 20


def test_a_body_without_an_end_is_stopped_and_not_asked_again(get):
    with faulty.server(faulty.endless()) as there:
        with pytest.raises(el.Unreachable, match=r"Sunday.*larger than 64 MB.*ask the operator"):
            get(there)
        assert len(there.requests) == 1


@pytest.mark.parametrize("how", PACK)
def test_a_body_of_just_the_largest_size_is_read(monkeypatch, how):
    monkeypatch.setattr(session, "MOST_BYTES", 5000)
    assert session.decompressed(PACK[how](bytes(5000)), how) == bytes(5000)
    with pytest.raises(session.TooLarge):
        session.decompressed(PACK[how](bytes(5001)), how)


@given(
    parts=st.lists(st.binary(max_size=3000), min_size=1, max_size=4),
    how=st.sampled_from(sorted(PACK)),
)
def test_bodies_of_several_compressed_parts_are_read_whole(parts, how):
    packed = b"".join(PACK[how](part) for part in parts)
    assert session.decompressed(packed, how) == b"".join(parts)


@given(
    plain=st.binary(min_size=1, max_size=3000), cut=st.floats(0, 1), how=st.sampled_from([*PACK])
)
def test_a_compressed_body_that_was_cut_short_raises_wherever_the_cut_is(plain, cut, how):
    packed = PACK[how](plain)
    short = packed[: 1 + int(cut * (len(packed) - 2))]
    with pytest.raises(ContentDecodingError, match="cut short or damaged"):
        session.decompressed(short, how)
