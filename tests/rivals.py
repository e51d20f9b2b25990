"""Runs a function in several processes at once, forked from one that has imported most of what they use."""

import multiprocessing
import traceback
from collections.abc import Callable
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Barrier
from typing import Any, TypeVar

T = TypeVar("T")
_IS_FORKED = "forkserver" in multiprocessing.get_all_start_methods()
_CONTEXT: Any = multiprocessing.get_context("forkserver" if _IS_FORKED else "spawn")
_IMPORTED = ["pytest", "stratabase.members.operations.update", "stratabase.members.stores.sqlite_members"]
_TIMEOUT = 600


def in_processes(work: Callable[..., T], *arguments: tuple[Any, ...]) -> list[T]:
    """Return the results of `work(wait, *each)` for each of several arguments, each in its own process.

    `wait()` returns when all processes have called it.
    """
    if _IS_FORKED:
        _CONTEXT.set_forkserver_preload(_IMPORTED)
    start, results = _CONTEXT.Barrier(len(arguments)), _CONTEXT.Queue()
    processes = [
        _CONTEXT.Process(target=_run, args=(work, start, results, number, each))
        for number, each in enumerate(arguments)
    ]
    for process in processes:
        process.start()
    found = sorted(results.get(timeout=_TIMEOUT) for _ in processes)
    for process in processes:
        process.join()
    errors = [error for _, error, _ in found if error]
    assert errors == [], "\n".join(errors)
    return [result for _, _, result in found]


def _run(
    work: Callable[..., T], start: Barrier, results: "Queue[Any]", number: int, arguments: tuple[Any, ...]
) -> None:
    try:
        results.put((number, "", work(start.wait, *arguments)))
    except BaseException:
        start.abort()
        results.put((number, traceback.format_exc(), None))
        raise
