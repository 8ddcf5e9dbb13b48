"""Blocks of a page: found in order, run in one session, and stopped by what fails."""

import os
from pathlib import Path

import pytest

from eyelog_docs.blocks import Failed, Session, blocks_of

PAGE = """# Title

```sh
export WORD=hello
mkdir deeper && cd deeper
```

```py
never()
```

<!-- setup
echo secret > ready
-->

```python
import os
1 + 1
```
"""


def test_blocks_are_found_in_order_with_their_lines() -> None:
    found = [(block.language, block.line) for block in blocks_of(PAGE)]
    assert found == [("sh", 4), ("py", 9), ("setup", 13), ("python", 17)]


def run(page: str) -> list[str]:
    with Session("page", page) as session:
        return [session.run(block) for block in blocks_of(page) if block.language != "py"]


def test_what_a_shell_exports_and_where_it_goes_holds_for_the_blocks_after_it() -> None:
    outputs = run(PAGE + "\n```python\nprint(os.environ['WORD'], os.listdir())\n```\n")
    assert outputs == ["", "", "2\n", "hello ['ready']\n"]


def test_a_session_leaves_nothing_behind() -> None:
    before, folder = dict(os.environ), Path.cwd()
    run(PAGE)
    assert (dict(os.environ), Path.cwd()) == (before, folder)


def test_the_home_is_an_empty_one_and_shown_as_a_reader_sees_it() -> None:
    assert run('```sh\nls -A ~ | grep -v "^\\."; echo ~\n```\n') == ["work\n~\n"]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("```python\nx = 1\n1 / 0\n```", "page, line 2: ZeroDivisionError"),
        ("```sh\necho said\nfalse\n```", "page, line 2: status 1"),
        ("```sh\nfalse | cat\n```", "status 1"),
        ("```sh\necho $NOT_SET\n```", "status 1"),
    ],
)
def test_a_block_that_fails_is_named_with_its_line(block: str, words: str) -> None:
    with pytest.raises(Failed, match=words):
        run(block + "\n")


def test_a_warning_is_one_line_without_a_path() -> None:
    code = "import warnings\nwarnings.warn('take care')"
    assert run(f"```python\n{code}\n```\n") == ["warning: take care\n"]


def test_a_drawing_is_kept_and_not_printed() -> None:
    page = "```python\nimport matplotlib.pyplot as plt\nplt.figure().subplots()\n```\n"
    with Session("page", page) as session:
        assert session.run(blocks_of(page)[0]) == ""
        assert len(list(session.figures())) == 1
        assert list(session.figures()) == []


@pytest.mark.slow("files of the app are made")
def test_files_of_the_logger_app_are_there_where_the_page_names_them() -> None:
    (listed,) = run("```sh\nls ~/logger-files | wc -l\n```\n")
    assert listed.strip() == "14"
