"""Analysis: tables to tables. No HTTP, no files, no figures."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["baseline", "compare", "rhythm"]
)
