"""How large an installation is: the core, and what each extra adds.

    python benchmarks/install.py [--json]

Sizes are those of the files that pip installed here, compiled modules included, summed over what
the core or an extra requires, directly or not. Nothing is downloaded.
"""

import argparse
import json
import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

NAME = "eyelog"
MB = 1e6


def required(name: str, extra: str = "") -> set[str]:
    """Return the names of all that a distribution, or one of its extras, requires."""
    found: set[str] = set()
    todo = [(name, extra)]
    while todo:
        current, wanted = todo.pop()
        try:
            lines = distribution(current).requires or []
        except PackageNotFoundError:
            continue
        for line in lines:
            need = Requirement(line)
            applies = need.marker is None or need.marker.evaluate({"extra": wanted})
            below = re.sub(r"[-_.]+", "-", need.name).lower()
            if applies and below not in found:
                if below != NAME:
                    found.add(below)
                todo += [(below, inner) for inner in need.extras or {""}]
    return found


def size(name: str) -> int:
    """Return the bytes of a distribution's files; 0 where it is not installed."""
    try:
        files = distribution(name).files or []
    except PackageNotFoundError:
        return 0
    paths = {Path(str(path.locate())).resolve() for path in files}
    return sum(path.stat().st_size for path in paths if path.is_file())


def total(names: Iterable[str]) -> float:
    return sum(map(size, names)) / MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    core = required(NAME)
    extras = [e for e in distribution(NAME).metadata.get_all("Provides-Extra") or [] if e != "all"]
    largest = sorted(core, key=size, reverse=True)[:5]
    table = {
        "core_mb": round(total(core)),
        "largest_mb": {name: round(size(name) / MB) for name in largest},
        "extra_mb": {extra: round(total(required(NAME, extra) - core)) for extra in extras},
    }
    if parser.parse_args().json:
        print(json.dumps(table))
        return
    print(f"core: {table['core_mb']} MB, {len(core)} packages")
    for name, megabytes in table["largest_mb"].items():
        print(f"  {name:14}{megabytes:5} MB")
    for extra, megabytes in table["extra_mb"].items():
        print(f"[{extra}]{'':{12 - len(extra)}} + {megabytes} MB")


if __name__ == "__main__":
    main()
