"""Wearers in processes of this machine and on a cluster, some of which die."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import eyelog as el
from support.cohorts import SIXTY, days_of
from support.paths import ROOT
from support.processes import python

MANY = [f"w{number:02}" for number in range(20)]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> el.Archive:
    """Return an archive of twenty wearers with an hour of records each."""
    archive = el.Archive(tmp_path_factory.mktemp("many") / "archive")
    for account in MANY:
        archive.write(SIXTY, days_of(0).iloc[500:560], account=account)
    return archive


def values(archive: el.Archive, function: Callable[[pd.DataFrame], Any], **more: Any) -> pd.Series:
    settings = {"log": SIXTY, "fields": "wea_s", "workers": 2, **more}
    return el.cohort.apply(archive, function, **settings)["value"]


def number_of(frame: pd.DataFrame) -> int:
    return int(frame.attrs["eyelog"]["account"][1:])


@pytest.mark.slow("worker processes are started")
def test_the_processes_that_began_compute_all_wearers_even_with_a_function_of_a_notebook(
    many: el.Archive,
) -> None:
    more = 5
    found = values(many, lambda frame: number_of(frame) + more)
    assert found.to_dict() == {account: n + 5 for n, account in enumerate(MANY)}
    assert values(many, lambda _: os.getpid()).nunique() <= 2


def draw(_: pd.DataFrame) -> float:
    time.sleep(0.01)
    return float(np.random.random())  # noqa: NPY002 - as a user's function may


def test_workers_draw_different_random_numbers(many: el.Archive) -> None:
    assert len({*values(many, draw), *values(many, draw)}) == 40


@pytest.mark.parametrize("dead", [{3}, {0, 2, 4, 6}, {12, 14, 16, 18}])
def test_a_wearer_whose_process_is_killed_is_named_and_stops_no_other(
    many: el.Archive, dead: set[int]
) -> None:
    def die(frame: pd.DataFrame) -> int:
        number = number_of(frame)
        return os.kill(os.getpid(), signal.SIGKILL) if number in dead else number

    killed = f"{len(dead)} of 20 .*its worker process was killed, perhaps for lack of memory"
    with pytest.warns(el.EyelogWarning, match=killed):
        found = values(many, die)
    assert found.tolist() == sorted({*range(20)} - dead)


@pytest.mark.slow("worker processes are started")
def test_the_first_result_is_there_before_the_others_are_done(
    many: el.Archive, tmp_path: Path
) -> None:
    out = tmp_path / "out"

    def wait(frame: pd.DataFrame) -> int:
        while number_of(frame) and not list(out.glob("*/*.parquet")):
            time.sleep(0.01)
        return number_of(frame)

    report = el.cohort.apply(many, wait, log=SIXTY, fields="wea_s", out=out, workers=2)
    assert set(report["state"]) == {"done"}


def test_without_the_extra_one_line_says_what_to_install(
    kept: el.Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(el.ConfigurationError, match=r"pip install 'eyelog\[cohort\]'"):
        el.cohort.daily(kept, SIXTY)


@pytest.mark.slow("worker processes are started")
def test_workers_load_no_dask_and_start_where_temporary_files_have_a_long_path(
    kept: el.Archive, tmp_path: Path
) -> None:
    folder = tmp_path / ("scratch" * 12)
    folder.mkdir()
    program = (
        "import sys, tempfile, eyelog as el\n"
        "tempfile.tempdir = sys.argv[2]\n"
        f"days = el.cohort.daily(el.Archive(sys.argv[1]), log={SIXTY!r}, workers=2)\n"
        "print(len(days), 'dask' in sys.modules)"
    )
    days = len(el.cohort.daily(kept, SIXTY, workers=1))
    for place in (folder, tmp_path):
        assert python(program, kept.path, str(place)).stdout.split() == [str(days), "False"]


@pytest.mark.slow("worker processes are started")
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="workers are forks of a server")
def test_workers_never_compute_with_another_eyelog(kept: el.Archive, tmp_path: Path) -> None:
    ours = ROOT / "src" / "eyelog"
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


@pytest.mark.parametrize("scheduler", [3, "tcp://127.0.0.1:1"])
@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_cannot_be_used_is_one_line(kept: el.Archive, scheduler: Any) -> None:
    pytest.importorskip("distributed")
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(el.ConfigurationError, match="scheduler"),
    ):
        el.cohort.daily(kept, SIXTY, scheduler=scheduler)


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
        archive.write(SIXTY, days_of(seed % 3), account=f"more{seed:02}")
    daily, out = partial(el.cohort.daily, archive, SIXTY, tz="Asia/Tokyo"), tmp_path / "out"
    from distributed import Client

    with Client(cluster) as client:
        workers = list(client.run(os.getpid).values())

        def kill() -> None:
            while not list(out.glob("*/2*.parquet")):
                time.sleep(0.001)
            os.kill(workers[0], signal.SIGKILL)

        killer = threading.Thread(target=kill, daemon=True)
        killer.start()
        report = daily(out=out, scheduler=client)
        killer.join()
        # What the killed worker had finished is found when it is asked for again.
        assert set(report["state"]) <= {"done", "unchanged"}
    table = daily(workers=1)
    assert_frame_equal(pd.read_parquet(out).sort_index(), table, check_exact=True)
    by_address = daily(scheduler=cluster.scheduler_address)
    assert_frame_equal(by_address, table, check_exact=True)
