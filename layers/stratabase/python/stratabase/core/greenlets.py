"""Concurrent calls of blocking functions in one event loop: each call runs in a greenlet.

While a call waits, its greenlet returns control to the loop. A call that does not wait finishes without
another iteration of the loop. Calls that wait for the same commit resume together, after one signal.
"""

import asyncio
import contextvars
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from typing import Any, TypeVar, cast

from greenlet import getcurrent, greenlet

from stratabase.core.current_request import current_request
from stratabase.core.waiting import Future

T = TypeVar("T")
THREADS = 4
SLICE = 0.002
"""The seconds that a long call runs until it gives way to others."""
TURN = 0.005
"""The seconds that new requests run in one turn of the loop, and as long again those that waited or gave way.
The others run in the next turn, so that new connections are never far behind."""
_ITERATIONS_OF_NEW_CALL = 2
"""The iterations of the loop in which a request that has just arrived is read, and is run."""


class CallTimeout(Exception):
    """A call has not ended within its time limit."""


class CallStopped(BaseException):
    """A call that only reads stopped, because nobody needs its result any more."""


class Call:
    """A call. Subclasses define its work, and what happens at its end. It runs on after its time limit."""

    name = b""
    """The name of the request (see CurrentRequest), in case the call blocks the event loop."""
    result: Any = None
    error: BaseException | None = None
    """What the work raised, or CallTimeout after the time limit."""
    has_ended = False
    has_timed_out = False
    is_unwanted = False
    """Whether the client has left. If the call only reads, it stops where it waits or gives way."""
    only_reads = False
    since = 0.0
    """The instant of `time.monotonic` since when the call has been running."""
    deadline = inf
    """The instant of `time.monotonic` at which the call ends with CallTimeout, if it still waits."""

    def work(self) -> Any:
        """Return the result of the call, or raise an exception. It runs in a greenlet."""
        raise NotImplementedError

    def end(self) -> None:
        """Use `result`, or handle `error`. It runs in the event loop."""
        raise NotImplementedError

    def end_late(self) -> None:
        """Release `result`, or handle `error`, after `end` has already handled CallTimeout."""
        raise NotImplementedError


class _CallGreenlet(greenlet):
    """A greenlet that runs one call after another, as creating one costs more than most calls."""

    call: Call

    def run(self) -> None:
        """Run each call that is set."""
        loop = cast("greenlet", self.parent)
        while True:
            call = self.call
            try:
                call.result = call.work()
            except BaseException as error:  # noqa: BLE001 - `end` handles it
                call.error = error
            call.has_ended = True
            # Forget the call, and with it the request. The next call may be long in coming.
            del call, self.call
            loop.switch()

    def switch_to_loop(self) -> None:
        """Return control to the event loop, until it switches back."""
        cast("greenlet", self.parent).switch()

    def stop_if_unwanted(self) -> None:
        """Raise CallStopped if nobody needs the result of the call, and the call only reads."""
        if self.call.is_unwanted and self.call.only_reads:
            raise CallStopped


