"""Tokens end together, and what is counted is what could still be used."""

from eyelog_service.ended import end
from eyelog_service.grants import Registry
from support.live import REDIRECT


def test_an_error_later_in_the_transaction_leaves_the_tokens_valid(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    code = registry.grants.issue_code("ada", application[0], REDIRECT)
    try:
        with registry.state.write() as db:
            end(db)
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
    assert len(registry.grants.issued()) == 2
    registry.grants.exchange(code, application[0], REDIRECT, None)
