"""The file of a report, and the warnings given while it is made."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eyelog.errors import ConfigurationError, EyelogWarning, warn
from eyelog.home import cannot_write, path_of, whole_file


def page_file(path: str | os.PathLike[str], *, what: str) -> Path:
    """Return the file to write, or raise `ConfigurationError` if no page can be written there."""
    target = path_of(path, what=what)
    if target.suffix not in (".html", ".htm"):
        raise ConfigurationError(f"cannot write {target.name}: end its name with .html")
    if not target.parent.is_dir():
        raise ConfigurationError(f"no folder {target.parent} to write {target.name} into: make it")
    return target


def check_texts(**texts: str | None) -> None:
    """Raise `ConfigurationError` unless the argument is text."""
    for what, text in texts.items():
        if text is not None and not (isinstance(text, str) and text.strip()):
            raise ConfigurationError(f"{what} must be text, such as 'Person 7', not {text!r}")


def write_page(target: Path, page: str) -> Path:
    """Put a page in place as a whole, readable by its owner only."""
    try:
        with whole_file(target) as sink:
            sink.write(page.encode())
    except OSError as error:
        raise cannot_write(target, error) from error
    return target


@contextmanager
def noticing(notices: list[str]) -> Iterator[None]:
    """Gather the warnings of eyelog, each once, and issue them at the end."""
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def notice(
            message: Warning | str, category: type[Warning], *args: Any, **kwargs: Any
        ) -> None:
            if not issubclass(category, EyelogWarning):
                shown(message, category, *args, **kwargs)
            elif str(message) not in notices:
                notices.append(str(message))

        warnings.simplefilter("always", EyelogWarning)
        warnings.showwarning = notice
        yield
    for text in notices:
        warn(text)
