"""The contract of the service, written down as OpenAPI 3.1."""

from typing import Any

__all__ = ["document"]


def document(page_size: int) -> dict[str, Any]:
    """Return the OpenAPI document of a service with pages of `page_size` records."""
    return {"openapi": "3.1.0", "info": {"title": "eyelog", "version": "1"}, "paths": {}}
