"""The names of the web framework that the service uses: the one place that imports them.

They come with the extra ``[service]``; without it this import says so in one sentence.
"""

from eyelog.errors import ConfigurationError

try:
    import h11
    import uvicorn
    from anyio import CapacityLimiter, fail_after, to_thread
    from itsdangerous import BadSignature, URLSafeSerializer, URLSafeTimedSerializer
    from jinja2 import Environment
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route
    from starlette.types import ASGIApp, Message, Receive, Scope, Send
    from uvicorn.protocols.http.h11_impl import H11Protocol
except ModuleNotFoundError as error:
    raise ConfigurationError(
        f"the service needs the package {error.name!r}: pip install 'eyelog[service]'"
    ) from error

__all__ = [
    "ASGIApp",
    "BadSignature",
    "CapacityLimiter",
    "Environment",
    "H11Protocol",
    "HTTPException",
    "Message",
    "Middleware",
    "Receive",
    "Request",
    "Response",
    "Route",
    "Scope",
    "Send",
    "Starlette",
    "URLSafeSerializer",
    "URLSafeTimedSerializer",
    "fail_after",
    "h11",
    "to_thread",
    "uvicorn",
]
