"""What the endpoints of one running service share.

The application keeps one such object; `parts_of` returns it, with its types, to any endpoint.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from anyio import CapacityLimiter
from starlette.requests import Request

if TYPE_CHECKING:  # these rooms have the endpoints, and so import this module
    from eyelog.service.account.download import Downloads
    from eyelog.service.account.wearer_session import Sessions
    from eyelog.service.apart import Apart
    from eyelog.service.audit import Audit
    from eyelog.service.auth.password_tries import PasswordTries
    from eyelog.service.auth.registry import Registry
    from eyelog.service.auth.signed_forms import SignedForms
    from eyelog.service.hourly_limit import HourlyLimits
    from eyelog.service.metrics import Metrics, NoMetrics
    from eyelog.service.proxy import Proxy
    from eyelog.service.records.paging import Cursors
    from eyelog.service.records.windows import Windows
    from eyelog.service.staff.staff_routes import Staff
    from eyelog.service.status import LastWrite
    from eyelog.service.uploads.upload_routes import Uploads

__all__ = ["Parts", "parts_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The stores, counters and limits of one application; each has its own documentation."""

    registry: "Registry"
    audit: "Audit"
    proxy: "Proxy"
    metrics: "Metrics | NoMetrics"
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
    staff: "Staff"
    last_write: "LastWrite"
    pages_at_once: CapacityLimiter
    health_at_once: CapacityLimiter


def parts_of(request: Request) -> Parts:
    """Return the parts of the application that answers `request`."""
    parts: Parts = request.app.state.parts
    return parts
