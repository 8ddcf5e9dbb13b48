"""Check that an installation without extras works, and names the extra where it needs one."""

import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import eyelog as el

EYELOG = str(Path(sys.executable).with_name("eyelog"))
DAYS = ("computed_data", "2026-10-24", "2026-10-26", "--archive", "archive")
WORKS = [
    ("simulate", "--archive", "archive", "--start", "2026-10-24", "--days", "3"),
    ("archive", "export", *DAYS, "-o", "log.csv"),
    ("daily", "log.csv"),
    ("daily", *DAYS),
    ("plot", "overview", *DAYS, "-o", "figure.png"),
    ("report", *DAYS, "-o", "report.html"),
    ("doctor",),
]
REFUSED = {
    "service": ("serve", "--archive", "archive"),
    "cohort": ("cohort", "daily", "computed_data", "--archive", "archive", "-o", "cohort"),
    "excel": ("daily", "log.xlsx"),
    "live": ("listen", "--archive", "archive"),
    "s3": ("daily", "computed_data", "--archive", "s3://bucket/archive"),
}


def main() -> None:
    assert el.__version__ == version("eyelog")
    for package in (
        "starlette",
        "dask",
        "openpyxl",
        "psycopg",
        "s3fs",
        "websockets",
        "pytest",
    ):
        assert find_spec(package) is None, f"{package} is not part of the core"
    with TemporaryDirectory() as folder:

        def run(*words: str) -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                [EYELOG, *words], cwd=folder, env={"HOME": folder}, capture_output=True, text=True
            )

        for words in WORKS:
            done = run(*words)
            assert done.returncode == 0, f"eyelog {' '.join(words)}: {done.stderr}"
        with ZipFile(Path(folder) / "log.xlsx", "w") as workbook:
            workbook.writestr("xl/workbook.xml", "<workbook/>")
        for extra, words in REFUSED.items():
            done = run(*words)
            last = done.stderr.strip().splitlines()[-1]
            assert done.returncode == 1, f"eyelog {' '.join(words)}: {last}"
            assert f"pip install 'eyelog[{extra}]'" in done.stderr, last
            assert "Traceback" not in done.stderr, done.stderr
    print(f"without extras: {len(WORKS)} commands work, {len(REFUSED)} name their extra")


if __name__ == "__main__":
    main()
