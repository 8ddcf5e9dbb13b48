"""Tasks in processes of this machine and on a cluster, some of which die."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from eyelog.cohort.schedule import KILLED, run
from support.cohorts import SIXTY
from support.processes import python


def square(number: int) -> int:
    return number * number


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def named(number: int, reason: str) -> Any:
    return (number, reason)


def results(function: Any, count: int, **settings: Any) -> list[Any]:
    settings = {"scheduler": None, "workers": None, **settings}
    return list(run(function, list(range(count)), killed=named, **settings))


@pytest.mark.slow("worker processes are started")
def test_every_task_has_one_result() -> None:
    assert results(square, 0) == []
    assert sorted(results(square, 40, workers=2)) == [n * n for n in range(40)]


def process_of(_: int) -> int:
    return os.getpid()


@pytest.mark.slow("worker processes are started")
def test_the_processes_that_began_compute_all_tasks() -> None:
    found = results(process_of, 20, workers=2)
    assert len(found) == 20
    assert len(set(found)) <= 2


def draw(_: int) -> float:
    time.sleep(0.01)
    return float(np.random.random())  # noqa: NPY002 - as a user's function may


def test_workers_draw_different_random_numbers() -> None:
    found = [*results(draw, 20, workers=2), *results(draw, 20, workers=2)]
    assert len(set(found)) == 40


@pytest.mark.parametrize("count", [8, 150])
def test_a_task_that_kills_its_process_stops_no_other(count: int) -> None:
    found = results(die_at_three, count, workers=2)
    assert (3, KILLED) in found
    others = [n * n for n in range(count) if n != 3]
    assert sorted(n for n in found if isinstance(n, int)) == others


def test_a_function_of_a_notebook_runs_in_processes_also_where_one_is_killed() -> None:
    dead = 5
    die = lambda n: os.kill(os.getpid(), signal.SIGKILL) if n == dead else n + dead  # noqa: E731
    assert sorted(results(lambda n: n + dead, 20, workers=2)) == list(range(5, 25))
    found = results(die, 20, workers=2)
    assert found.count((5, KILLED)) == 1
    assert sorted(n for n in found if isinstance(n, int)) == [n + 5 for n in range(20) if n != 5]


@pytest.mark.parametrize("first", [0, 12])
def test_every_task_that_kills_its_process_is_named(first: int) -> None:
    killers = set(range(first, first + 7, 2))
    die = lambda n: os.kill(os.getpid(), signal.SIGKILL) if n in killers else n  # noqa: E731
    found = results(die, 20, workers=2)
    assert {n[0] for n in found if isinstance(n, tuple)} == killers
    assert sorted(n for n in found if isinstance(n, int)) == sorted({*range(20)} - killers)


@pytest.mark.slow("worker processes are started")
def test_a_task_that_dies_before_any_other_is_done_stops_no_other() -> None:
    found = list(run(die_at_three, [3, 4], scheduler=None, workers=2, killed=named))
    assert set(found) == {(3, KILLED), 16}


@pytest.mark.slow("worker processes are started")
def test_the_first_result_is_there_before_the_others_are_done(tmp_path: Path) -> None:
    first_came = tmp_path / "first came"

    def wait(number: int) -> int:
        while number and not first_came.exists():
            time.sleep(0.01)
        return number

    stream = run(wait, range(9), scheduler=None, workers=2, killed=lambda *_: None)
    assert next(stream) == 0
    first_came.touch()
    assert sorted(stream) == list(range(1, 9))


def test_without_the_extra_one_line_says_what_to_install(
    kept: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(el.ConfigurationError, match=r"pip install 'eyelog\[cohort\]'"):
        el.cohort.daily(kept, SIXTY)


def test_a_cohort_on_this_machine_loads_no_dask(kept: el.Archive) -> None:
    program = (
        f"import sys, eyelog as el; archive = el.Archive({kept.path!r})\n"
        f"print(len(el.cohort.daily(archive, log={SIXTY!r}, workers=2)), 'dask' in sys.modules)"
    )
    days = len(el.cohort.daily(kept, SIXTY, workers=1))
    assert python(program).stdout.split() == [str(days), "False"]


@pytest.mark.slow("worker processes are started")
def test_workers_start_where_the_folder_for_temporary_files_has_a_long_path(
    kept: el.Archive, tmp_path: Path
) -> None:
    folder = tmp_path / ("scratch" * 12)
    folder.mkdir()
    program = (
        "import sys, tempfile, eyelog as el\n"
        "tempfile.tempdir = sys.argv[2]\n"
        f"print(len(el.cohort.daily(el.Archive(sys.argv[1]), log={SIXTY!r}, workers=2)))"
    )
    days = len(el.cohort.daily(kept, SIXTY, workers=1))
    assert python(program, kept.path, str(folder)).stdout.strip() == str(days)


@pytest.mark.slow("worker processes are started")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are forks of a server")
def test_workers_never_compute_with_another_eyelog(kept: el.Archive, tmp_path: Path) -> None:
    ours = Path(el.__file__).parent
    shutil.copytree(ours, tmp_path / "eyelog", ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "script.py"
    script.write_text(
        "import eyelog as el\n"
        "if __name__ == '__main__':\n"
        f"    el.cohort.daily(el.Archive({kept.path!r}), log={SIXTY!r}, workers=2)\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    theirs, mine = ours, tmp_path / "eyelog"
    assert f"the eyelog in {theirs}, this process that in {mine}: install" in done.stderr


def test_a_function_that_names_the_package_is_sent_to_the_workers(kept: el.Archive) -> None:
    where = el.cohort.apply(kept, lambda _: el.__file__, log=SIXTY, workers=2)
    assert set(where["value"]) == {el.__file__}


@pytest.mark.parametrize("scheduler", [3, "tcp://127.0.0.1:1"])
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_cannot_be_used_is_one_line(kept: el.Archive, scheduler: Any) -> None:
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(el.ConfigurationError, match="scheduler"),
    ):
        el.cohort.daily(kept, SIXTY, scheduler=scheduler)
    assert distributed


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


@pytest.mark.slow("a Dask cluster is started")
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_whose_worker_is_killed_gives_the_same_table(
    archive: el.Archive, cluster: Any, tmp_path: Path
) -> None:
    for seed in range(12):
        frame = el.simulate("2026-09-28", 6, log=SIXTY, seed=seed % 3, tz="Asia/Tokyo")
        archive.write(SIXTY, frame, account=f"more{seed:02}")
    out = tmp_path / "out"
    from distributed import Client

    with Client(cluster) as client:
        workers = list(client.run(os.getpid).values())

        def kill() -> None:
            while not list(out.glob("*/2*.parquet")):
                time.sleep(0.001)
            os.kill(workers[0], signal.SIGKILL)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        report = el.cohort.daily(archive, SIXTY, tz="Asia/Tokyo", out=out, scheduler=client)
        killer.join()
        # What the killed worker had finished is found when it is asked for again.
        assert set(report["state"]) <= {"done", "unchanged"}
    table = el.cohort.daily(archive, SIXTY, tz="Asia/Tokyo", workers=1)
    assert_frame_equal(pd.read_parquet(out).sort_index(), table, check_exact=True)
    by_address = el.cohort.daily(
        archive, log=SIXTY, tz="Asia/Tokyo", scheduler=cluster.scheduler_address
    )
    assert_frame_equal(by_address, table, check_exact=True)
