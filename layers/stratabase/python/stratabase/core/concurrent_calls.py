"""Runs many calls of blocking functions at the same time, in an event loop of their own.

Commands that write many objects use it. So their writes share commits, and wait for the network at the same
time, as those of concurrent requests do.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from stratabase.core import waiting
from stratabase.core.greenlets import Call, Greenlets

_CALLS_PER_ITERATION = 32
"""The number of calls that start in one iteration of the event loop, which also handles signals."""


class ConcurrentCalls:
    """Runs calls, at most `at_once` at the same time. The number can change meanwhile."""

    def __init__(self, at_once: int, threads: int) -> None:
        """`threads`: the number of threads for calls that wait for a network."""
        self.at_once = at_once
        self._threads = threads

    def __call__(self, works: Iterable[Callable[[], None]]) -> None:
        """Run all functions. Take each only when it can start.

        If one raises an exception, no other starts, and the exception is raised when those that run have
        ended.
        """
        with asyncio.Runner() as runner:
            runner.run(self._run(iter(works)))

    async def _run(self, works: Iterator[Callable[[], None]]) -> None:
        greenlets = Greenlets(asyncio.get_running_loop(), self._threads)
        running = _Running()
        waiting.install(greenlets)
        try:
            for started, work in enumerate(works, 1):
                greenlets.start(_Work(work, running))
                if started % _CALLS_PER_ITERATION == 0:
                    await asyncio.sleep(0)
                while running.number >= self.at_once and running.error is None:
                    await running.until_one_ends()
                if running.error is not None:
                    break
            await greenlets.finish()
        except asyncio.CancelledError:  # the user interrupts the command
            await greenlets.finish()
            raise
        finally:
            waiting.install(waiting.Blocking())
        if running.error is not None:
            raise running.error


class _Running:
    """The calls that run."""

    def __init__(self) -> None:
        self.number = 0
        self.error: BaseException | None = None
        """The first exception of a call."""
        self._one_has_ended = asyncio.Event()

    async def until_one_ends(self) -> None:
        """Wait until another call ends."""
        self._one_has_ended.clear()
        await self._one_has_ended.wait()

    def end(self, error: BaseException | None) -> None:
        """Note that a call has ended."""
        self.number -= 1
        self.error = self.error or error
        self._one_has_ended.set()


class _Work(Call):
    """The call of a function without a result."""

    def __init__(self, work: Callable[[], None], running: _Running) -> None:
        self._work = work
        self._running = running
        running.number += 1

    def work(self) -> Any:
        """Call the function."""
        self._work()

    def end(self) -> None:
        """Pass on what the function raised."""
        self._running.end(self.error)

    def end_late(self) -> None:
        """Do nothing more, because these calls have no time limit."""
        self.end()
