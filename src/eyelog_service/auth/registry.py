"""The state of the service between requests: accounts, applications, codes, tokens, its key.

Only hashes of codes, tokens and secrets are stored, and a salted scrypt of each password.
"""

import os
import time

from eyelog.errors import ConfigurationError
from eyelog_service.auth.accounts import Accounts, Applications, Retention
from eyelog_service.auth.grants import Grants
from eyelog_service.auth.state import State
from eyelog_service.auth.tables import add_key, run

_KEY_SECONDS = 1.0


class Registry:
    """What the service on one archive keeps between requests: one store for each of its tables.

    Parameters
    ----------
    archive_path : path or URL
        The archive's folder, or a URL such as ``s3://bucket/archive``.
    state : path or URL, optional
        The folder of ``_service.sqlite`` (0600), by default the archive's folder; or the address of
        a database, ``postgresql://USER@HOST/NAME``, which several hosts share. File and tables are
        created by the first account or application added, or by `signing_key` when a service
        starts.
    local : path, optional
        With a database, the folder of this host for incoming files and the audit log; by default
        the archive's folder.

    Attributes
    ----------
    state : State
        The file or database in which all of them are.
    archive : Path or str
        The archive's folder, or its URL in an object store.
    folder : Path
        The archive's folder; that of the state, if the archive is in an object store.
    state_folder : Path
        The folder of the state's file; with a database, that of this host.
    accounts : Accounts
        The wearers.
    applications : Applications
        What may ask wearers for access.
    grants : Grants
        The codes and tokens that applications and wearers have.
    retention : Retention
        For how long each study keeps records.

    Raises
    ------
    ConfigurationError
        If the archive is not local and no folder is given, the state is in the archive and not in
        `state`, or the file or database cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> from eyelog_service.auth.registry import Registry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     registry = Registry(folder)
    ...     registry.accounts.add("ada")
    ...     client_id, client_secret = registry.applications.add("http://127.0.0.1/callback")
    ...     code = registry.grants.issue_code("ada", client_id, "http://127.0.0.1:5000/callback")
    ...     registry.accounts.names()
    ['ada']
    """

    def __init__(
        self,
        archive_path: str | os.PathLike[str],
        state: str | os.PathLike[str] | None = None,
        local: str | os.PathLike[str] | None = None,
    ) -> None:
        self.state = State(archive_path, state, local)
        self.archive = self.state.archive
        self.folder = self.state.beside
        self.state_folder = self.state.folder
        self.accounts = Accounts(self.state)
        self.applications = Applications(self.state)
        self.grants = Grants(self.state, self.accounts, self.applications)
        self.retention = Retention(self.state, self.accounts)
        self._key: tuple[float, bytes] | None = None

    def __repr__(self) -> str:
        return f"Registry({str(self.folder)!r})"

    def require_state(self) -> None:
        """Raise `ConfigurationError` if no service was set up."""
        self.state.require()

    def signing_key(self) -> bytes:
        """Return the key that signs cursors, forms and cookies; it is created with the file.

        It is read again after a second, so that a running service notices a new key.
        """
        now = time.monotonic()
        if self._key is None or now - self._key[0] > _KEY_SECONDS:
            self._key = now, self._read_key()
        return self._key[1]

    def rotate_key(self) -> None:
        """Replace the signing key: cursors, open login pages and cookies of browsers end."""
        self.state.prepare()
        with self.state.write() as db:
            run(db, "DELETE FROM meta WHERE name = 'signing_key'")
            add_key(db)
        self._key = None

    def _read_key(self) -> bytes:
        if self._key is None:
            self.state.prepare()
        rows = self.state.rows("SELECT value FROM meta WHERE name = 'signing_key'")
        if rows:
            return bytes(rows[0][0])
        if self._key is not None:  # the file was moved away under a running service
            return self._key[1]
        raise ConfigurationError(
            f"the service's state in {self.state.name} has no signing key:"
            " eyelog service rotate-key makes one"
        )
