"""eyelog: analyse the logs of smart eyewear.

Every public name is loaded when it is first used, so ``import eyelog`` is light. The list of
names is ``__init__.pyi``.
"""

import lazy_loader

__version__ = "0.4.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
