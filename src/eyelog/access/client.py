"""The client: a range of days of one log, from the service or the cache, as one table."""

import os
import warnings
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, Never, Self, TypedDict, Unpack

import pandas as pd

from eyelog.access.auth.application import Application
from eyelog.access.auth.credentials import Credentials
from eyelog.access.auth.token_file import Token, TokenStore
from eyelog.access.cache.day_file import day_file
from eyelog.access.day_fetcher import DayFetcher, plan
from eyelog.access.environment import (
    application_from_environment,
    base_url_from_environment,
    token_from_environment,
)
from eyelog.access.http.addresses import check_base_url
from eyelog.answers.page import join_pages
from eyelog.catalogue import COMPUTED_DATA, STANDARD_MODE_LOGS, check_fields
from eyelog.checks import whole_number
from eyelog.clock import SECOND, Zone, Zones, as_zones, instant_range, known_zones, windows
from eyelog.disk.home import home_dir
from eyelog.errors import ConfigurationError, EyelogError, EyelogWarning, argument
from eyelog.frame import in_zones
from eyelog.keywords import hands_on_to, refuse_unknown
from eyelog.provenance import record

__all__ = ["Client", "connect"]

When = str | date | datetime

MOST_WORKERS: Final = 64


class FetchOptions(TypedDict, total=False):
    """The keywords of a fetch, which are the same for both logs."""

    fields: Sequence[str] | None
    tz: Zone | None
    refresh: bool


