"""Sphinx: run the blocks of a page, and show beneath each what it printed and drew."""

from pathlib import Path
from typing import Any, Final

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from eyelog_docs.blocks import RUNS, Block, Failed, Session, blocks_of, commands_of

__all__ = ["setup"]

FOLDER: Final = "_results"
DPI: Final = 144


def _name(page: str, number: int, part: int) -> str:
    return f"{page.replace('/', '-')}-{number}-{part}.png"


def _alt(figure: Any) -> str:
    """Return what the figure says about itself: its title and the labels of its axes."""
    title = figure.get_suptitle() or next((ax.get_title() for ax in figure.axes), "")
    labels = {ax.get_ylabel() for ax in figure.axes} | {ax.get_xlabel() for ax in figure.axes}
    words = [title, *sorted(label for label in labels if label)]
    return " ".join("; ".join(word for word in words if word).split()).replace('"', "'")


def _shown(source: Path, page: str, number: int, block: Block, session: Session) -> str:
    """Return what stands beneath a block: its output, then its figures."""
    text = session.run(block).rstrip()
    if block.language == "setup":
        return ""
    parts = [f"```{{code-block}} text\n:class: output\n\n{text}\n```"] if text else []
    for part, figure in enumerate(session.figures()):
        path = source / FOLDER / _name(page, number, part)
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=DPI)
        parts.append(f"```{{image}} /{FOLDER}/{path.name}\n:alt: {_alt(figure)}\n```")
    # A shell writes its pictures into files: show each that the block names with -o.
    for part, path in enumerate(_drawn(block, session), start=100):
        target = source / FOLDER / _name(page, number, part)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(path.read_bytes())
        drawn_by = next(line for line in commands_of(block.code) if path.name in line)
        alt = f"The figure that this command draws: {' '.join(drawn_by.split())}"
        parts.append(f"```{{image}} /{FOLDER}/{target.name}\n:alt: {alt}\n```")
    return "".join(f"\n\n{part}" for part in parts)


def _drawn(block: Block, session: Session) -> list[Path]:
    words = block.code.split() if block.language == "sh" else []
    return [session.work / word for word in words if word.endswith(".png")]


def _run_page(app: Sphinx, page: str, content: list[str]) -> None:
    text = content[0]
    blocks = [block for block in blocks_of(text) if block.language in RUNS]
    if not blocks or not str(app.env.doc2path(page)).endswith(".md"):
        return
    pieces, at = [], 0
    try:
        with Session(page, text) as session:
            for number, block in enumerate(blocks):
                hidden = block.language == "setup"
                pieces.append(text[at : block.start if hidden else block.end])
                pieces.append(_shown(Path(app.srcdir), page, number, block, session))
                at = block.end
    except Failed as failed:
        raise ExtensionError(str(failed)) from failed
    content[0] = "".join([*pieces, text[at:]])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.connect("source-read", _run_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
