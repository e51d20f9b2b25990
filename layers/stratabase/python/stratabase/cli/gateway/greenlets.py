"""Concurrent calls of blocking functions in one event loop: each call runs in a greenlet.

While a call waits, its greenlet returns control to the loop. A call that does not wait finishes without
another iteration of the loop. Calls that wait for the same commit resume together, after one signal.
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
    """A call has not ended within its time limit."""


class _Call:
    """A call and its outcome. It runs to its end even if nobody waits for it any more."""

    __slots__ = ("_error", "_result", "_work", "completion", "ended", "name")

    def __init__(self, work: Callable[[], Any], name: bytes) -> None:
        self._work = work
        self.name = name
        self._result: Any = None
        self._error: BaseException | None = None
        self.ended = False
        self.completion: asyncio.Future[None] | None = None
        """Done when the call has ended or its time limit has passed. None until `Greenlets.run` waits."""

    def run(self) -> None:
        """Run the work and store its outcome."""
        try:
            self._result = self._work()
        except BaseException as error:  # noqa: BLE001 - `outcome` raises it again
            self._error = error
        self.ended = True

    def outcome(self) -> Any:
        """Return the result of the work, or raise its exception."""
        if self._error is not None:
            raise self._error
        return self._result


class _CallGreenlet(greenlet):
    """A greenlet that runs one call after another, as creating one costs more than most calls."""

    call: _Call

    def run(self) -> None:
        """Run each call that `start` sets."""
        while True:
            self.call.run()
            self.switch_to_loop()

    def start(self, call: _Call) -> None:
        """Start a call. Returns as soon as the call has ended or waits."""
        self.call = call
        # The greenlet is reused, so give each call its own context variables.
        self.gr_context = contextvars.Context()
        self.switch()

    def switch_to_loop(self) -> None:
        """Return control to the event loop, until it switches back."""
        cast("greenlet", self.parent).switch()


class Greenlets:
    """Runs calls in greenlets of one event loop. It implements `stratabase.waiting.Waiting` for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._ready: deque[_CallGreenlet] = deque()
        self._signalled = False
        self._idle: list[_CallGreenlet] = []
        self._busy: set[_CallGreenlet] = set()
        self._all_ended = asyncio.Event()
        self._threads = ThreadPoolExecutor(THREADS, "offload")
        self.signals = 0
        """The number of signals to the event loop so far, for tests."""

    async def run(self, work: Callable[[], T], time_limit: float | None = None, name: bytes = b"") -> T:
        """Return the result of `work()`. Raises CallTimeout after `time_limit` seconds; the work continues.

        `name` is the name of the request (see CurrentRequest), in case the call blocks the event loop.
        """
        # 1. Run the call until it ends or waits. Most calls end here, without another iteration of the loop.
        call = _Call(work, name)
        runner = self._idle.pop() if self._idle else _CallGreenlet()
        current_request.enter(name)
        runner.start(call)
        current_request.leave()
        # 2. If the call waits, wait for its end. From here on, `_resume` switches to its greenlet.
        if call.ended:
            self._idle.append(runner)
        else:
            self._busy.add(runner)
            await self._wait_for(call, time_limit)
        return cast("T", call.outcome())

    async def finish(self) -> None:
        """Wait until all calls have ended, including those whose time limit has passed."""
        while self._busy:
            self._all_ended.clear()
            await self._all_ended.wait()
        self._threads.shutdown()

    def until(self, future: "Future[T]") -> T:
        """Return the future's result, or raise its exception. Other calls run meanwhile."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet) and not future.done():
            future.add_done_callback(lambda _: self._wake(runner))
            runner.switch_to_loop()
        return future.result()

    def offload(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of `work(*arguments)`, which runs in another thread."""
        if not isinstance(getcurrent(), _CallGreenlet):
            return work(*arguments)
        context = contextvars.copy_context()
        return self.until(self._threads.submit(context.run, work, *arguments))

    def pause(self, seconds: float) -> None:
        """Wait for some seconds without occupying a thread. Other calls run meanwhile."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet):
            self._loop.call_later(seconds, self._wake, runner)
            runner.switch_to_loop()
        else:
            time.sleep(seconds)

    def give_way(self) -> None:
        """Let all other calls that are ready run first."""
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
        """Schedule a greenlet to resume. Any thread can call this.

        All greenlets that become ready before the loop reacts share one signal.
        """
        self._ready.append(runner)
        if not self._signalled:
            self._signalled = True
            self.signals += 1
            self._loop.call_soon_threadsafe(self._resume)

    def _resume(self) -> None:
        """Resume the greenlets that are ready now. Those that give way again wait for the next iteration."""
        # Clear the flag before reading the queue, so that a greenlet that becomes ready later sends a signal.
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
    """Notify the waiter of a call that has ended. If its time limit has passed, log the call's exception."""
    if call.completion is not None and not call.completion.done():
        call.completion.set_result(None)
        return
    try:
        call.outcome()
    except Exception:
        log.exception("Call failed after its time limit")
