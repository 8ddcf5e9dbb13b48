"""For how long each study keeps the records of its wearers."""

from eyelog.service.auth.accounts import Accounts
from eyelog.service.auth.state import State

__all__ = ["Retention"]


class Retention:
    """The days for which studies keep records; a study without them keeps records forever.

    Parameters
    ----------
    state : State
        The service's state.
    accounts : Accounts
        The accounts, each of which may belong to a study.
    """

    def __init__(self, state: State, accounts: Accounts) -> None:
        self._state = state
        self._accounts = accounts

    def days(self) -> dict[str, int]:
        """Return the days of each study that has a retention, sorted by the study's name."""
        return dict(sorted(self._state.rows("SELECT study, days FROM retention")))

    def days_of(self, account: str) -> int | None:
        """Return for how many days the records of an account are kept; None for no limit."""
        rows = self._state.rows(
            "SELECT days FROM retention WHERE study = (SELECT study FROM account WHERE name = ?)",
            account,
        )
        return rows[0][0] if rows else None

    def set(self, study: str, days: int | None) -> None:
        """Set for how many days a study keeps records; None for no limit.

        Raises
        ------
        ConfigurationError
            If no account belongs to the study.
        """
        self._accounts.in_study(study)
        with self._state.write() as db:
            db.execute("DELETE FROM retention WHERE study = ?", (study,))
            if days is not None:
                db.execute("INSERT INTO retention VALUES (?, ?)", (study, days))
