"""eyelog: analyse the logs of smart eyewear.

Every public name is loaded when it is first used, so ``import eyelog`` is light. The list of
names is ``__init__.pyi``.
"""

import copyreg
import importlib
import sys

import lazy_loader

__version__ = "0.4.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

# lazy_loader may give the package a class of its own, and a function of a notebook that uses
# eyelog could then not be sent to another process: cloudpickle knows plain modules only.
copyreg.pickle(
    type(sys.modules[__name__]), lambda package: (importlib.import_module, (package.__name__,))
)
