"""Measure: summaries of judged rows, by any grouping."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__, submodules=["blinks", "eyes", "gait", "posture"]
)
