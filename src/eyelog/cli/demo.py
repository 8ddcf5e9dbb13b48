"""`eyelog demo`: the main job from end to end, by the commands that a user would type."""

import os
import shlex
import tempfile
from importlib.resources import files
from pathlib import Path

from eyelog.catalogue import LOGS
from eyelog.cli.command import command
from eyelog.errors import ConfigurationError

# Long past: days that are in the future for a slow clock would never be requested.
START, END, DAYS, ZONE, SEED = "2025-10-20", "2025-11-02", "14", "Asia/Tokyo", "1"


@command
def demo(*, output: Path = Path("demo-output")) -> None:
    """Run the main job on a simulated wearer.

    Parameters
    ----------
    output : DIR
        Folder for the records, tables and figures.
    """
    from eyelog.embedded import register, serve

    if output.exists() and not output.is_dir():
        raise ConfigurationError(
            f"{output} is a file: give --output a folder for the tables and figures"
        )
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="eyelog-demo-") as folder:
        archive = f"{folder}/archive"
        registered = register(archive, "me")
        output.mkdir(parents=True, exist_ok=True)
        wearer = ["--start", START, "--days", DAYS, "--seed", SEED, "--tz", ZONE]
        try:
            # The user's own token would go to the demo's service.
            for name in before:
                if name.startswith("EYELOG_") and name != "EYELOG_DEBUG":
                    del os.environ[name]
            os.environ["EYELOG_HOME"] = folder
            _run("A wearer of 14 days, simulated.", "simulate", *wearer, "--archive", archive)
            with serve(archive) as base_url:
                os.environ |= {
                    "EYELOG_BASE_URL": base_url,
                    "EYELOG_CLIENT_ID": registered.application.client_id,
                    "EYELOG_CLIENT_SECRET": registered.application.client_secret,
                    "EYELOG_REDIRECT_URI": registered.application.redirect_uri,
                }
                text = "eyelog's own service, with the vendor's API: a grant code gives a token."
                _run(text, "login", "--code", registered.code)
                _analyse(output)
        finally:
            os.environ.clear()
            os.environ.update(before)
    text = files("eyelog.cli").joinpath("demo-done.txt").read_text("utf-8")
    print(f"\n{text.format(output=output)}", end="")


def _analyse(output: Path) -> None:
    """Fetch both logs over HTTP, and write tables, figures and a report."""
    files = []
    for log in LOGS:
        files.append(f"{output}/{log}.parquet")
        options = ["--tz", ZONE, "--location", "-o", files[-1]]
        _run(f"The {log}, over HTTP.", "fetch", log, START, END, *options)
    _run("What is missing.", "describe", files[1])
    days = ["daily", files[1], START, "2025-10-26", "--attrition", "trend"]
    _run("A week, and the records that each condition of a recipe leaves.", *days)
    for log, file in zip(LOGS, files, strict=True):
        _run(f"Tables and figures of {log}.", "daily", file, "-o", f"{output}/daily-{log}.csv")
        for figure in ("overview", "day", "heatmap", "daily"):
            range_ = [START, START] if figure == "day" else []
            _run("", "plot", figure, file, *range_, "-o", f"{output}/{figure}-{log}.png")
    _run("Both logs in one report.", "report", *files, "-o", f"{output}/report.html")


def _run(text: str, *words: str) -> None:
    """Print a command and run it, as a user would."""
    from eyelog.cli.main import program

    if text:
        print(f"\n{text}")
    print(f"    $ eyelog {shlex.join(words)}", flush=True)
    program.main(list(words), prog_name="eyelog", standalone_mode=False)
