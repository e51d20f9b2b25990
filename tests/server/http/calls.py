"""Calls in greenlets that a test awaits."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from stratabase.core.greenlets import Call, Greenlets

T = TypeVar("T")


class AwaitedCall(Call):
    """A call whose result a test awaits."""

    def __init__(self, work: Callable[[], Any], name: bytes) -> None:
        self.name = name
        self._work = work
        self.future: asyncio.Future[Any] | None = None
        self.late: BaseException | None = None

    def work(self) -> Any:
        return self._work()

    def end(self) -> None:
        if self.future is not None and self.error is not None:
            self.future.set_exception(self.error)
        elif self.future is not None:
            self.future.set_result(self.result)

    def end_late(self) -> None:
        self.late = self.error


async def run_call(
    greenlets: Greenlets, work: Callable[[], T], time_limit: float | None = None, name: bytes = b""
) -> T:
    """Return the result of `work()`, which runs in a greenlet. Raises CallTimeout after the time limit."""
    call = AwaitedCall(work, name)
    greenlets.start(call, time_limit)
    if not call.has_ended:
        call.future = asyncio.get_running_loop().create_future()
        await call.future
    if call.error is not None:
        raise call.error
    result: T = call.result
    return result