class Greenlets:
    """Runs calls in greenlets of one event loop. It implements `stratabase.core.waiting.Waiting` for them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, threads: int = THREADS) -> None:
        """`threads`: the number of threads that run offloaded work."""
        self._loop = loop
        self._ready: deque[_CallGreenlet] = deque()
        self._signalled = False
        self._idle: list[_CallGreenlet] = []
        self._busy: set[_CallGreenlet] = set()
        self._timer: asyncio.TimerHandle | None = None
        """It looks for calls whose time has passed. One for all, as each would cost much of a short call."""
        self._timer_at = inf
        """The instant of `time.monotonic` at which it looks: not later than the earliest deadline."""
        self._all_ended = asyncio.Event()
        self._threads = ThreadPoolExecutor(threads, "offload")
        self._coalesced: dict[Callable[[], None], None] = {}
        """The functions to call when no more calls ask for them."""
        self._iterations_left = 0
        """The iterations of the loop until then, unless another call asks for one of them."""
        self._coalesces_until = 0.0
        self.signals = 0
        """The number of signals to the event loop so far, for tests."""

    def start(self, call: Call, time_limit: float | None = None) -> None:
        """Run a call, and end it. After `time_limit` seconds, end it with CallTimeout; the work continues."""
        # 1. Run the call until it ends or waits. Most calls end here, without another iteration of the loop.
        runner = self._idle.pop() if self._idle else _CallGreenlet()
        call.since = time.monotonic()
        current_request.enter(call.name)
        runner.call = call
        # The greenlet is reused, so give each call its own context variables.
        runner.gr_context = contextvars.Context()
        runner.switch()
        current_request.leave()
        # 2. If the call waits, `_resume` switches to its greenlet from here on.
        if call.has_ended:
            runner.gr_context = None
            self._idle.append(runner)
            call.end()
        else:
            self._busy.add(runner)
            if time_limit is not None:
                call.deadline = time.monotonic() + time_limit
                if call.deadline < self._timer_at:
                    self._set_timer(call.deadline)

    async def finish(self) -> None:
        """Wait until all calls have ended, including those whose time limit has passed."""
        while self._busy:
            self._all_ended.clear()
            await self._all_ended.wait()
        self._threads.shutdown()

    def only_reads(self) -> None:
        """Let the current call stop where it waits or gives way, once its client has left."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet):
            runner.call.only_reads = True
            runner.stop_if_unwanted()

    def until(self, future: Future[T]) -> T:
        """Return the future's result, or raise its exception. Other calls run meanwhile."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet) and not future.done():
            runner.stop_if_unwanted()
            future.add_done_callback(partial(self._wake, runner))
            runner.switch_to_loop()
            runner.stop_if_unwanted()
        return future.result()

    def offload(self, work: Callable[..., T], *arguments: Any) -> T:
        """Return the result of `work(*arguments)`, which runs in another thread."""
        runner = getcurrent()
        if not isinstance(runner, _CallGreenlet):
            return work(*arguments)
        runner.stop_if_unwanted()
        context = contextvars.copy_context()
        return self.until(self._threads.submit(context.run, work, *arguments))

    def pause(self, seconds: float) -> None:
        """Wait for some seconds without occupying a thread. Other calls run meanwhile."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet):
            runner.stop_if_unwanted()
            self._loop.call_later(seconds, self._wake, runner)
            runner.switch_to_loop()
            runner.stop_if_unwanted()
        else:
            time.sleep(seconds)

    def give_way(self) -> None:
        """Let all other calls that are ready run first, if the current one has run for longer than SLICE."""
        runner = getcurrent()
        if isinstance(runner, _CallGreenlet) and time.monotonic() - runner.call.since >= SLICE:
            runner.stop_if_unwanted()
            self._ready.append(runner)
            if not self._signalled:
                self._signalled = True
                self._loop.call_soon(self._resume)
            runner.switch_to_loop()
            runner.stop_if_unwanted()

    def coalesce(self, work: Callable[[], None]) -> None:
        """Call a function once for all calls that ask for it, as soon as no more do, or after TURN."""
        if not isinstance(getcurrent(), _CallGreenlet):
            work()
            return
        if not self._coalesced:
            self._coalesces_until = time.monotonic() + TURN
            self._loop.call_soon(self._call_coalesced)
        self._coalesced[work] = None
        self._iterations_left = _ITERATIONS_OF_NEW_CALL

    def _call_coalesced(self) -> None:
        if self._iterations_left and time.monotonic() < self._coalesces_until:
            self._iterations_left -= 1
            self._loop.call_soon(self._call_coalesced)
            return
        works, self._coalesced = self._coalesced, {}
        for work in works:
            work()

    def _wake(self, runner: _CallGreenlet, _: object = None) -> None:
        """Schedule a greenlet to resume. Any thread can call this.

        All greenlets that become ready before the loop reacts share one signal.
        """
        self._ready.append(runner)
        if not self._signalled:
            self._signalled = True
            self.signals += 1
            self._loop.call_soon_threadsafe(self._resume)

    def _resume(self) -> None:
        """Resume the greenlets that are ready now, for at most TURN. Others wait for the next iteration."""
        # Clear the flag before reading the queue, so that a greenlet that becomes ready later sends a signal.
        self._signalled = False
        now = time.monotonic()
        end = now + TURN
        for _ in range(len(self._ready)):
            runner = self._ready.popleft()
            call = runner.call
            call.since = now
            current_request.enter(call.name)
            runner.switch()
            if call.has_ended:
                self._finish_call(runner, call)
            now = time.monotonic()
            if now >= end:
                break
        current_request.leave()
        if self._ready and not self._signalled:
            self._signalled = True
            self._loop.call_soon(self._resume)

    def _finish_call(self, runner: _CallGreenlet, call: Call) -> None:
        self._busy.discard(runner)
        runner.gr_context = None
        self._idle.append(runner)
        if call.has_timed_out:
            call.end_late()
        else:
            call.end()
        if not self._busy:
            self._all_ended.set()

    def _set_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_later(max(at - time.monotonic(), 0), self._time_out)

    def _time_out(self) -> None:
        """End the waiting calls whose time has passed, and look again at the next deadline."""
        now = time.monotonic()
        self._timer, self._timer_at = None, inf
        waiting = [runner.call for runner in self._busy]
        try:
            for call in waiting:
                if call.deadline <= now:
                    call.deadline = inf
                    call.has_timed_out = True
                    call.error = CallTimeout()
                    call.end()
                    call.error = None
        finally:
            earliest = min((call.deadline for call in waiting), default=inf)
            if earliest < self._timer_at:
                self._set_timer(earliest)
