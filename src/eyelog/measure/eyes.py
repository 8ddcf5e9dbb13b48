"""Eyes: the single eye movements of the 20 Hz log."""

from eyelog.measure.events20 import moves

__all__ = ["moves"]


def __dir__() -> list[str]:
    return __all__
