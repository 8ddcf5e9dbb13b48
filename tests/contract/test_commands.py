"""Every command explains itself, and the pages name commands as they are."""

import re
import shlex
from collections.abc import Iterator

import click
import pytest

from support.parsers import Command, commands, parsed
from support.paths import ROOT

COMMANDS = commands()
PAGES = ["README.md", "CONTRIBUTING.md", "datasets/README.md"]
PAGES += sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("[a-z]*/**/*.md"))
PAGES += sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_says_what_it_does_and_what_each_argument_is(command: Command) -> None:
    about = COMMANDS[command]
    assert about.help
    nameless = [
        option.opts
        for option in about.params
        if isinstance(option, click.Option) and not option.help
    ]
    assert nameless == []


def shell_lines(page: str) -> Iterator[list[str]]:
    """Yield the words of each call of eyelog in the indented and fenced blocks of a page."""
    lines, fence = [], ""
    text = re.sub(r"\\\n\s*", "", (ROOT / page).read_text())  # a line that goes on
    for line in text.splitlines():
        if line.startswith("```"):
            fence = "" if fence else line.strip("`") or "text"
        elif fence in ("sh", "text") or (not fence and line.startswith("    ")):
            lines.append(line)
    for line in lines:
        for part in re.split(r"\||&&| >", re.sub(r"\s#.*", "", line)):
            words = re.sub(r"^\S*bin/", "", part.strip())
            if words.startswith("eyelog "):
                yield shlex.split(words)[1:]


def usage_problem(words: list[str]) -> str | None:
    """Return what is wrong with a usage line, with its brackets and capitals, or None."""
    plain = [word.strip("[]") for word in words]
    command: Command = ()
    for word in plain:
        if (*command, word) not in COMMANDS:
            break
        command = (*command, word)
    if not command:
        return f"there is no command {plain[0]!r}"
    options = {name for option in COMMANDS[command].params for name in option.opts}
    unknown = [word for word in plain if word.startswith("-") and word not in options]
    return f"{' '.join(command)} has no option {unknown}" if unknown else None


LINES = [(page, words) for page in PAGES for words in shell_lines(page)]


@pytest.mark.parametrize(("page", "words"), LINES, ids=[f"{p}: {' '.join(w)}" for p, w in LINES])
def test_a_shell_line_of_a_page_calls_eyelog_as_it_can_be_called(
    page: str, words: list[str]
) -> None:
    if any("[" in word or word.isupper() for word in words):
        assert usage_problem(words) is None
        return
    try:
        parsed(words)
    except click.UsageError as error:
        pytest.fail(error.format_message())


def test_the_readme_shows_the_main_commands() -> None:
    shown = {words[0] for page, words in LINES if page == "README.md"}
    assert shown >= {
        "demo",
        "login",
        "fetch",
        "daily",
        "plot",
        "import",
        "sync",
        "archive",
        "serve",
    }
