"""Lets functions that wait share one event loop: each call runs in a greenlet that steps aside meanwhile.

What need not wait is answered without a turn of the loop. What waits for a commit is woken together with all
others of the same commit, by one signal to the loop.
"""

import asyncio
import contextvars
import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar, cast

from greenlet import getcurrent, greenlet

from stratabase.cli.gateway.current_request import current_request

T = TypeVar("T")
THREADS = 4

log = logging.getLogger(__name__)


class CallTimeout(Exception):
    """A call has not ended in time."""


class _Call:
    """A call, and in the end its outcome. It ends even if nobody waits for that any more."""

    __slots__ = ("_error", "_result", "_work", "completion", "ended", "name")

    def __init__(self, work: Callable[[], Any], name: bytes) -> None:
        self._work = work
        self.name = name
        self._result: Any = None
        self._error: BaseException | None = None
        self.ended = False
        self.completion: asyncio.Future[None] | None = None
        """Done when the call has ended or is given up; made when it first waits."""

    def run(self) -> None:
        """Do the work and keep its outcome."""
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - it is raised again where the outcome is asked for
            self._error = error
        self.ended = True

    def outcome(self) -> Any:
        """Return what the work returned, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._result


class _CallGreenlet(greenlet):
    """Makes one call after the other: a new greenlet for each would cost more than most calls do."""

    call: _Call

    def run(self) -> None:
        """Make the calls that it is given."""
        while True:
            self.call.run()
            self.switch_to_loop()

    def start(self, call: _Call) -> None:
        """Begin a call; return when it has ended, or waits."""
        self.call = call
        self.gr_context = contextvars.Context()
        self.switch()

    def switch_to_loop(self) -> None:
        """Give the thread back to the loop, until it comes back."""
        cast("greenlet", self.parent).switch()


class Greenlets:
    """Runs calls in greenlets of one loop, and is the way in which they wait (see stratabase.waiting)."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ready: deque[_CallGreenlet] = deque()
        self._signalled = False
        self._idle: list[_CallGreenlet] = []
        self._busy: set[_CallGreenlet] = set()
        self._all_ended = asyncio.Event()
        self._threads = ThreadPoolExecutor(THREADS, "aside")
        self.signals = 0
        """How often the loop was signalled to wake calls."""

    async def run(self, work: Callable[[], T], time_limit: float | None = None, name: bytes = b"") -> T:
        """Return what `work()` returns. Raises CallTimeout after `time_limit` seconds; the work goes on.

        `name` is the request's name (see CurrentRequest), in case that the call blocks the loop.
        """
        call = _Call(work, name)
        runner = self._idle.pop() if self._idle else _CallGreenlet()
        current_request.enter(name)
        runner.start(call)
        current_request.leave()
        if call.ended:
            self._idle.append(runner)
        else:
            self._busy.add(runner)
            await self._wait_for(call, time_limit)
        return cast("T", call.outcome())

    async def finish(self) -> None:
        """Wait until every call has ended, also those for which nobody waits."""
        while self._busy:
            self._all_ended.clear()
            await self._all_ended.wait()
        self._threads.shutdown()

    def until(self, future: "Future[T]") -> T:
        """Return the future's result, or raise its exception, and let others go on meanwhile."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet) and not future.done():
            future.add_done_callback(lambda _: self._wake(runner))
            runner.switch_to_loop()
        return future.result()

    def offload(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return what `work(*arguments)` returns, run in a thread of its own."""
        if not isinstance(getcurrent(), _CallGreenlet):
            return work(*arguments)
        context = contextvars.copy_context()
        return self.until(self._threads.submit(context.run, work, *arguments))

    def pause(self, seconds: float) -> None:
        """Return after some time, in which others go on; no thread waits for it."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet):
            self._loop.call_later(seconds, self._wake, runner)
            runner.switch_to_loop()
        else:
            time.sleep(seconds)

    def give_way(self) -> None:
        """Let all others that can go on do so first."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet):
            self._wake(runner)
            runner.switch_to_loop()

    async def _wait_for(self, call: _Call, time_limit: float | None) -> None:
        completion = call.completion = self._loop.create_future()
        timer = self._loop.call_later(time_limit, _time_out, completion) if time_limit is not None else None
        try:
            await completion
        finally:
            if timer is not None:
                timer.cancel()

    def _wake(self, runner: _CallGreenlet) -> None:
        """Have a call go on, from any thread. One signal serves all that wake before the loop sees it."""
        self._ready.append(runner)
        if not self._signalled:
            self._signalled = True
            self.signals += 1
            self._loop.call_soon_threadsafe(self._resume)

    def _resume(self) -> None:
        """Go on with those that were awake at the beginning; who gives way again waits for its next turn."""
        self._signalled = False
        for _ in range(len(self._ready)):
            runner = self._ready.popleft()
            current_request.enter(runner.call.name)
            runner.switch()
            if runner.call.ended:
                self._finish_call(runner)
        current_request.leave()

    def _finish_call(self, runner: _CallGreenlet) -> None:
        self._busy.discard(runner)
        self._idle.append(runner)
        _complete(runner.call)
        if not self._busy:
            self._all_ended.set()


def _time_out(completion: "asyncio.Future[None]") -> None:
    if not completion.done():
        completion.set_exception(CallTimeout())


def _complete(call: _Call) -> None:
    """Tell who waits for a call that it has ended; if nobody does, the log, if it ended badly."""
    if call.completion is not None and not call.completion.done():
        call.completion.set_result(None)
        return
    try:
        call.outcome()
    except Exception:
        log.exception("Call failed after its time limit")
