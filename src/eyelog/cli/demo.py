"""`eyelog demo`: the main job from end to end, by the commands that a user would type.

They stand in ``demo-steps.txt``. Their days are long past: those that are in the future for a slow
clock would never be requested.
"""

import os
import shlex
import tempfile
from importlib.resources import files
from pathlib import Path

from eyelog.cli.command import command
from eyelog.errors import ConfigurationError


@command
def demo(*, output: Path = Path("demo-output")) -> None:
    """Run the main job on a simulated wearer.

    Parameters
    ----------
    output : DIR
        Folder for the records, tables and figures.
    """
    from eyelog.cli.main import program
    from eyelog.embedded import register, serve

    if output.exists() and not output.is_dir():
        raise ConfigurationError(
            f"{output} is a file: give --output a folder for the tables and figures"
        )
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="eyelog-demo-") as folder:
        archive = f"{folder}/archive"
        application, code = register(archive, "me")
        output.mkdir(parents=True, exist_ok=True)
        try:
            # The user's own token would go to the demo's service.
            for name in before:
                if name.startswith("EYELOG_") and name != "EYELOG_DEBUG":
                    del os.environ[name]
            with serve(archive) as base_url:
                os.environ |= {
                    "EYELOG_HOME": folder,
                    "EYELOG_BASE_URL": base_url,
                    "EYELOG_CLIENT_ID": application.client_id,
                    "EYELOG_CLIENT_SECRET": application.client_secret,
                    "EYELOG_REDIRECT_URI": application.redirect_uri,
                }
                for line in _text("steps").splitlines():
                    if not line.startswith(" "):
                        print(f"\n{line}")
                        continue
                    words = shlex.split(line)
                    words = [w.format(archive=archive, code=code, output=output) for w in words]
                    print(f"    $ eyelog {shlex.join(words)}", flush=True)
                    program.main(words, prog_name="eyelog", standalone_mode=False)
        finally:
            os.environ.clear()
            os.environ.update(before)
    print(f"\n{_text('done').format(output=output)}", end="")


def _text(name: str) -> str:
    return files("eyelog.cli").joinpath(f"demo-{name}.txt").read_text("utf-8")
