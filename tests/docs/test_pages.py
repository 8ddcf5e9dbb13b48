"""The blocks on the pages run, their commands exist, and nothing public is left out."""

import re
import shlex
from pathlib import Path

import pytest

import eyelog as el
from eyelog_docs.blocks import RUNS, Block, Session, blocks_of, commands_of
from support.parsers import commands, parsed
from support.public import NAMESPACES, public_names
from support.site import DOCS, WRITTEN, page_id, title_of

QUESTIONS = [
    "Can I trust this day?",
    "Why is this value missing?",
    "How often did I blink, and how sure can I be?",
    "Every blink: the 20 Hz log",
    "What is in my Logger folder?",
    "Record live from the app",
    "Did the new desk change my posture?",
    "Which weeks count?",
    "How many days do I need?",
    "What could my study have seen?",
    "Does it depend on the limits?",
    "How do I leave out lunch?",
    "Only from 9 to 17 h",
    "One value per minute",
    "I travelled",
    "Join my questionnaire",
    "My own limits",
    "How do I compare two groups?",
    "How do I run a study of many wearers?",
    "How do I cite and repeat this?",
    "How do I get the data out?",
    "Excel and SPSS",
    "Two computers",
    "My own subplots",
    "Figures in my language",
    "Why do two tools disagree?",
    "Running the vendor's sample scripts against eyelog serve",
    "When something goes wrong",
]
COMMAND = re.compile(r"(?:^|[|(;&]\s*|\bdo\s+)eyelog ([^|>&;)#\n]*)")


def runnable(path: Path) -> list[Block]:
    return [block for block in blocks_of(path.read_text()) if block.language in RUNS]


def is_quick(path: Path) -> bool:
    """Return whether a page starts no process, simulates no weeks and writes no workbook."""
    blocks = runnable(path)
    return all(block.language == "python" for block in blocks) and not any(
        word in block.code
        for block in blocks
        for word in ("el.simulate", "save_figure", "Archive(", "to_excel")
    )


WITH_BLOCKS = [path for path in WRITTEN if runnable(path)]
# These have tests of their own, which run them and hold their figures.
OTHERS = [
    path for path in WITH_BLOCKS if path.stem not in ("cohorts", "definitions", "other-toolkits")
]


@pytest.mark.parametrize("path", [*filter(is_quick, OTHERS)], ids=page_id)
def test_every_block_of_a_quick_page_runs(path: Path) -> None:
    """The other pages run when the site is built."""
    text = path.read_text()
    with Session(page_id(path), text) as session:
        for block in runnable(path):
            session.run(block)
            list(session.figures())


def shell_commands() -> list[tuple[str, str]]:
    """Return each call of eyelog in a shell block, with its page."""
    return [
        (page_id(path), match.strip())
        for path in WITH_BLOCKS
        for block in runnable(path)
        if block.language in ("sh", "setup")
        for line in commands_of(block.code)
        for match in COMMAND.findall(line)
    ]


@pytest.mark.parametrize(("page", "command"), shell_commands())
def test_a_command_of_a_page_is_one_that_eyelog_takes(page: str, command: str) -> None:
    parsed(shlex.split(command))


def test_shell_commands_stand_in_blocks_that_run() -> None:
    """An indented or unmarked block would never be run."""
    loose = [
        (page_id(path), line)
        for path in WRITTEN
        for line in path.read_text().splitlines()
        if re.match(r"    eyelog [a-z]", line)
    ]
    assert loose == []


def test_every_command_is_shown_on_a_page() -> None:
    text = "\n".join(path.read_text() for path in WRITTEN)
    endings = {words for words in commands() if not any(w[:-1] == words for w in commands())}
    missing = [" ".join(words) for words in endings if f"eyelog {' '.join(words)}" not in text]
    assert sorted(missing) == []


def test_every_public_name_is_in_the_reference_once() -> None:
    listed = [
        name
        for path in (DOCS / "reference").glob("*.md")
        for name in re.findall(r"^   eyelog\.([\w.]+)$", path.read_text(), re.MULTILINE)
    ]
    of_classes = {name for name in public_names() if name.split(".")[0] in dir(el)}
    methods = {name for name in of_classes if name[0].isupper() and "." in name}
    assert sorted(listed) == sorted(set(public_names()) - methods)
    assert not set(listed) & set(NAMESPACES)


def test_the_questions_are_those_that_people_ask() -> None:
    entries = re.findall(r"^([\w./-]+)$", (DOCS / "how-to" / "index.md").read_text(), re.MULTILINE)
    assert [title_of((DOCS / "how-to" / f"{entry}.md").resolve()) for entry in entries] == QUESTIONS


def test_every_error_is_explained() -> None:
    text = (DOCS / "how-to" / "when-something-goes-wrong.md").read_text()
    kinds = [name for name in dir(el) if isinstance(getattr(el, name), type)]
    errors = [n for n in kinds if issubclass(getattr(el, n), (el.EyelogError, el.EyelogWarning))]
    assert [name for name in errors if f"## {name}" not in text and f"| `{name}`" not in text] == [
        "EyelogError"
    ]
    assert "is an `EyelogError`" in text
