"""Whatever a service answers is a typed error, and is not stored."""

from pathlib import Path

import pytest

import eyelog as el
from support import faulty, hostile
from support.fetching import client_of


@pytest.mark.parametrize("body", hostile.BODIES.values(), ids=hostile.BODIES)
def test_a_hostile_answer_is_a_typed_error_and_leaves_nothing(home: Path, body: bytes) -> None:
    with faulty.server(faulty.Answer(200, body)) as there, client_of(there, home) as client:
        with pytest.raises(el.AnswerError, match=r"account 'me', 2024-03-01") as caught:
            client.standard_mode_logs("2024-03-01", "2024-03-01")
        assert there.count() == 1
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 500
    assert not list(home.glob("cache/*/*"))


def test_records_of_one_stamp_on_two_pages_that_differ_are_named(home: Path) -> None:
    def pages(request: faulty.Request) -> faulty.Answer:
        second = "cursor" in request.query
        record = {"date": hostile.DATE, "stp_s": 2 if second else 1}
        body = {hostile.LOG: {"1": [record]}, "cursor": None if second else "next"}
        return faulty.answer(body)

    with (
        faulty.server(pages) as there,
        client_of(there, home) as client,
        pytest.raises(
            el.AnswerError,
            match=r"account 'me', 2024-03-01: hour '1', record 1 of 1, field 'stp_s': it differs",
        ),
    ):
        client.standard_mode_logs("2024-03-01", "2024-03-01")
    assert not list(home.glob("cache/*/*"))