class Client:
    """One wearer's logs at one service.

    Parameters
    ----------
    base_url : str
        The service's address.
    application : Application or None
        The application registered with the service; None if the token need not be renewed.
    token : Token, optional
        Takes precedence over the token file.
    account : str
        Your name for the wearer. The token and the cached answers are kept under it, so give each
        wearer a different name: the addresses of the service do not distinguish them.
    tz : str, Zones, or a table or .csv file of zones, optional
        The wearer's zone or zones (`eyelog.Zones`), for the days and the index. By default that of
        the setting EYELOG_TZ, otherwise UTC, with a warning when records are fetched.
    home : path, optional
        Folder of tokens and cache; by default EYELOG_HOME, else the platform's data folder.
    workers : int
        How many days are fetched at once; the pages of a day are fetched one after another.
    offline : bool
        Never ask the service: answer from the cache, whatever its age.
    progress : bool, optional
        Whether to show a progress line on stderr; by default in a terminal or notebook.

    Raises
    ------
    ConfigurationError
        If a setting is not valid.

    Notes
    -----
    Cached answers count as fresh for 5 minutes (today), for 6 hours (the last 7 days, because the
    60-second log arrives when the phone syncs), for an hour (days without records), or for ever
    (older days). ``refresh=True`` always asks the service. If the cache cannot be written, a fetch
    still returns its table, with an `EyelogWarning`.

    Examples
    --------
    >>> import eyelog as el
    >>> from tempfile import mkdtemp
    >>> application = el.Application("id", "secret", "http://127.0.0.1:8000/callback")
    >>> el.Client("https://service.example", application=application, home=mkdtemp())
    <Client 'https://service.example', account 'me', days of UTC: not logged in, 0 days cached>
    """

    def __init__(
        self,
        base_url: str,
        *,
        application: Application | None,
        token: Token | None = None,
        account: str = "me",
        tz: Zone | None = None,
        home: str | os.PathLike[str] | None = None,
        workers: int = 4,
        offline: bool = False,
        progress: bool | None = None,
    ) -> None:
        self.base_url = check_base_url(base_url)
        self.account = _check_account(account)
        with warnings.catch_warnings():  # a fetch reports it
            warnings.simplefilter("ignore", EyelogWarning)
            zones = known_zones(tz, whose="a service")
        self.tz: str | Zones = zones if zones.vary else zones.home
        self._given = tz is not None
        self.workers = whole_number(workers, "workers", 1, MOST_WORKERS)
        self.offline = bool(offline)
        self.progress = progress
        self.home: Path = home_dir(home)
        store = TokenStore(self.home, self.account, self.base_url)
        self.credentials = Credentials(self.base_url, application, token=token, store=store)
        self._fetcher = DayFetcher(self.home, self.account, self.credentials, workers=self.workers)

    def __repr__(self) -> str:
        stored = day_file(self.home, self.account, self.base_url).summary()
        days = stored["days"] if stored else 0
        cached = f"{days:,} {'day' if days == 1 else 'days'} cached"
        mode = "offline" if self.offline else self._login_state()
        return (
            f"<Client {self.base_url!r}, account {self.account!r}, days of {self.tz}:"
            f" {mode}, {cached}>"
        )

    def _login_state(self) -> str:
        try:
            return "logged in" if self.credentials.token else "not logged in"
        except EyelogError:  # a repr never fails; the next request says what is wrong
            return "its token file cannot be read"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. The client remains usable: it opens new ones."""
        self._fetcher.close()

    def exchange(self, code: str) -> Token:
        """Exchange a grant code for a token, and save it in the account's token file.

        Parameters
        ----------
        code : str
            The code in the callback URL. It can be used once.

        Returns
        -------
        Token
            The token, which the client uses from now on.

        Raises
        ------
        AuthorizationError
            If the service refuses the code or the application.
        """
        return self.credentials.exchange(code)

    def refresh(self) -> Token:
        """Get a new access token now. An expired one is also renewed without this call.

        Returns
        -------
        Token
            As from `exchange`.

        Raises
        ------
        AuthorizationError
            If there is no refresh token, or the service refuses it.
        """
        return self.credentials.refresh()

    def revoke(self) -> None:
        """Revoke the tokens of the login at the service and delete them here; cached answers stay.

        Raises
        ------
        AuthorizationError
            If there is no token.
        RequestError
            If the request fails; the token is then kept.
        """
        self.credentials.revoke()

    def _zones_of(self, tz: Zone | None) -> Zones:
        """Return the zones of a fetch: those given for it, otherwise those of the client."""
        if tz is None and self._given:
            return as_zones(self.tz)
        return known_zones(tz, whose=f"account {self.account!r}", stacklevel=5)

    def _fetch(
        self,
        log: str,
        start: When,
        end: When,
        *,
        fields: Sequence[str] | None = None,
        tz: Zone | None = None,
        refresh: bool = False,
        **unknown: Never,
    ) -> pd.DataFrame:
        refuse_unknown(unknown, f"Client.{log}")
        names = None if fields is None else check_fields(log, fields)
        zones = self._zones_of(tz)
        place = zones if zones.vary else zones.home
        if refresh and self.offline:
            raise ConfigurationError(
                f"{argument('refresh', True)} asks the service, which an offline"
                f" client never does: leave out one"
                " of the two"
            )
        first, last = instant_range(start, end, place)
        days = plan(self.account, self.base_url, log, windows(start, end, place), place, names)
        try:
            pages = self._fetcher.fetch(
                days, offline=self.offline, refresh=refresh, progress=self.progress
            )
        except KeyboardInterrupt:
            self.close()  # ends the waits of the requests under way
            raise
        for note in self._fetcher.take_notes():
            warnings.warn(note, EyelogWarning, stacklevel=3)
        frame = in_zones(join_pages(pages, log, tz=zones.home, fields=names), zones)
        _look_outside(frame, first, last)
        return record(
            frame,
            "fetch",
            log=log,
            account=self.account,
            start=str(start),
            end=str(end),
            tz=str(zones),
            fields=None if names is None else list(names),
        )

    @hands_on_to(_fetch)
    def computed_data(
        self, start: When, end: When, **options: Unpack[FetchOptions]
    ) -> pd.DataFrame:
        """Fetch the 15-second log, recorded while the phone is connected.

        Parameters
        ----------
        start, end : str, date or aware datetime
            Local days of the zone (``"2026-10-24"``), both included, or instants. The range may
            have any length; days wholly in the future are not requested.
        fields : sequence of str or str, optional
            The columns to return; by default all. A fetch of few columns is faster. The name of a
            summary (``"daily"``, ``"steps"``) stands for all fields that it needs, see
            `eyelog.needed`.
        tz : str, optional
            IANA zone of the days and the index; by default the client's.
        refresh : bool
            Ask the service even if the cache has a fresh answer.

        Returns
        -------
        DataFrame
            Index ``date``: aware stamps in the zone, sorted, unique, right-closed (a record
            stamped 10:00:00 covers the interval before it). Columns: those of `fields`, in
            catalogue order, with the dtypes and units of ``eyelog.fields("computed_data")``;
            numbers are float64, booleans "boolean", texts "string". Without data the table is
            empty and has the same columns.

        Raises
        ------
        ConfigurationError
            If the range, the zone or a datetime is not valid.
        FieldError
            If the log does not have a field.
        RequestError
            If a request fails or is refused. The days fetched before stay in the cache.
        AnswerError
            If an answer does not have the documented shape.
        NotCached
            If the client is offline and days are missing; the error lists them all.
        """
        return self._fetch(COMPUTED_DATA, start, end, **options)

    @hands_on_to(_fetch)
    def standard_mode_logs(
        self, start: When, end: When, **options: Unpack[FetchOptions]
    ) -> pd.DataFrame:
        """Fetch the 60-second log, recorded with and without the phone.

        Parameters
        ----------
        start, end : str, date or aware datetime
            Local days of the zone, both included, or instants, as for `computed_data`.
        fields, tz, refresh
            As for `computed_data`.

        Returns
        -------
        DataFrame
            Index ``date``: aware stamps in the zone, sorted, unique, right-closed. Columns: those
            of `fields`, in catalogue order, with the dtypes and units of
            ``eyelog.fields("standard_mode_logs")``; all are float64. Without data the table is
            empty and has the same columns.

        Raises
        ------
        ConfigurationError, FieldError, RequestError, AnswerError, NotCached
            As for `computed_data`.
        """
        return self._fetch(STANDARD_MODE_LOGS, start, end, **options)


def _look_outside(frame: pd.DataFrame, first: datetime, last: datetime) -> None:
    """Warn about records outside the range; they are kept."""
    index = frame.index
    if len(index) and (index[0] < first or index[-1] >= last + SECOND):
        outside = int(((index < first) | (index >= last + SECOND)).sum())
        warnings.warn(
            f"the service sent {outside} record(s) with a stamp outside the range of the request;"
            " they are kept",
            EyelogWarning,
            stacklevel=4,
        )


def _check_account(account: str) -> str:
    try:
        if isinstance(account, str) and account.strip() and account.encode():
            return account
    except UnicodeEncodeError:
        pass
    raise ConfigurationError(f"account {account!r} is not a name: give some text, such as 'anna'")


def connect(account: str = "me", **overrides: Any) -> Client:
    """Return a client set up from the environment and the token file.

    Parameters
    ----------
    account : str
        Your name for the wearer, as given to ``eyelog login``.
    **overrides
        Any parameter of `Client`, instead of the setting in the environment.

    Returns
    -------
    Client
        Set up from ``EYELOG_BASE_URL``, ``EYELOG_CLIENT_ID``, ``EYELOG_CLIENT_SECRET`` and
        ``EYELOG_REDIRECT_URI``; if set, ``EYELOG_ACCESS_TOKEN`` and ``EYELOG_REFRESH_TOKEN`` are
        used instead of the token file.

    Raises
    ------
    ConfigurationError
        If a setting is missing or not valid.

    Examples
    --------
    >>> import eyelog as el
    >>> from tempfile import mkdtemp
    >>> el.connect("anna", base_url="https://service.example", home=mkdtemp(), offline=True)
    <Client 'https://service.example', account 'anna', days of UTC: offline, 0 days cached>
    """
    base_url = overrides.pop("base_url", None) or base_url_from_environment()
    if "application" not in overrides:
        overrides["application"] = application_from_environment()
    if "token" not in overrides:
        overrides["token"] = token_from_environment()
    return Client(base_url, account=account, **overrides)
