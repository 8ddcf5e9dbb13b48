"""The service inside a notebook, a script or a test; needs the extra ``[service]``.

The service itself is imported when a function is called, so these names can be imported and
documented without the extra.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from eyelog.errors import ConfigurationError
from eyelog.fetch.oauth import Application

if TYPE_CHECKING:
    from eyelog.archive.store import Archive

# Nothing listens there: the caller of `register` already has the code and needs no redirect.
_REDIRECT = "http://127.0.0.1/callback"


class Registered(NamedTuple):
    """What a client needs to log in: the application, and a code that can be used once."""

    application: Application
    code: str

    def __repr__(self) -> str:
        return f"Registered({self.application!r})"  # a cell that shows it must not store the code


@contextmanager
def serve(
    archive: "Archive | str | os.PathLike[str]", *, page_size: int = 500, port: int = 0
) -> Generator[str]:
    """Run the service on an archive for the length of a ``with`` block.

    Only this machine can reach it. For a service that others use, or that outlives the program,
    run `eyelog serve`.

    Parameters
    ----------
    archive : Archive or path
        The archive, or its folder.
    page_size : int
        The largest number of records in one answer.
    port : int
        TCP port; 0 lets the system choose a free one.

    Yields
    ------
    str
        The address (``http://127.0.0.1:PORT``), which answers until the block ends.

    Raises
    ------
    ConfigurationError
        If the extra ``[service]`` is not installed, the archive does not exist or is not on this
        machine, or the port is in use.

    Examples
    --------
    >>> import eyelog as el
    >>> from tempfile import mkdtemp
    >>> archive = el.Archive(mkdtemp())
    >>> written = archive.write("computed_data", el.simulate("2025-10-20", 1), account="anna")
    >>> application, code = el.register(archive, "anna")
    >>> with el.serve(archive) as address:
    ...     client = el.Client(address, application=application, account="anna", home=mkdtemp())
    ...     token = client.exchange(code)
    ...     frame = client.computed_data("2025-10-20", "2025-10-20", tz="UTC")
    >>> frame.shape
    (1273, 74)
    """
    from eyelog_service import require

    require("service")
    from eyelog_service.app import running

    with running(_folder(archive), page_size=page_size, port=port) as address:
        yield address


def register(archive: "Archive | str | os.PathLike[str]", account: str) -> Registered:
    """Prepare a first login: an account, an application and a grant code on an archive's service.

    Parameters
    ----------
    archive : Archive or path
        The archive that the service runs on, or its folder.
    account : str
        The wearer's account in the archive. It is added to the service if it is not there.

    Returns
    -------
    Registered
        A named tuple with ``application``, a new `eyelog.Application` on each call, and ``code``
        (str), which `eyelog.Client.exchange` takes once, within ten minutes.

    Raises
    ------
    ConfigurationError
        If the extra ``[service]`` is not installed, the name is not valid for an account, or the
        archive is not on this machine.

    Notes
    -----
    On the command line these are `eyelog service add-account`, `eyelog service add-application`
    and `eyelog service issue-code`. The account has no password: only codes log it in.

    Examples
    --------
    >>> import eyelog as el
    >>> from tempfile import mkdtemp
    >>> application, code = el.register(mkdtemp(), "anna")
    >>> application.redirect_uri
    'http://127.0.0.1/callback'
    """
    from eyelog_service import require

    require("service")
    from eyelog_service.grants import Registry

    if not isinstance(account, str):
        raise ConfigurationError(
            f"an account is named by text, such as 'anna', not by a {type(account).__name__}"
        )
    registry = Registry(_folder(archive))
    if account not in registry.accounts.names():
        registry.accounts.add(account)
    client_id, client_secret = registry.applications.add(_REDIRECT)
    code = registry.grants.issue_code(account, client_id, _REDIRECT)
    return Registered(Application(client_id, client_secret, _REDIRECT), code)


def _folder(archive: "Archive | str | os.PathLike[str]") -> "str | os.PathLike[str]":
    return archive if isinstance(archive, str | os.PathLike) else archive.path
