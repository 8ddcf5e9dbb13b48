"""One good answer for the tests over HTTP."""

from support import faulty

PAYLOAD = {"computed_data": {"9": [{"date": "2026-10-24T09:00:00+00:00", "n": 1}] * 50}}


GOOD = faulty.answer(PAYLOAD)
