"""The project's own client against the service: what is archived is what is fetched."""

import datetime as dt
from pathlib import Path

import pandas as pd
import pandas.testing as pdt
import pytest

import eyelog as el
from support import live
from support.logs import LOGS
from support.records import records


def _client(there: live.Live, home: Path, account: str = "ada", **settings: object) -> el.Client:
    application = el.Application(there.client_id, there.client_secret, there.redirect_uri)
    return el.Client(there.url, application=application, account=account, home=home, **settings)  # type: ignore[arg-type]  # settings as given


@pytest.mark.parametrize("tz", ["Asia/Tokyo", "America/St_Johns"])
def test_a_fetch_gives_the_frame_that_was_archived(tmp_path: Path, tz: str) -> None:
    # Three local days around the end of summer time in Newfoundland, a hole and a month's end.
    frames = {
        log: records(log, "2025-10-31 03:00", n, seed=3).drop_duplicates()
        for log, n in zip(LOGS, (12_000, 3_500), strict=True)
    }
    frames = {log: frame.drop(frame.index[500:700]) for log, frame in frames.items()}
    with live.service(tmp_path / "a", {"ada": list(frames.values())}) as there:
        client = _client(there, tmp_path / "home", tz=tz)
        client.exchange(there.code("ada"))
        archive = el.Archive(tmp_path / "a")
        for log in LOGS:
            fetched = getattr(client, log)("2025-10-31", "2025-11-02")
            kept = archive.read(log, "2025-10-31", "2025-11-02", account="ada", tz=tz)
            pdt.assert_frame_equal(fetched, kept)
            assert len(fetched) > 2000


def test_an_expired_token_is_refreshed_on_the_way_and_a_revoked_one_is_gone(
    tmp_path: Path,
) -> None:
    frame = records("standard_mode_logs", "2025-10-24 00:01", 30)
    with live.service(tmp_path / "a", {"ada": [frame]}) as there:
        client = _client(there, tmp_path / "home")
        first = client.exchange(there.code("ada"))
        there.expire_token(first.access_token)
        assert len(client.standard_mode_logs("2025-10-24", "2025-10-24")) == 30
        assert first.expires_at > dt.datetime.now(dt.UTC) + dt.timedelta(days=29)
        client.revoke()
        with pytest.raises(el.AuthorizationError):
            client.standard_mode_logs("2025-10-24", "2025-10-24", refresh=True)


def test_a_token_of_another_wearer_shows_only_that_wearers_records(tmp_path: Path) -> None:
    ada = records("standard_mode_logs", "2025-10-24 00:01", 30)
    bea = records("standard_mode_logs", "2025-10-24 05:01", 20, seed=5)
    with live.service(tmp_path / "a", {"ada": [ada], "bea": [bea]}) as there:
        fetched: dict[str, pd.DataFrame] = {}
        for account in ("ada", "bea"):
            client = _client(there, tmp_path / "home", account)
            client.exchange(there.code(account))
            fetched[account] = client.standard_mode_logs("2025-10-24", "2025-10-24")
        assert len(fetched["ada"]) == 30
        assert len(fetched["bea"]) == 20
