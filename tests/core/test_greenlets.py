"""Functions share one event loop by greenlets: waiting calls do not block others."""

import asyncio
import contextvars
import gc
import threading
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, TypeVar

import pytest

from stratabase.core import greenlets as greenlets_module
from stratabase.core.greenlets import CallTimeout, Greenlets
from tests.rows import each_row
from tests.server.http.calls import run_call

T = TypeVar("T")


def in_loop(test: Callable[[Greenlets], Awaitable[T]]) -> T:
    """Run a test in a greenlet loop of its own."""

    async def body() -> T:
        greenlets = Greenlets(asyncio.get_running_loop())
        result = await test(greenlets)
        await greenlets.finish()
        return result

    return asyncio.run(asyncio.wait_for(body(), 20))


def all_waiting(greenlets: Greenlets, futures: "list[Future[int]]") -> "list[asyncio.Task[int]]":
    """Start one waiting call for each future."""
    return [asyncio.create_task(run_call(greenlets, partial(greenlets.until, future))) for future in futures]


def resolved_elsewhere(futures: "list[Future[int]]") -> threading.Thread:
    """Resolve futures one after the other in another thread, as a group commit does."""

    def resolve() -> None:
        for number, future in enumerate(futures):
            future.set_result(number)

    thread = threading.Thread(target=resolve)
    thread.start()
    return thread


def test_a_call_that_does_not_wait_returns_without_an_event_loop_iteration() -> None:
    async def test(greenlets: Greenlets) -> None:
        coroutine = run_call(greenlets, lambda: 7)
        with pytest.raises(StopIteration) as stopped:
            coroutine.send(None)
        assert stopped.value.value == 7

    in_loop(test)


