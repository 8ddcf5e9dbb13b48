"""Series: what needs more than sums, from the rhythm of a column to the change between periods."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["baseline", "compare", "rhythm"]
)
