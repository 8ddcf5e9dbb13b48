"""The tests follow the tree: a source file and its tests have the same place and name."""

import re
from pathlib import Path

import eyelog
from support.paths import TESTS

SOURCE = Path(eyelog.__file__).parent
MOST_LINES = 400

# An `__init__.py` is a list of names or one line about its room, so it is left out as a whole.
NO_TEST_FILE = {
    "reports/section_parts.py": "what a section hands over, without behaviour",
    "__main__.py": "one call of the command line",
    "figures/defaults.py": "a table of settings",
    "service/auth/transaction.py": "types and errors, without behaviour",
}

# Tests of laws that hold across source files, and of what lies outside the package.
NO_SOURCE_FILE = {
    "reports/test_in_browser.py": "the whole report, read in a real browser",
    "reports/cohort/test_in_browser.py": "the report of a cohort, read in a real browser",
    "cohort/test_accounts.py": "odd accounts, through every function of a cohort",
    "cohort/test_rivals.py": "the days of a cohort, from polars and duckdb",
    "cohort/test_positions.py": "where wearers were, in no result of a cohort",
    "cli/test_cohort_stopped.py": "Ctrl-C in a terminal, with all its processes",
    "analysis/compare/test_limits_of_frames.py": "limits, in every comparison of frames",
    "figures/test_journey.py": "a wearer who travels, in every figure along local time",
    "analysis/compare/test_compare.py": "what every comparison keeps to",
    "analysis/test_identities.py": "laws that tie several functions together",
    "analysis/test_recovery.py": "planted truth, recovered by several functions",
    "analysis/grouped/test_clock_changes.py": "every change of the clock, in every summary by time",
    "analysis/series/test_quantities.py": "whatever is done with a quantity, in every function",
    "analysis/test_calendar_dates.py": "the dates of every table by day or week",
    "wearer/test_recovered_blinks.py": "planted blinks and losses, recovered by analysis",
    "analysis/test_packet_coverage.py": "the hours and gaps of the 20 Hz log",
    "analysis/quality/test_packet_trust.py": "the trust in rows of the 20 Hz log",
    "archive/importing/test_packet_fuzz.py": "damaged files of the 20 Hz log",
    "archive/importing/test_packet_files.py": "files of the 20 Hz log, read and imported",
    "analysis/test_references.py": "independent implementations of several functions",
    "archive/importing/test_kinds_of_files.py": "every kind of file, through all readers",
    "service/auth/test_upgrade.py": "a state file of the first release, through the registry",
    "service/test_object_store.py": "an archive in an object store, through the service",
    "service/auth/test_shared_state.py": "the whole registry, shared by hosts in a database",
    "service/test_several_hosts.py": "hosts that share a database and an object store",
    "service/test_second_release.py": "an archive and a state of eyelog 0.2.0, in today's service",
    "service/records/test_columns.py": "pages in columns, from the service to the client's frame",
    "archive/importing/test_wearers.py": "files of several wearers, read and imported",
    "archive/test_sync_processes.py": "syncs that are killed, or run at the same time",
    "answers/test_arrow_hostile.py": "Arrow streams, from bytes to frame and archive",
    "archive/test_remote.py": "an archive in memory and on an object store, across its files",
    "datasets/test_make_sample.py": "the script beside the sample",
    "docs/test_blocks.py": "how the blocks of the pages run",
    "cli/test_operate_many.py": "the operator's commands for many accounts at once",
    "cli/test_archive_zones.py": "the zone of an account, in every command",
    "analysis/test_hours_of_travellers.py": "the clock of travellers, in every summary by hours",
    "reports/test_days_before.py": "the days before a report, from the command to page one",
    "service/test_forged_backups.py": "links and forgeries, in every step of a backup",
    "service/test_backup_kills.py": "backups and restores that are killed",
    "cohort/test_travellers.py": "wearers who travel, in every table of a cohort",
    "cohort/test_wearers_zones.py": "the zones of the wearers, in every function",
    "docs/test_cohorts.py": "a page",
    "docs/test_definitions.py": "a page",
    "docs/test_gallery.py": "scripts",
    "figures/test_collisions.py": "texts that touch, in many figures",
    "figures/test_collisions_of_records.py": "texts that touch, in many figures",
    "figures/test_user_styles.py": "many figures in the styles that people set",
    "docs/test_in_containers.py": "a page",
    "docs/test_made_pages.py": "pages made from the code",
    "docs/test_other_toolkits.py": "a page",
    "docs/test_pages.py": "pages",
    "docs/test_run_a_service.py": "pages",
    "docs/test_readme.py": "a page",
    "docs/test_site.py": "the site, in a real browser",
    "live/test_lossless.py": "what comes live, through kills and many senders at once",
    "service/uploads/test_kills.py": "uploads whose processes are killed",
    "service/account/test_own_records.py": "records on the account page, in a real browser",
    "service/test_nginx.py": "the service behind a real proxy",
    "service/test_soak.py": "the whole service, for long and under attack",
    "test_clock_zones.py": "the class Zones of clock.py",
    "service/test_service.py": "the service's extra: what the package says without it",
}

# Files of one name in several rooms, where the name means the same: the analysis of something, the
# figure of it, its section in a report, its command.
SAME_MEANING = {
    *("agreement", "baseline", "bouts", "cohort", "daily", "erase", "events", "method", "profile"),
    *("listen", "push", "replay", "report", "rhythm", "simulate"),
}

SOURCES = {
    str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if path.name != "__init__.py"
}
TEST_FILES = {str(path.relative_to(TESTS)) for path in TESTS.rglob("test_*.py")}
FOLLOWING = {
    name for name in TEST_FILES if not name.startswith(("contract/", "support/", "reference/"))
}


def path_of_tests(source: str) -> str:
    return str(Path(source).with_name(f"test_{Path(source).name}"))


def source_of(test: str) -> str:
    return str(Path(test).with_name(Path(test).name.removeprefix("test_")))


def test_a_source_file_has_its_tests_in_the_same_place() -> None:
    sources = SOURCES - set(NO_TEST_FILE)
    assert sorted(name for name in sources if path_of_tests(name) not in TEST_FILES) == []


def test_a_test_file_has_its_source_in_the_same_place() -> None:
    tests = FOLLOWING - set(NO_SOURCE_FILE)
    assert sorted(name for name in tests if source_of(name) not in SOURCES) == []


def test_a_test_file_is_short_enough_to_be_read() -> None:
    lines = {name: len((TESTS / name).read_text().splitlines()) for name in TEST_FILES}
    assert {name: n for name, n in lines.items() if n > MOST_LINES} == {}


def test_a_source_file_without_tests_is_still_an_exception() -> None:
    assert [name for name in NO_TEST_FILE if path_of_tests(name) in TEST_FILES] == []


def test_a_test_file_without_source_is_still_an_exception() -> None:
    assert set(NO_SOURCE_FILE) <= TEST_FILES
    assert [name for name in NO_SOURCE_FILE if source_of(name) in SOURCES] == []


def test_a_file_name_stands_once_unless_it_means_the_same_everywhere() -> None:
    names = [Path(source).stem for source in SOURCES]
    assert {name for name in names if names.count(name) > 1} == SAME_MEANING


def test_a_public_class_has_a_name_of_its_own() -> None:
    homes: dict[str, list[str]] = {}
    for source in SOURCES:
        for line in (SOURCE / source).read_text().splitlines():
            if name := re.match(r"class ([A-Z]\w*)", line):
                homes.setdefault(name[1], []).append(source)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