def test_an_exception_propagates_unchanged() -> None:
    async def test(greenlets: Greenlets) -> None:
        with pytest.raises(ZeroDivisionError):
            await run_call(greenlets, lambda: 1 // 0)

    in_loop(test)


def test_concurrent_waits_each_get_their_own_result() -> None:
    futures: list[Future[int]] = [Future() for _ in range(500)]

    async def test(greenlets: Greenlets) -> list[int]:
        tasks = all_waiting(greenlets, futures)
        await asyncio.sleep(0)
        resolved_elsewhere(futures)
        return await asyncio.gather(*tasks)

    assert in_loop(test) == list(range(500))


def test_simultaneous_results_wake_the_loop_once() -> None:
    futures: list[Future[int]] = [Future() for _ in range(100)]

    async def test(greenlets: Greenlets) -> int:
        tasks = all_waiting(greenlets, futures)
        await asyncio.sleep(0)
        resolved_elsewhere(futures).join()
        await asyncio.gather(*tasks)
        return greenlets.signals

    assert in_loop(test) == 1


def test_a_call_may_wait_several_times() -> None:
    def waits(greenlets: Greenlets) -> list[int]:
        found = []
        for number in range(50):
            future: Future[int] = Future()
            threading.Thread(target=future.set_result, args=(number,)).start()
            found.append(greenlets.until(future))
        return found

    async def test(greenlets: Greenlets) -> list[int]:
        return await run_call(greenlets, lambda: waits(greenlets))

    assert in_loop(test) == list(range(50))


@each_row("error", [ValueError("no"), CancelledError()])
def test_an_exception_of_awaited_work_is_raised_at_the_wait(error: BaseException) -> None:
    caught: list[BaseException] = []

    def work(greenlets: Greenlets, future: "Future[int]") -> str:
        try:
            greenlets.until(future)
        except (ValueError, CancelledError) as found:
            caught.append(found)
        return "went on"

    async def test(greenlets: Greenlets) -> str:
        future: Future[int] = Future()
        task = asyncio.ensure_future(run_call(greenlets, lambda: work(greenlets, future)))
        await asyncio.sleep(0)
        future.cancel() if isinstance(error, CancelledError) else future.set_exception(error)
        return await task

    assert in_loop(test) == "went on"
    assert type(caught[0]) is type(error)


def test_a_waiting_call_does_not_delay_others() -> None:
    async def test(greenlets: Greenlets) -> str:
        future: Future[str] = Future()
        waits = asyncio.ensure_future(run_call(greenlets, lambda: greenlets.until(future)))
        await asyncio.sleep(0)
        assert await run_call(greenlets, lambda: "meanwhile") == "meanwhile"
        assert not waits.done()
        future.set_result("at last")
        return await waits

    assert in_loop(test) == "at last"


def test_a_yielding_call_lets_all_others_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three long pieces of work that give way take turns, and a short one gets between them."""
    monkeypatch.setattr(greenlets_module, "SLICE", 0)
    turns: list[str] = []

    def long(name: str, greenlets: Greenlets) -> None:
        for _ in range(3):
            turns.append(name)
            greenlets.give_way()

    async def test(greenlets: Greenlets) -> None:
        works = [asyncio.create_task(run_call(greenlets, partial(long, name, greenlets))) for name in "abc"]
        await asyncio.sleep(0)
        short = asyncio.ensure_future(run_call(greenlets, lambda: turns.append("short")))
        await asyncio.gather(short, *works)

    in_loop(test)

    assert turns[:3] == ["a", "b", "c"]
    assert [turn for turn in turns if turn != "short"] == list("abcabcabc")
    assert turns.index("short") < len(turns) - 1


def test_sleeping_calls_need_no_threads_and_do_not_block_others() -> None:
    """There are more calls than threads could serve. A later call is answered before any of them."""
    ended: list[str] = []

    def pauses(greenlets: Greenlets) -> None:
        greenlets.pause(0.01)
        ended.append("paused")

    async def test(greenlets: Greenlets) -> int:
        before = threading.active_count()
        tasks = [asyncio.create_task(run_call(greenlets, partial(pauses, greenlets))) for _ in range(1000)]
        await asyncio.sleep(0)
        await run_call(greenlets, lambda: ended.append("came meanwhile"))
        more = threading.active_count() - before
        await asyncio.gather(*tasks)
        return more

    assert in_loop(test) == 0
    assert ended == ["came meanwhile", *["paused"] * 1000]


def test_a_plain_thread_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def test(greenlets: Greenlets) -> None:
        with monkeypatch.context() as patched:
            patched.setattr("time.sleep", slept.append)
            greenlets.pause(3)

    in_loop(test)
    assert slept == [3]


def test_offloaded_work_runs_in_another_thread_and_does_not_block_others() -> None:
    proceed = threading.Event()

    def slow() -> str:
        assert proceed.wait(20)
        return threading.current_thread().name

    async def test(greenlets: Greenlets) -> str:
        task = asyncio.ensure_future(run_call(greenlets, lambda: greenlets.offload(slow)))
        await asyncio.sleep(0)
        await run_call(greenlets, proceed.set)
        return await task

    assert in_loop(test) != threading.current_thread().name


def test_offloaded_work_sees_the_context_variables_of_its_call() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    def work(greenlets: Greenlets) -> str:
        variable.set("set")
        return greenlets.offload(variable.get)

    async def test(greenlets: Greenlets) -> str:
        return await run_call(greenlets, lambda: work(greenlets))

    assert in_loop(test) == "set"


def test_a_call_does_not_leak_context_variables_to_the_next() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")

    async def test(greenlets: Greenlets) -> str:
        await run_call(greenlets, lambda: variable.set("set"))
        return await run_call(greenlets, variable.get)

    assert in_loop(test) == "unset"


async def coalesced(greenlets: Greenlets, calls: int) -> list[str]:
    """Let calls ask for the same function, one in each iteration of the loop; return what happened."""
    happened: list[str] = []

    def work() -> None:
        happened.append("work")

    def ask() -> None:
        happened.append("ask")
        greenlets.coalesce(work)

    for _ in range(calls):
        await run_call(greenlets, ask)
        await asyncio.sleep(0)
    for _ in range(5):
        await asyncio.sleep(0)
    return happened


def test_a_function_is_called_once_for_all_calls_that_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greenlets_module, "TURN", 60)

    async def test(greenlets: Greenlets) -> list[str]:
        assert await coalesced(greenlets, 1) == ["ask", "work"]
        return await coalesced(greenlets, 3)

    assert in_loop(test) == ["ask", "ask", "ask", "work"]


def test_calls_that_go_on_asking_for_a_function_delay_it_for_a_turn_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(greenlets_module, "TURN", 0)
    assert in_loop(partial(coalesced, calls=3)) == ["ask", "work"] * 3


def test_plain_threads_block_as_usual() -> None:
    """Code that is in no call waits as if there were no loop."""

    async def test(greenlets: Greenlets) -> list[Any]:
        future: Future[int] = Future()
        outcome: Future[list[Any]] = Future()

        def plain() -> None:
            greenlets.give_way()
            name = threading.current_thread().name
            called: list[str] = []
            greenlets.coalesce(lambda: called.append(threading.current_thread().name))
            assert called == [name]
            here = greenlets.offload(lambda: threading.current_thread().name) == name
            outcome.set_result([greenlets.until(future), here])

        threading.Thread(target=plain).start()
        future.set_result(5)
        return await asyncio.wrap_future(outcome)

    assert in_loop(test) == [5, True]


def test_an_abandoned_call_still_ends_and_frees_its_slot() -> None:
    async def test(greenlets: Greenlets) -> list[str]:
        future: Future[None] = Future()
        seen: list[str] = []

        def work() -> None:
            greenlets.until(future)
            seen.append("ended")

        with pytest.raises(CallTimeout):
            await run_call(greenlets, work, time_limit=0.01)
        future.set_result(None)
        await greenlets.finish()
        await run_call(greenlets, lambda: seen.append("next"))
        return seen

    assert in_loop(test) == ["ended", "next"]


def test_each_call_ends_within_its_own_limit() -> None:
    async def test(greenlets: Greenlets) -> list[object]:
        never: Future[int] = Future()
        wait = partial(greenlets.until, never)
        unlimited = asyncio.create_task(run_call(greenlets, wait))
        found: list[object] = []
        for limits in ((0.03, 0.01, 0.02), (0.01,)):
            calls = [run_call(greenlets, wait, time_limit=limit) for limit in (60, *limits)]
            _, *ended = [asyncio.create_task(call) for call in calls]
            found += await asyncio.gather(*ended, return_exceptions=True)
        never.set_result(5)
        return [type(each) for each in found] + [await unlimited]

    assert in_loop(test) == [CallTimeout] * 4 + [5]


def test_a_timeout_error_raised_by_the_work_is_not_the_gateway_timeout() -> None:
    def work() -> None:
        raise TimeoutError("its own")

    async def test(greenlets: Greenlets) -> None:
        with pytest.raises(TimeoutError, match="its own"):
            await run_call(greenlets, work, time_limit=10)

    in_loop(test)


@pytest.mark.parametrize("waits", [False, True])
def test_an_ended_call_is_forgotten(waits: bool) -> None:
    """Greenlets are kept for the next calls. The call refers to the whole request and its response."""

    class Large:
        pass

    kept: contextvars.ContextVar[Large] = contextvars.ContextVar("kept")
    alive: list[weakref.ref[Large]] = []

    async def test(greenlets: Greenlets) -> None:
        def work() -> Large:
            if waits:
                greenlets.pause(0)
            large = Large()
            kept.set(large)
            alive.append(weakref.ref(large))
            return large

        await run_call(greenlets, work)
        gc.collect()

    in_loop(test)
    assert [each() for each in alive] == [None]
