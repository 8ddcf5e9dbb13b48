"""The operator of a service, who types `eyelog service ...`."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from os import PathLike
from typing import Any
from unittest.mock import patch

from support.command import main


@dataclass(frozen=True)
class Done:
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str


class Operator:
    """Runs the commands on one service: ``operator("disable", "ada")`` must succeed."""

    def __init__(
        self,
        archive: str | PathLike[str],
        state: str | PathLike[str] | None = None,
        local: str | PathLike[str] | None = None,
    ) -> None:
        places = {"--archive": archive, "--state": state, "--local": local}
        self.places = [
            word for option, place in places.items() if place for word in (option, str(place))
        ]

    def run(self, action: str, *words: object, stdin: str | bytes = "") -> Done:
        """Run a command, whatever it says."""
        out, err = io.StringIO(), io.StringIO()
        typed = io.BytesIO(stdin.encode() if isinstance(stdin, str) else stdin)
        with (
            redirect_stdout(out),
            redirect_stderr(err),
            patch.object(sys, "stdin", io.TextIOWrapper(typed)),
        ):
            code = main(["service", action, *self.places, *map(str, words)])
        return Done(code, out.getvalue(), err.getvalue())

    def __call__(self, action: str, *words: object, stdin: str = "") -> str:
        """Return what a command prints."""
        done = self.run(action, *words, stdin=stdin)
        assert done.code == 0, done
        return done.out

    def ask(self, action: str, *words: object) -> Any:
        """Return what a command prints as JSON."""
        return json.loads(self(action, "--json", *words))

    def refused(self, action: str, *words: object, stdin: str = "") -> str:
        """Return why a command is refused: in one line, without an answer."""
        done = self.run(action, *words, stdin=stdin)
        assert (done.code, done.out, done.err.count("\n")) == (1, "", 1), done
        assert len(done.err) < 600
        return done.err

    # What tests often ask for.

    def add(self, *names: str, password: str | None = None) -> None:
        """Add accounts, all with one password or without any."""
        for name in names:
            if password is None:
                self("add-account", "--", name)
            else:
                self("add-account", "--password-stdin", "--", name, stdin=password)

    def application(self, redirect_uri: str, name: str = "") -> tuple[str, str]:
        """Register an application; return its id and its secret."""
        words = ("--redirect-uri", redirect_uri, "--name", name)
        made = self.ask("add-application", *words)
        return made["client_id"], made["client_secret"]

    def code(self, account: str, client_id: str, redirect_uri: str) -> str:
        """Return a grant code."""
        words = ("--account", account, "--client-id", client_id, "--redirect-uri", redirect_uri)
        return self("issue-code", *words).strip()

    def accounts(self) -> list[str]:
        """Return the names of the accounts."""
        return [one["account"] for one in self.ask("list-accounts")]

    def tokens(self) -> list[dict[str, Any]]:
        """Return the tokens that can be used."""
        found: list[dict[str, Any]] = self.ask("list-tokens")
        return found

    def findings(self) -> dict[str, tuple[str, str]]:
        """Return the result and the text of each check."""
        done = self.run("check", "--json")
        assert done.out, done.err
        found = {one["check"]: (one["result"], one["text"]) for one in json.loads(done.out)}
        assert done.code == any(result == "wrong" for result, _ in found.values())
        return found


def configuration(program: str) -> str:
    """Return the file for a program, as ``print-config`` prints it."""
    with redirect_stdout(io.StringIO()) as out:
        assert main(["service", "print-config", program]) == 0
    return out.getvalue()
