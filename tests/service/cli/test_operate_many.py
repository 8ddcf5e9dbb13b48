"""The operator's commands for many accounts at once: all of a file, or all of a study."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

import eyelog as el
from support import live
from support.live import STANDARD
from support.operating import Done
from support.records import records

Run = Callable[..., Done]
WEARERS = """name,password,study,zone
ada,correct horse,sleep,Asia/Tokyo
bea,,sleep,Europe/Paris
cyd,,gait,
eve,,sleep,
"""


@pytest.fixture
def wearers(tmp_path: Path) -> Path:
    (tmp_path / "wearers.csv").write_text(WEARERS)
    return tmp_path / "wearers.csv"


def listed(service: Run, *words: str) -> dict[str, dict[str, object]]:
    found = json.loads(service("list-accounts", "--json", *words).out)
    return {one["account"]: one for one in found}


def test_wearers_of_a_file_are_added_with_their_zones_and_studies(
    service: Run, archive: Path, wearers: Path
) -> None:
    done = service("add-accounts", str(wearers))
    assert (done.code, done.err) == (0, "4 accounts added.\n")
    assert live.Registry(archive).accounts.check_login("ada", "correct horse")
    assert str(el.Archive(archive).zones("bea")) == "Europe/Paris"
    assert el.Archive(archive).zones("cyd") is None
    assert [(name, one["password"], one["study"]) for name, one in listed(service).items()] == [
        ("ada", True, "sleep"),
        ("bea", False, "sleep"),
        ("cyd", False, "gait"),
        ("eve", False, "sleep"),
    ]
    assert [*listed(service, "--study", "sleep")] == ["ada", "bea", "eve"]
    again = service("add-accounts", str(wearers))
    assert (again.code, "4 accounts exist already" in again.err) == (1, True)


def test_an_account_with_another_zone_stops_the_whole_file(
    service: Run, archive: Path, wearers: Path
) -> None:
    el.Archive(archive).set_zones("Asia/Seoul", account="bea")
    done = service("add-accounts", str(wearers))
    assert done.code == 1
    assert "'bea' lives in Asia/Seoul in the archive, not in Europe/Paris" in done.err
    service("add-account", "zoe")
    assert [*listed(service)] == ["zoe"]
    assert el.Archive(archive).zones("ada") is None


def test_invitations_are_written_once_into_a_private_file(
    service: Run, archive: Path, wearers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EYELOG_BASE_URL", raising=False)
    links = tmp_path / "links.csv"
    invite = ["add-accounts", str(wearers), "--invite", str(links)]
    assert "--base-url" in service(*invite).err
    done = service(*invite, "--base-url", "https://logs.example.org/")
    assert (done.code, done.out) == (0, "")
    assert "3 links are in" in done.err
    assert "until 14 days" in done.err
    assert links.stat().st_mode & 0o077 == 0
    head, *rows = links.read_text().splitlines()
    assert head == "name,link"
    assert [row.partition(",")[0] for row in rows] == ["bea", "cyd", "eve"]
    code = rows[0].removeprefix("bea,https://logs.example.org/invitation?code=")
    assert live.Registry(archive).accounts.invited(code) == "bea"
    assert code.encode() not in (archive / "_service.sqlite").read_bytes()
    assert code not in (archive / "_service.audit.jsonl").read_text()
    # A file that exists is not replaced, and one for accounts that are not added does not stay.
    assert "exists already: name a new file" in service(*invite, "--base-url", "http://x").err
    links.unlink()
    assert service(*invite, "--base-url", "http://x").code == 1
    assert not links.exists()


def test_commands_take_the_accounts_of_a_file_or_a_study(
    service: Run, archive: Path, wearers: Path, tmp_path: Path
) -> None:
    service("add-accounts", str(wearers))
    (tmp_path / "two.csv").write_text("name,zone\nada,Asia/Seoul\ncyd,Asia/Tokyo\n")
    two = ["--csv", str(tmp_path / "two.csv")]

    def disabled() -> list[str]:
        return [name for name, one in listed(service).items() if one["disabled"]]

    assert service("disable", *two).err.startswith("2 accounts disabled")
    assert disabled() == ["ada", "cyd"]
    assert service("enable", *two).code == 0
    assert service("disable", "--all-in", "sleep").code == 0
    assert disabled() == ["ada", "bea", "eve"]
    assert service("enable", "--all-in", "sleep").code == 0
    assert service("set-zone", *two).out == "ada: Asia/Seoul\ncyd: Asia/Tokyo\n"
    utc = service("set-zone", "--all-in", "sleep", "--tz", "UTC")
    assert utc.out.startswith("ada: UTC\nbea: UTC\n")
    zones = {name: str(el.Archive(archive).zones(name)) for name in ("ada", "bea", "cyd")}
    assert zones == {"ada": "UTC", "bea": "UTC", "cyd": "Asia/Tokyo"}
    assert "no zone is given for 'ada'" in service("set-zone", "ada").err
    removed = service("remove-account", "--all-in", "sleep")
    assert removed.out == "removed: account 'ada'\nremoved: account 'bea'\nremoved: account 'eve'\n"
    assert [*listed(service)] == ["cyd"]


def test_the_tokens_of_a_study_are_revoked_together(
    service: Run, archive: Path, wearers: Path
) -> None:
    service("add-accounts", str(wearers))
    tokens = [service("upload-token", name).out.strip() for name in ("ada", "cyd")]
    assert service("revoke", "--all-in", "nothing").code == 1
    assert service("revoke", "--all-in", "sleep", "--all").code == 2
    done = service("revoke", "--all-in", "sleep")
    assert done.out == "ended: 1 upload token of account 'ada', of its own devices\n"
    grants = live.Registry(archive).grants
    assert grants.bearer(tokens[0]) == "the access token is revoked"
    assert grants.bearer(tokens[1]).account == "cyd"


def test_of_a_file_with_an_unknown_name_nothing_is_changed(
    service: Run, wearers: Path, tmp_path: Path
) -> None:
    service("add-accounts", str(wearers))
    (tmp_path / "some.csv").write_text("name\nada\nzoe\n")
    before = listed(service)
    for action in ("disable", "remove-account", "revoke"):
        refused = service(action, "--csv", str(tmp_path / "some.csv"))
        assert refused.code == 1
        assert "unknown account 'zoe'" in refused.err
    for action in ("disable", "enable", "remove-account", "set-zone"):
        for choice in ([], ["ada", "--all-in", "sleep"]):
            assert service(action, *choice).code == 2
    assert listed(service) == before


def fill(archive: Path, *names: str) -> None:
    for name in names:
        for day in ("2020-01-05", f"{datetime.now(UTC):%Y-%m-%d}"):
            el.Archive(archive).write(STANDARD, records(STANDARD, day, 5), account=name)


def held(archive: Path) -> dict[str, int]:
    read = el.Archive(archive).read
    return {
        name: len(read(STANDARD, account=name, tz="UTC")) for name in ("ada", "bea", "cyd", "gone")
    }


def test_each_study_is_pruned_by_its_own_retention(
    service: Run, archive: Path, wearers: Path
) -> None:
    service("add-accounts", str(wearers))
    fill(archive, "ada", "bea", "cyd", "gone")
    none = service("prune")
    assert (none.code, none.out) == (1, "")
    assert "no study has a retention: give --older-than 730d, or set one with" in none.err
    assert service("set-retention", "sleep", "730d").code == 0
    assert service("set-retention", "gait", "9999d").code == 0
    checked = service("check").out
    assert "study 'sleep' keeps records for 730 days, and 2 files are older" in checked
    assert "study 'gait' keeps records for 9,999 days, and nothing is older" in checked
    done = service("prune")
    assert "study 'sleep': kept for 730 days" in done.out
    assert done.out.count("removed: month") == 2
    assert "not pruned: 1 account without a retention: gone" in done.out
    assert held(archive) == {"ada": 5, "bea": 5, "cyd": 10, "gone": 10}
    protocol = json.loads(service("prune", "--json").out)
    kept = [(one["study"], one["days"]) for one in protocol["pruned"]]
    assert kept == [("gait", 9999), ("sleep", 730)]
    assert protocol["without_retention"] == ["gone"]
    # By a given age, whatever the studies keep.
    service("prune", "--all-in", "gait", "--older-than", "30d")
    assert held(archive) == {"ada": 5, "bea": 5, "cyd": 5, "gone": 10}
    assert "did you mean 'gait'" in service("prune", "--all-in", "gate").err
    service("prune", "--older-than", "30d")
    assert set(held(archive).values()) == {5}


def test_a_retention_can_be_changed_and_ended_and_outlives_the_accounts_of_its_study(
    service: Run, archive: Path, wearers: Path
) -> None:
    service("add-accounts", str(wearers))
    for wrong in ("730", "0d", "never"):
        assert "takes a number of days such as 730d" in service("set-retention", "gait", wrong).err
    assert "has no account" in service("set-retention", "nap", "30d").err
    assert "study 'gait' has no retention" in service("prune", "--all-in", "gait").err
    service("set-retention", "gait", "30d")
    service("set-retention", "gait", "60d")
    service("set-retention", "sleep", "90d")
    protocol = json.loads(service("prune", "--dry-run", "--json").out)
    assert [(one["study"], one["days"]) for one in protocol["pruned"]] == [
        ("gait", 60),
        ("sleep", 90),
    ]
    assert "keeps its records forever" in service("set-retention", "sleep", "forever").err
    fill(archive, "cyd")
    service("remove-account", "cyd")
    done = service("prune")
    assert done.code == 0
    assert len(el.Archive(archive).read(STANDARD, account="cyd", tz="UTC")) == 10
    assert "without a retention: ada, bea, cyd" in done.out


@pytest.mark.slow("hundreds of accounts are made")
def test_hundreds_of_wearers_are_invited_listed_checked_changed_and_let_go(
    service: Run, archive: Path, tmp_path: Path
) -> None:
    names = [f"wearer-{number:04}" for number in range(200)]
    rows = [f"{name},,{'sleep' if n % 2 else 'gait'},Asia/Tokyo" for n, name in enumerate(names)]
    file, links = tmp_path / "all.csv", tmp_path / "links.csv"
    file.write_text("\n".join(["name,password,study,zone", *rows, ""]))
    invite = ["--invite", str(links), "--base-url", "https://logs.example.org"]
    assert service("add-accounts", str(file), *invite).err.startswith("200 accounts added")
    sent = [line.partition(",")[::2] for line in links.read_text().splitlines()[1:]]
    assert sorted(name for name, _ in sent) == names
    assert len({link for _, link in sent}) == 200
    assert len(listed(service, "--study", "sleep")) == 100
    assert service("check").code == 0
    assert service("set-zone", "--csv", str(file), "--tz", "Asia/Seoul").code == 0
    assert {str(el.Archive(archive).zones(name)) for name in names[::97]} == {"Asia/Seoul"}
    for words, left in (("disable", 200), ("enable", 200), ("remove-account", 100)):
        assert service(words, "--all-in", "sleep").code == 0
        accounts = listed(service).values()
        assert len(accounts) == left
        assert sum(bool(one["disabled"]) for one in accounts) == 100 * (words == "disable")
    audit = (archive / "_service.audit.jsonl").read_text().splitlines()
    assert sum('"admin.remove_account"' in line for line in audit) == 100
