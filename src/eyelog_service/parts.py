"""What the endpoints of one running service share.

The application keeps one such object; `parts_of` returns it, with its types, to any endpoint.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anyio import CapacityLimiter
from starlette.requests import Request

if TYPE_CHECKING:  # these rooms have the endpoints, and so import this module
    from eyelog_service.apart import Apart
    from eyelog_service.audit import Audit
    from eyelog_service.auth.forms import Sessions, SignedForms
    from eyelog_service.auth.password_tries import PasswordTries
    from eyelog_service.auth.registry import Registry
    from eyelog_service.hourly_limit import HourlyLimits
    from eyelog_service.middleware import Proxy
    from eyelog_service.records import Cursors, Windows
    from eyelog_service.status import LastWrite
    from eyelog_service.uploads import Uploads
    from eyelog_service.wearer_data import Downloads


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The stores, counters and limits of one application; each has its own documentation."""

    registry: "Registry"
    audit: "Audit"
    proxy: "Proxy"
    apart: "Apart"
    page_limits: "HourlyLimits | None"
    page_size: int
    windows: "Windows"
    cursors: "Cursors"
    uploads: "Uploads"
    downloads: "Downloads"
    login_forms: "SignedForms"
    account_forms: "SignedForms"
    invitation_forms: "SignedForms"
    password_tries: "PasswordTries"
    sessions: "Sessions"
    last_write: "LastWrite"
    pages_at_once: CapacityLimiter
    health_at_once: CapacityLimiter


def parts_of(request: Request) -> Parts:
    """Return the parts of the application that answers `request`."""
    parts: Parts = request.app.state.parts
    return parts
