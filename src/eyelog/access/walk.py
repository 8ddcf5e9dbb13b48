"""Follow the cursor of one window to its end, and process the days of a range in parallel.

A walk completes or raises: it yields every page of the window, in order.
"""

import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from eyelog.answers.decode import decode_page
from eyelog.answers.page import Page
from eyelog.clock import Window
from eyelog.errors import AnswerError

__all__ = ["Ask", "Stopped", "side_by_side", "walk_window"]

Ask = Callable[[Mapping[str, str], str], bytes]
"""Returns the body of the answer to some parameters; the text names the request in errors."""

MOST_PAGES: Final = 500
"""Pages of one window. The service returns a full day of 5,760 records as 12 pages."""

MOST_EMPTY: Final = 3
"""Consecutive empty pages, each with a new cursor: nothing more will come."""

Task = TypeVar("Task")
Result = TypeVar("Result")


class Stopped(Exception):
    """The walk was stopped because another one failed or the user interrupted."""


def walk_window(
    ask: Ask, log: str, window: Window, *, fields: Sequence[str] | None = None, where: str
) -> Iterator[Page]:
    """Yield the pages of one window, until the cursor is null, missing or empty.

    Parameters
    ----------
    ask : callable
        Returns the answer to the parameters of one page.
    log : str
        The log to ask for.
    window : Window
        One local date, one offset.
    fields : sequence of str, optional
        The fields to ask for, in catalogue order; ``date`` is always asked for.
    where : str
        The name of these answers in messages.

    Raises
    ------
    AnswerError
        If an answer does not have the documented shape, or the walk would not end: a cursor is
        repeated, 3 empty pages in a row bring new cursors, or there are more than 500 pages.
    """
    # During a walk only the cursor may change: the service requires it.
    steady = {"date_from": window.date_from, "date_to": window.date_to}
    if fields is not None:
        steady["fields"] = ",".join(("date", *fields))
    where = f"{where}, {window.date_from} to {window.date_to}"
    seen: set[str] = set()
    cursor: str | None = None
    empty = 0
    for number in range(1, MOST_PAGES + 1):
        page_name = where if number == 1 else f"{where}, page {number}"
        body = ask(steady if cursor is None else {**steady, "cursor": cursor}, page_name)
        page = decode_page(body, log, fields=fields, where=page_name)
        yield page
        cursor = page.cursor
        if cursor is None:
            return
        if cursor in seen:
            raise AnswerError(
                f"{page_name}: the service repeats a cursor, so the walk would never end:"
                " report it to the operator of the service"
            )
        seen.add(cursor)
        empty = 0 if page.n else empty + 1
        if empty == MOST_EMPTY:
            raise AnswerError(
                f"{page_name}: {MOST_EMPTY} empty pages in a row, each with a cursor: report it"
                " to the operator of the service"
            )
    raise AnswerError(
        f"{where}: no end after {MOST_PAGES} pages: report it to the operator of the service"
    )


def side_by_side(
    tasks: Sequence[Task],
    work: Callable[[Task, threading.Event], Result],
    *,
    workers: int,
    done: Callable[[], None] = lambda: None,
) -> list[Result]:
    """Return ``work(task, stop)`` for each task, in the order of the tasks.

    The first error, or an interrupt, ends everything at once: no further task begins, and those
    under way see `stop` set and should raise `Stopped`. The threads are daemons, so that a request
    under way delays neither Ctrl-C nor the end of the program. One worker, or one task, needs no
    thread.

    Parameters
    ----------
    tasks : sequence
        The things to do.
    work : callable
        Does one task, in a thread.
    workers : int
        The most threads.
    done : callable
        Called in the caller's thread after each task.
    """
    stop = threading.Event()
    if min(workers, len(tasks)) < 2:
        # A new thread starts with cold memory, which makes decoding one day a tenth slower.
        in_turn = []
        for task in tasks:
            in_turn.append(work(task, stop))
            done()
        return in_turn
    waiting: queue.SimpleQueue[tuple[int, Task]] = queue.SimpleQueue()
    finished: queue.SimpleQueue[tuple[int, Result] | BaseException] = queue.SimpleQueue()
    for numbered in enumerate(tasks):
        waiting.put(numbered)

    def run() -> None:
        while not stop.is_set():
            try:
                number, task = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                finished.put((number, work(task, stop)))
            except BaseException as error:  # noqa: BLE001 # it is raised in the caller's thread
                finished.put(error)
                return

    for _ in range(min(workers, len(tasks))):
        threading.Thread(target=run, name="eyelog-fetch", daemon=True).start()
    results: dict[int, Result] = {}
    try:
        while len(results) < len(tasks):
            outcome = finished.get()
            if isinstance(outcome, BaseException):
                raise outcome
            results[outcome[0]] = outcome[1]
            done()
    finally:
        stop.set()
    return [results[number] for number in range(len(tasks))]
