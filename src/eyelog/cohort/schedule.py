"""Tasks in processes of this machine, or on a Dask cluster. One broken task breaks no other.

loky runs the processes of this machine, as it does for joblib and scikit-learn. Both it and Dask
are executors of the standard library's form, and both take the functions of a notebook.
"""

import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import nullcontext
from typing import Any, Final, TypeVar

import numpy as np
import pyarrow as pa

from eyelog.checks import whole_number
from eyelog.cores import usable_cores
from eyelog.errors import ConfigurationError, EyelogError

Item = TypeVar("Item")
Result = TypeVar("Result")

KILLED: Final = "its worker process was killed, perhaps for lack of memory"
PER_WORKER: Final = 256  # tasks of a cluster that are under way at a time: memory is bounded
AHEAD: Final = 3  # tasks per process under way at a time, so that none waits for its next
IDLE_S: Final = 300  # how long processes stay for the next call: starting them takes two seconds
LARGEST_KEPT: Final = 32 * 1024**2 - 64 * 1024  # glibc takes no notice of blocks above 32 MB
LEAST_PER_PROCESS: Final = 8  # wearer-months; in the first call, a process takes seconds to start


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
        If the extra ``cohort`` is not installed, or `scheduler` or `workers` cannot be used.
    EyelogError
        If the cluster is gone.
    """
    try:
        import loky
    except ImportError:
        raise ConfigurationError("el.cohort needs loky: pip install 'eyelog[cohort]'") from None
    if workers is not None:
        whole_number(workers, "workers", 1)
    if scheduler is not None:
        if workers is not None:
            raise ConfigurationError(
                "workers is for this machine; the cluster of scheduler has its own: give one of the"
                " two"
            )
        yield from _on_cluster(function, items, scheduler, killed)
        return
    number = min(usable_cores(), len(items) // LEAST_PER_PROCESS) if workers is None else workers
    if number <= 1:
        _keep_freed_memory()
        yield from map(function, items)
        return

    def processes() -> Executor:
        executor: Executor = loky.get_reusable_executor(
            number, timeout=IDLE_S, initializer=_begin_worker
        )
        return executor

    waiting = deque(items)
    while waiting:
        broken = yield from _through(processes(), function, waiting, AHEAD * number)
        for item in broken:  # all that were under way when a process died: which of them ended it?
            try:
                yield processes().submit(function, item).result()
            except BrokenExecutor:
                yield killed(item, KILLED)


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
    try:
        connection = (
            distributed.Client(scheduler, set_as_default=False)
            if isinstance(scheduler, str)
            else nullcontext(scheduler)
        )
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with connection as client:
        most = PER_WORKER * max(1, len(client.scheduler_info()["workers"]))
        try:
            broken = yield from _through(
                client.get_executor(pure=False),
                function,
                deque(items),
                most,
                died=distributed.KilledWorker,  # several workers in a row died on the task
            )
        except CancelledError:
            raise EyelogError(
                "the Dask cluster is gone: start it again and repeat the call"
            ) from None
        for item in broken:
            yield killed(item, KILLED)


def _through(
    executor: Executor,
    function: Callable[[Item], Result],
    waiting: deque[Item],
    most: int,
    *,
    died: type[Exception] = BrokenExecutor,
) -> Generator[Result, None, list[Item]]:
    """Compute what waits, `most` at a time, and give each result when it is ready.

    An item leaves `waiting` when the executor has it. Returns those whose process died; an executor
    that is broken takes no more.
    """
    under_way: dict[Future[Result], Item] = {}
    broken: list[Item] = []
    takes_more = True
    try:
        while under_way or (waiting and takes_more):
            while takes_more and waiting and len(under_way) < most:
                try:
                    under_way[executor.submit(function, waiting[0])] = waiting[0]
                    waiting.popleft()
                except BrokenExecutor:
                    takes_more = False
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                item = under_way.pop(future)
                try:
                    result = future.result()
                except died:
                    broken.append(item)
                else:
                    yield result
    finally:
        for future in under_way:  # the caller stops: Ctrl-C, or the first result was enough
            future.cancel()
    return broken


def _begin_worker() -> None:
    """Leave interrupts to the main process. Each core has a process, and each process a thread."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pa.set_cpu_count(1)
    _keep_freed_memory()


def _keep_freed_memory() -> None:
    """Make glibc keep what is freed, up to 64 MB, for the columns of the next month.

    It gives a column of more than 128 KB back to the system as soon as it is freed, and requests
    the next one again, page by page: a seventh of the CPU time of a month. It keeps blocks as large
    as the largest that was freed so far (mallopt(3), M_MMAP_THRESHOLD); this one is never touched,
    so it takes no memory. Other C libraries may behave differently.
    """
    np.empty(LARGEST_KEPT, np.uint8)
