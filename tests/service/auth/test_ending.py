"""Tokens end together, and what is counted is what could still be used."""

from eyelog.service.auth.ending import end
from eyelog.service.auth.registry import Registry
from support.live import REDIRECT


def test_ending_counts_each_token_once(
    registry: Registry, application: tuple[str, str], tokens: tuple[str, str]
) -> None:
    client_id, _ = application
    registry.grants.refresh(tokens[1], client_id)
    with registry.state.write() as db:
        (ended,) = end(db, account="ada")
        assert end(db) == []
    assert (ended.account, ended.client_id, ended.name) == ("ada", client_id, "")
    assert (ended.refresh, ended.access) == (1, 2)


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
