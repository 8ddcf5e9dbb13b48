"""Tasks in processes of this machine, or on a Dask cluster. One broken task breaks no other.

On this machine a pool of the standard library computes them, without Dask, whose scheduler took
five times as much time for each task and had to be imported first; a cluster answers through the
same interface (`concurrent.futures`). Functions go to the processes as they go to a cluster, with
cloudpickle, so both take a function of a notebook.
"""

import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa

import eyelog
from eyelog.checks import whole_number
from eyelog.cores import keep_freed_memory, usable_cores
from eyelog.errors import ConfigurationError, EyelogError

Item = TypeVar("Item")
Result = TypeVar("Result")

KILLED: Final = "its worker process was killed, perhaps for lack of memory"
BATCH: Final = 64  # tasks per worker of a cluster that are under way at a time: memory is bounded
AHEAD: Final = 4  # tasks per process under way at a time, so that none waits for its next
LEAST_PER_PROCESS: Final = 8  # wearer-months; in the first call, a process takes a second to start

# On Linux, workers are forks of a server that has imported what they need. The first call starts
# the server, and each later one has its workers in milliseconds. macOS libraries do not survive a
# fork.
FORKS: Final = sys.platform == "linux"
IMPORTED: Final = ["eyelog.cohort", "cloudpickle", "scipy.special"]


def run(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    scheduler: Any,
    workers: int | None,
    killed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    """Give the results of `function` for each item, in the order in which they are ready.

    `function` raises nothing; where its process dies, `killed` makes the result.

    Raises
    ------
    ConfigurationError
        If cloudpickle is not installed, or `scheduler` or `workers` cannot be used.
    EyelogError
        If no worker process can start, or the cluster is gone.
    """
    try:
        import cloudpickle  # noqa: F401 - only whether it is there
    except ImportError:
        raise ConfigurationError(
            "el.cohort needs cloudpickle: pip install 'eyelog[cohort]'"
        ) from None
    if workers is not None and scheduler is not None:
        raise ConfigurationError(
            "workers is for this machine; the cluster of scheduler has its own: give one of the two"
        )
    if scheduler is not None:
        yield from _on_cluster(function, items, scheduler, killed)
        return
    if workers is None:
        number = min(usable_cores(), len(items) // LEAST_PER_PROCESS)
    else:
        number = whole_number(workers, "workers", 1)
    if number > 1:
        yield from _in_processes(function, items, number, killed)
    else:
        keep_freed_memory()
        yield from map(function, items)


def _in_processes(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    killed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    waiting = deque(items)
    under_way: dict[Future[Result], Item] = {}
    while waiting:
        try:
            with _pool(workers) as pool:
                submit = partial(_submit, pool, function)
                yield from _as_ready(submit, waiting, under_way, AHEAD * workers, killed)
        except BrokenProcessPool:
            # One of the tasks under way has killed its process: each is now alone in a new one.
            suspects = [*under_way.values()]
            under_way.clear()
            for item in suspects:
                try:
                    with _pool(1) as pool:
                        result = _submit(pool, function, item).result()
                except BrokenProcessPool:
                    result = killed(item, KILLED)
                yield result


def _on_cluster(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    scheduler: Any,
    killed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    try:
        import distributed
    except ImportError:
        raise ConfigurationError(
            "a Dask cluster needs distributed: pip install 'eyelog[cohort]'"
        ) from None
    if not isinstance(scheduler, str | distributed.Client):
        raise ConfigurationError(
            "scheduler takes an address such as 'tcp://10.0.0.1:8786' or a dask.distributed.Client,"
            f" not a {type(scheduler).__name__}"
        )
    client: Any = nullcontext(scheduler)
    if isinstance(scheduler, str):
        try:
            client = distributed.Client(scheduler, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConfigurationError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client as of:
        submit = partial(of.get_executor(pure=False).submit, function)
        most = BATCH * max(1, len(of.scheduler_info()["workers"]))
        deaths = distributed.KilledWorker  # several workers in a row have died on a task
        try:
            yield from _as_ready(submit, deque(items), {}, most, killed, deaths)
        except CancelledError:
            raise EyelogError(
                "the Dask cluster is gone: start it again and repeat the call"
            ) from None


def _as_ready(
    submit: Callable[[Item], Future[Result]],
    waiting: deque[Item],
    under_way: dict[Future[Result], Item],
    most: int,
    killed: Callable[[Item, str], Result],
    deaths: type[Exception] | tuple[()] = (),
) -> Iterator[Result]:
    """Compute what waits, so many tasks at a time, and give each result when it is ready.

    A task leaves `waiting` when it is submitted, and `under_way` when its result is there. An error
    of the kind `deaths` means that the task has killed its process.
    """
    while waiting or under_way:
        while waiting and len(under_way) < most:
            future = submit(waiting[0])
            under_way[future] = waiting.popleft()
        for done in wait(under_way, return_when=FIRST_COMPLETED).done:
            try:
                result = done.result()
            except deaths:
                result = killed(under_way[done], KILLED)
            del under_way[done]
            yield result


def _submit(
    pool: ProcessPoolExecutor, function: Callable[[Item], Result], item: Item
) -> Future[Result]:
    """Have a function computed for an item, even a function of a notebook."""
    import cloudpickle

    with _interrupts_blocked():  # if no process is idle, this starts one
        return pool.submit(_computed, cloudpickle.dumps((function, item)))


def _computed(packed: bytes) -> Any:
    """Compute what `_submit` has packed, in a process of the pool."""
    function, item = pickle.loads(packed)  # noqa: S301 - from the process that started this one
    return function(item)


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start all processes at once; raise if none can start, which is not the fault of a task.

    Ctrl-C is raised in the main thread only, so another thread starts them: none is left half
    started, which nobody would stop.
    """
    # The socket of the server is in this folder, and its path must be shorter than 108 bytes.
    forks = FORKS and len(os.fsencode(tempfile.gettempdir())) < 70
    context = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(IMPORTED)
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin_worker, initargs=(dict(os.environ),)
    )

    def start() -> list[Future[str]]:
        with _interrupts_blocked():  # each task that finds no idle process starts one
            return [pool.submit(_origin) for _ in range(workers)]

    try:
        try:
            with ThreadPoolExecutor(1) as thread:
                starting = thread.submit(start)
            theirs = wait(starting.result(), return_when=FIRST_COMPLETED).done.pop().result()
        except BrokenProcessPool:
            raise EyelogError(
                "no worker process could start: in a script, put the call under"
                " if __name__ == '__main__':, or pass workers=1"
            ) from None
        if theirs != _origin():
            raise EyelogError(
                f"worker processes use the eyelog in {theirs}, this process that in {_origin()}:"
                f" install this one, or pass workers=1"
            )
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _origin() -> str:
    """Return the folder of the eyelog that computes; a server knows no path added by a script."""
    return str(Path(eyelog.__file__).parent)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block SIGINT in the processes that this thread starts, even while they import."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start unblocks SIGINT in this thread
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin_worker(environment: Mapping[str, str]) -> None:
    """Leave interrupts to the main process, and end with it even if it is killed.

    There is a process for each core, so each has one thread for its work. What a fork inherits from
    its server is replaced: variables of the environment, and the state of NumPy's global generator.
    """
    os.environ.clear()
    os.environ.update(environment)
    np.random.seed()  # noqa: NPY002 - for functions that use it unseeded
    pa.set_cpu_count(1)
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
