"""The sections, and where they are named."""

import inspect

import eyelog as el
from eyelog.reports.section_order import SECTIONS
from support.parsers import commands


def test_every_section_is_named_where_it_can_be_chosen() -> None:
    _, parser = commands()["report",]
    (option,) = [one for one in parser._actions if "--sections" in one.option_strings]
    assert str(option.help).removeprefix("only these: ").split(", ") == list(SECTIONS)
    documented = inspect.getdoc(el.report) or ""
    assert all(f'``"{key}"``' in documented for key in SECTIONS)
