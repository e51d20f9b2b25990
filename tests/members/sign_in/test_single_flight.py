"""Concurrent calls with the same key run once, and refusals are not shared."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Event, Lock

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Refusal, Unauthenticated, Unavailable
from stratabase.core.greenlets import Greenlets
from stratabase.members.attempts import source_key
from stratabase.members.refusals import TooManyFailures
from stratabase.members.sign_in.cache import SingleFlight
from stratabase.members.sign_in.sign_in_limits import MAX_FAILURES
from stratabase.values.messages import verbatim
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.operations.sign_in_service import ELSEWHERE, HOME, SignInService
from tests.server.http.calls import run_call

CROWD = 24


class BlockedOffloading(waiting.Blocking):
    """A way of waiting that blocks offloaded work until the expected number of callers wait."""

    def __init__(self, expected: int) -> None:
        self._missing = expected
        self._door = Lock()
        self._go = Event()

    def offload(self, work: Callable[..., object], *arguments: object) -> object:  # type: ignore[override]
        assert self._go.wait(60)
        return work(*arguments)

    def until(self, future: "Future[object]") -> object:  # type: ignore[override]
        with self._door:
            self._missing -= 1
            if self._missing == 0:
                self._go.set()
        return super().until(future)


def come(service: SignInService, password: str, address: str = HOME) -> type[Refusal] | None:
    """Sign in, and return the type of the refusal, or None."""
    try:
        service.sign_in("Anna", password, address)
    except Refusal as refusal:
        return type(refusal)
    return None


def test_concurrent_threads_share_one_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SignInService()
    monkeypatch.setattr(waiting, "_installed", BlockedOffloading(CROWD - 1))
    assert run_concurrently(*[lambda: come(service, "right")] * CROWD) == [None] * CROWD
    assert len(service.passwords.verified) == 1
    assert service.attempts.calls == ["count", "note", "withdraw"]


def test_concurrent_wrong_passwords_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SignInService()
    monkeypatch.setattr(waiting, "_installed", BlockedOffloading(CROWD - 1))
    outcomes = run_concurrently(*[lambda: come(service, "wrong")] * CROWD)
    assert outcomes.count(Unauthenticated) == MAX_FAILURES
    assert outcomes.count(TooManyFailures) == CROWD - MAX_FAILURES
    assert len(service.passwords.verified) == MAX_FAILURES
    assert service.attempts.failures(source_key("Anna", HOME)) == MAX_FAILURES


def test_a_blocked_address_does_not_share_the_verification_of_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would tell the right password from a wrong one."""
    service = SignInService()
    service.fail(MAX_FAILURES, address=ELSEWHERE)
    waits_or_ends = Event()
    verify = service.passwords.verify

    class WatchedWaiting(waiting.Blocking):
        def until(self, future: "Future[object]") -> object:  # type: ignore[override]
            waits_or_ends.set()
            return super().until(future)

    monkeypatch.setattr(waiting, "_installed", WatchedWaiting())
    with ThreadPoolExecutor(1) as pool:
        blocked: list[Future[type[Refusal] | None]] = []

        def verify_meanwhile(hashed: str | None, password: str) -> bool:
            blocked.append(pool.submit(come, service, "right", ELSEWHERE))
            blocked[0].add_done_callback(lambda _: waits_or_ends.set())
            assert waits_or_ends.wait(60)
            return verify(hashed, password)

        service.passwords.verify = verify_meanwhile  # type: ignore[method-assign]
        assert come(service, "right", HOME) is None
        assert blocked[0].result(60) is TooManyFailures


def in_greenlets(
    service: SignInService, monkeypatch: pytest.MonkeyPatch, *passwords: str
) -> list[type[Refusal] | None]:
    """Sign in many callers in greenlets of one loop, as the local server does."""

    async def body() -> list[type[Refusal] | None]:
        greenlets = Greenlets(asyncio.get_running_loop())
        monkeypatch.setattr(waiting, "_installed", greenlets)
        found = await asyncio.gather(
            *(run_call(greenlets, partial(come, service, password)) for password in passwords)
        )
        await greenlets.finish()
        return found

    return asyncio.run(asyncio.wait_for(body(), 60))


def test_concurrent_greenlets_share_one_verification(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SignInService()
    assert in_greenlets(service, monkeypatch, *["right"] * CROWD) == [None] * CROWD
    assert len(service.passwords.verified) == 1


def test_concurrent_greenlets_with_wrong_passwords_all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    service = SignInService()
    outcomes = in_greenlets(service, monkeypatch, *["wrong"] * CROWD)
    assert outcomes.count(Unauthenticated) == MAX_FAILURES
    assert len(service.passwords.verified) == MAX_FAILURES


def test_a_right_password_does_not_wait_for_a_wrong_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are different credentials."""
    service = SignInService()
    assert in_greenlets(service, monkeypatch, "wrong", "right", "wrong") == [
        Unauthenticated,
        None,
        Unauthenticated,
    ]
    assert len(service.passwords.verified) == 3


# The flight itself.

Outcome = str | type[Exception]


def fly(monkeypatch: pytest.MonkeyPatch, *works: Callable[[], str]) -> list[Outcome]:
    """Keep the first call running until all others wait for its result."""
    monkeypatch.setattr(waiting, "_installed", BlockedOffloading(len(works) - 1))
    flight: SingleFlight[str] = SingleFlight()
    begun = Event()

    def first() -> str:
        begun.set()
        return waiting.offload(works[0])

    def ask(work: Callable[[], str]) -> Outcome:
        try:
            return flight(b"key", work)
        except Exception as error:  # noqa: BLE001 - to be looked at
            return type(error)

    with ThreadPoolExecutor(len(works)) as pool:
        asked = [pool.submit(ask, first)]
        assert begun.wait(60)
        asked += [pool.submit(ask, work) for work in works[1:]]
        return [each.result() for each in asked]


def refuse(refusal: Exception) -> str:
    raise refusal


def test_all_callers_get_the_result_of_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fly(monkeypatch, lambda: "found", lambda: "other", lambda: "other") == ["found"] * 3


@pytest.mark.parametrize(
    "refusal", [Unauthenticated(verbatim("wrong")), TooManyFailures(9), KeyError("lost")], ids=repr
)
def test_an_exception_is_not_shared(refusal: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    found = fly(monkeypatch, lambda: refuse(refusal), lambda: "second", lambda: refuse(ValueError()))
    assert found == [type(refusal), "second", ValueError]


def test_an_unavailable_store_is_called_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found = fly(
        monkeypatch, lambda: refuse(Unavailable(verbatim("later"))), lambda: "second", lambda: "third"
    )
    assert found == [Unavailable] * 3


def test_a_later_call_runs_the_work_again() -> None:
    flight: SingleFlight[str] = SingleFlight()
    with pytest.raises(ValueError, match="once"):
        flight(b"key", lambda: refuse(ValueError("once")))
    assert [flight(b"key", lambda: "first"), flight(b"key", lambda: "second")] == ["first", "second"]
    assert not flight._under_way


def test_calls_with_different_keys_are_independent() -> None:
    flight: SingleFlight[str] = SingleFlight()
    assert flight(b"outer", lambda: flight(b"inner", lambda: "inner")) == "inner"
