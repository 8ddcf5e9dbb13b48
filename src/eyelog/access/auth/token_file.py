"""The token and its file: 0600 in a 0700 folder, replaced atomically, locked between processes."""

import contextlib
import json
import os
import re
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from eyelog.disk.files import whole_file
from eyelog.disk.home import make_private
from eyelog.errors import AuthorizationError, ConfigurationError, EyelogWarning, Unreachable

__all__ = ["Token", "TokenStore", "token_files"]

MARGIN = timedelta(seconds=10)
"""A token this close to its end counts as expired, because a request takes time."""

LOCK_SECONDS = 90.0
"""How long to wait for the refresh of another process: longer than one can take."""


@dataclass(frozen=True)
class Token:
    """A token of the service. `repr` shows neither of the two secrets.

    Parameters
    ----------
    access_token : str
        Sent with each request. May be empty if there is a refresh token.
    refresh_token : str, optional
        Needed for a new access token; it does not expire.
    token_type : str
        "Bearer", in upper or lower case.
    expires_at : datetime, optional
        Aware; None if unknown.
    scope : str
        The permissions that the wearer granted.

    Raises
    ------
    ConfigurationError
        If a value is not valid.

    Examples
    --------
    >>> import eyelog as el
    >>> el.Token("a-secret", scope="main")
    Token(token_type='Bearer', expires_at=None, scope='main')
    """

    access_token: str = field(repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    token_type: str = "Bearer"  # noqa: S105 - the name of a type
    expires_at: datetime | None = None
    scope: str = ""

    def __post_init__(self) -> None:
        for name in ("access_token", "refresh_token"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, str) and _is_plain(value)):
                raise ConfigurationError(
                    f"{name} is not valid: it must be text without blanks or control characters"
                )
        if not self.access_token and not self.refresh_token:
            raise ConfigurationError("a token needs an access_token, a refresh_token, or both")
        if str(self.token_type).lower() != "bearer":
            raise ConfigurationError(
                f"token type {self.token_type!r} is not supported: the service issues 'Bearer'"
            )
        if self.expires_at is not None and self.expires_at.tzinfo is None:
            raise ConfigurationError("expires_at has no time zone: give an aware datetime")

    def expired(self, margin: timedelta = MARGIN) -> bool:
        """Return whether the access token ends within `margin` of now.

        Parameters
        ----------
        margin : timedelta
            A token this close to its end counts as expired: a request takes time.

        Returns
        -------
        bool
            False if the end is unknown.

        Examples
        --------
        >>> from datetime import UTC, datetime
        >>> import eyelog as el
        >>> el.Token("token", expires_at=datetime(2024, 1, 1, tzinfo=UTC)).expired()
        True
        """
        return self.expires_at is not None and datetime.now(UTC) >= self.expires_at - margin


def _is_plain(text: str) -> bool:
    """Return whether `text` may be used in a header: visible ASCII only."""
    return all("!" <= c <= "~" for c in text)


def token_files(home: Path, account: str) -> list[Path]:
    """Return the token files of an account at every service, with what belongs to them, sorted."""
    folder = Path(home) / "tokens"
    paths: set[Path] = set()
    own = re.compile(rf"\.?({re.escape(_stem(account))}-[0-9a-f]{{16}})\.")
    for path in folder.iterdir() if folder.is_dir() else ():
        match = own.match(path.name)
        if match is None:
            continue
        whole = folder / f"{match[1]}.json"
        # Several names share a stem. Files whose token file is gone belong to nobody else.
        if not whole.exists() or _owner(whole) in (account, None):
            paths.add(path)
    return sorted(paths)


def _owner(path: Path) -> str | None:
    """Return the account of a token file; None if the file is damaged."""
    try:
        return str(json.loads(path.read_bytes())["account"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _stem(account: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]+", "_", account)[:32]


class TokenStore:
    """The token file of one account at one service.

    Parameters
    ----------
    home : Path
        The folder of `home_dir`. Nothing is created before a token is saved.
    account : str
        The account's name.
    base_url : str
        The service's address.
    """

    def __init__(self, home: Path, account: str, base_url: str) -> None:
        self.account = account
        self.base_url = base_url
        key = sha256(f"{base_url}\n{account}".encode()).hexdigest()[:16]
        self.path = Path(home) / "tokens" / f"{_stem(account)}-{key}.json"

    def __repr__(self) -> str:
        return f"TokenStore({str(self.path)!r})"

    def load(self) -> Token | None:
        """Return the saved token; None if there is none.

        Raises
        ------
        AuthorizationError
            If the file is damaged.
        ConfigurationError
            If it cannot be read, or is a symbolic link.
        """
        try:
            handle = os.open(self.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        except OSError as fault:
            what = "is a symbolic link" if self.path.is_symlink() else fault.strerror
            raise ConfigurationError(f"cannot read the token file {self.path}: {what}") from fault
        with os.fdopen(handle, "rb") as file:
            self._close_to_others(handle)
            content = file.read()
        try:
            saved = json.loads(content)
            if (saved.pop("account"), saved.pop("base_url")) != (self.account, self.base_url):
                raise ValueError("it belongs to another account")
            ends = saved.pop("expires_at")
            return Token(**saved, expires_at=ends and datetime.fromisoformat(ends))
        except (AttributeError, ValueError, KeyError, TypeError):
            # No cause: it could quote the content.
            raise AuthorizationError(
                f"the token file {self.path} is damaged: run `eyelog login` again"
            ) from None

    def _close_to_others(self, handle: int) -> None:
        if os.name != "posix" or not os.fstat(handle).st_mode & 0o077:
            return
        warnings.warn(
            f"other users could read the token file {self.path}; it is now 0600. If others use this"
            " machine, run `eyelog logout` and `eyelog login`",
            EyelogWarning,
            stacklevel=4,
        )
        with contextlib.suppress(OSError):
            os.fchmod(handle, 0o600)

    def save(self, token: Token) -> None:
        """Replace the file with one that has `token`, completely or not at all.

        Raises
        ------
        ConfigurationError
            If it cannot be written.
        """
        content = {"account": self.account, "base_url": self.base_url, **asdict(token)}
        self._make_folder()
        try:
            with whole_file(self.path) as file:
                file.write(json.dumps(content, default=datetime.isoformat).encode())
        except OSError as fault:
            raise ConfigurationError(
                f"cannot write the token file {self.path}: {fault.strerror}"
            ) from fault

    def _make_folder(self) -> None:
        make_private(self.path.parent)
        with contextlib.suppress(OSError):
            self.path.parent.chmod(0o700)

    def delete(self) -> None:
        """Remove the file, if there is one."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as fault:
            raise ConfigurationError(
                f"cannot remove the token file {self.path}: {fault.strerror}"
            ) from fault

    @contextlib.contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other processes (and threads) that want this lock out of the block.

        Raises
        ------
        Unreachable
            If another process holds it for too long.
        ConfigurationError
            If the folder cannot be written, which should be noticed before a refresh, not after it.
        """
        self._make_folder()
        guard = FileLock(self.path.with_suffix(".lock"), timeout=LOCK_SECONDS, mode=0o600)
        try:
            guard.acquire()
        except Timeout:
            raise Unreachable(
                f"another process has been refreshing the token of account {self.account!r} for"
                f" {LOCK_SECONDS:.0f} s: try again later",
                retryable=True,
            ) from None
        except (OSError, NotImplementedError) as fault:
            raise ConfigurationError(f"cannot lock the token file {self.path}: {fault}") from fault
        try:
            yield
        finally:
            guard.release()
