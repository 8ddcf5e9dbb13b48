"""The registered application, and the address of its login page."""

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from eyelog.access.http.addresses import check_base_url, check_redirect_uri
from eyelog.errors import ConfigurationError

__all__ = ["Application", "authorize_url"]


@dataclass(frozen=True)
class Application:
    """An application registered with the service. `repr` hides its secret.

    Parameters
    ----------
    client_id, client_secret : str
        As issued at registration.
    redirect_uri : str
        Exactly as registered.

    Raises
    ------
    ConfigurationError
        If one of them is empty, or the redirect URI is not absolute.

    Examples
    --------
    >>> import eyelog as el
    >>> el.Application("id", "secret", "http://127.0.0.1:8000/callback")
    Application(client_id='id', redirect_uri='http://127.0.0.1:8000/callback')
    """

    client_id: str
    client_secret: str = field(repr=False)
    redirect_uri: str

    def __post_init__(self) -> None:
        for name in ("client_id", "client_secret"):
            value = getattr(self, name)
            if not isinstance(value, str) or not value.strip():
                raise ConfigurationError(f"{name} is empty: give the one that the service issued")
        object.__setattr__(self, "redirect_uri", check_redirect_uri(self.redirect_uri))


def authorize_url(
    base_url: str,
    application: Application,
    *,
    state: str,
    code_challenge: str,
    redirect_uri: str | None = None,
    page: str | None = None,
) -> str:
    """Return the address at which the wearer logs in and consents.

    Parameters
    ----------
    base_url : str
        The service's address.
    application : Application
        The application that asks.
    state, code_challenge : str
        RFC 6749 section 10.12 and RFC 7636 (S256).
    redirect_uri : str, optional
        The one to send, if its port differs from the registered one (RFC 8252 section 7.3).
    page : str, optional
        The address of the login page, further parameters as its query; by default the service's
        own page.

    Raises
    ------
    ConfigurationError
        If the page is not an address, or sets a parameter that is set here.
    """
    address = check_base_url(
        page or f"{base_url}/v1/oauth/authorize", name="EYELOG_AUTHORIZE_URL", query=True
    )
    parts = urlsplit(address)
    further = parse_qsl(parts.query, keep_blank_values=True)
    own = {
        "response_type": "code",
        "client_id": application.client_id,
        "redirect_uri": redirect_uri or application.redirect_uri,
        "state": state,
        "code_challenge": code_challenge,
        "code_challenge_method": "S256",
    }
    for name, _ in further:
        if name in own:
            raise ConfigurationError(
                f"EYELOG_AUTHORIZE_URL sets {name!r}, which eyelog sets itself: leave it out"
            )
    return urlunsplit(parts._replace(query=urlencode([*own.items(), *further])))
