"""Tasks in processes of this machine, or on a Dask cluster. One broken task breaks no other.

On this machine a pool of the standard library computes them, without Dask, whose scheduler took
five times as much time for each task and had to be imported first. Functions go to the processes as
they go to a cluster, with cloudpickle, so both take a function of a notebook.
"""

import itertools
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa

import eyelog
from eyelog.checks import whole_number
from eyelog.cores import usable_cores
from eyelog.errors import ConfigurationError, EyelogError

Item = TypeVar("Item")
Result = TypeVar("Result")

KILLED: Final = "its worker process was killed, perhaps for lack of memory"
BATCH: Final = 256  # tasks per worker of a cluster that are under way at a time: memory is bounded
AHEAD: Final = 2  # submissions per process under way at a time, so that none waits for its next
TOGETHER: Final = 4  # tasks sent to a process at a time if there are many: sending costs the same
LARGEST_KEPT: Final = 32 * 1024**2 - 64 * 1024  # glibc takes no notice of blocks above 32 MB
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
    _check(scheduler, workers)
    if scheduler is not None:
        yield from _on_cluster(function, items, scheduler, killed)
        return
    number = usable_cores() if workers is None else workers
    if workers is None:
        number = min(number, len(items) // LEAST_PER_PROCESS)
    if number <= 1:
        _keep_freed_memory()
        yield from map(function, items)
    else:
        yield from _in_processes(function, items, number, killed)


def _check(scheduler: Any, workers: Any) -> None:
    try:
        import cloudpickle  # noqa: F401 - only whether it is there
    except ImportError:
        raise ConfigurationError(
            "el.cohort needs cloudpickle: pip install 'eyelog[cohort]'"
        ) from None
    if workers is not None:
        whole_number(workers, "workers", 1)
    if scheduler is not None and workers is not None:
        raise ConfigurationError(
            "workers is for this machine; the cluster of scheduler has its own: give one of the two"
        )


def _in_processes(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    workers: int,
    killed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    together = min(TOGETHER, max(1, len(items) // (16 * workers)))
    waiting = deque(items[first : first + together] for first in range(0, len(items), together))
    under_way: dict[Future[bytes], Sequence[Item]] = {}
    while True:
        try:
            with _pool(workers) as pool:
                yield from _through_pool(pool, function, waiting, under_way, AHEAD * workers)
            return
        except BrokenProcessPool:
            suspects = [item for part in under_way.values() for item in part]
            under_way.clear()
            yield from _one_by_one(function, suspects, killed)


def _through_pool(
    pool: ProcessPoolExecutor,
    function: Callable[[Item], Result],
    waiting: deque[Sequence[Item]],
    under_way: dict[Future[bytes], Sequence[Item]],
    most: int,
) -> Iterator[Result]:
    """Compute what waits, a few parts at a time, and give each result when it is ready.

    A part leaves `waiting` when the pool has it, and `under_way` when its results are ready.
    """
    while waiting or under_way:
        while waiting and len(under_way) < most:
            future = _submit(pool, function, waiting[0])
            under_way[future] = waiting.popleft()
        for done in wait(under_way, return_when=FIRST_COMPLETED).done:
            results: list[Result] = pickle.loads(done.result())  # noqa: S301 - of our own process
            del under_way[done]
            yield from results


def _submit(
    pool: ProcessPoolExecutor, function: Callable[[Item], Result], items: Sequence[Item]
) -> Future[bytes]:
    """Have a function computed for some items, even a function of a notebook."""
    import cloudpickle

    with _interrupts_blocked():  # if no process is idle, this starts one
        return pool.submit(_computed, cloudpickle.dumps((function, items)))


def _computed(packed: bytes) -> bytes:
    """Compute what `_submit` has packed, in a process of the pool."""
    import cloudpickle

    function, items = pickle.loads(packed)  # noqa: S301 - from the process that started this one
    results: bytes = cloudpickle.dumps([function(item) for item in items])
    return results


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    # The socket of the server is in this folder, and its path must be shorter than 108 bytes.
    forks = FORKS and len(os.fsencode(tempfile.gettempdir())) < 70
    context = multiprocessing.get_context("forkserver" if forks else "spawn")
    if forks:
        context.set_forkserver_preload(IMPORTED)
    pool = ProcessPoolExecutor(
        workers, mp_context=context, initializer=_begin_worker, initargs=(dict(os.environ),)
    )
    try:
        _start(pool, workers)
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


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


def _start(pool: ProcessPoolExecutor, workers: int) -> None:
    """Start all processes at once; raise if none can start, which is not the fault of a task.

    Ctrl-C is raised in the main thread only, so it never leaves a process half started, which
    nobody would stop.
    """

    def start() -> list[Future[str]]:
        with _interrupts_blocked():  # each task that finds no idle process starts one
            return [pool.submit(_origin) for _ in range(workers)]

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


def _origin() -> str:
    """Return the folder of the eyelog that computes; a server knows no path added by a script."""
    return str(Path(eyelog.__file__).parent)


def _begin_worker(environment: Mapping[str, str]) -> None:
    """Leave interrupts to the main process, and end with it even if it is killed.

    There is a process for each core, so each has one thread for its work. What a fork inherits from
    its server is replaced: variables of the environment, and the state of NumPy's global generator.
    """
    os.environ.clear()
    os.environ.update(environment)
    np.random.seed()  # noqa: NPY002 - for functions that use it unseeded
    pa.set_cpu_count(1)
    _keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _keep_freed_memory() -> None:
    """Make glibc keep what is freed, up to 64 MB, for the columns of the next month.

    It gives a column of more than 128 KB back to the system as soon as it is freed, and requests
    the next one again, page by page: a seventh of the CPU time of a month. It keeps blocks as large
    as the largest that was freed so far (mallopt(3), M_MMAP_THRESHOLD); this one is never touched,
    so it takes no memory. Other C libraries may behave differently.
    """
    np.empty(LARGEST_KEPT, np.uint8)


def _one_by_one(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    killed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    """Find the task that kills its process: one task at a time, after a death in a new process."""
    waiting = iter(items)
    for item in waiting:
        with _pool(1) as pool:
            for each in itertools.chain([item], waiting):
                try:
                    made = _submit(pool, function, [each]).result()
                    (result,) = pickle.loads(made)  # noqa: S301 - of our own process
                    yield result
                except BrokenProcessPool:
                    yield killed(each, KILLED)
                    break


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
    if isinstance(scheduler, distributed.Client):
        yield from _through(scheduler, function, items, killed)
        return
    if not isinstance(scheduler, str):
        raise ConfigurationError(
            "scheduler takes an address such as 'tcp://10.0.0.1:8786' or a dask.distributed.Client,"
            f" not a {type(scheduler).__name__}"
        )
    try:
        client = distributed.Client(scheduler, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client:
        yield from _through(client, function, items, killed)


def _through(
    client: Any,
    function: Callable[[Item], Result],
    items: Sequence[Item],
    killed: Callable[[Item, str], Result],
) -> Iterator[Result]:
    from distributed import CancelledError, KilledWorker, as_completed

    waiting = iter(items)
    window = BATCH * max(1, len(client.scheduler_info()["workers"]))
    of: dict[str, Item] = {}

    def submit(item: Item) -> Any:
        future = client.submit(function, item, pure=False)
        of[future.key] = item
        return future

    ready = as_completed(
        [submit(item) for item in itertools.islice(waiting, window)], loop=client.loop
    )
    for future in ready:
        item = of.pop(future.key)
        try:
            result = future.result()
        except KilledWorker:  # several workers in a row died on it
            result = killed(item, KILLED)
        except CancelledError:
            raise EyelogError(
                "the Dask cluster is gone: start it again and repeat the call"
            ) from None
        following = next(waiting, None)
        if following is not None:
            ready.add(submit(following))
        yield result
