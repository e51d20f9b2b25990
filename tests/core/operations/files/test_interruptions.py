"""A stop or a failure at any call leaves no object without bytes, and no bytes that stay after the sweep."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from tests.core.operations.files.file_scenario import issues_of
from tests.core.operations.files.interrupted_operations import (
    BOUND,
    NEW,
    OPERATIONS,
    Prepared,
    clear,
    create,
    replace,
    replace_in_version,
    sweep,
)
from tests.core.operations.files.interrupted_stores import STORES, Interruption, OpenStores, ProcessStopped
from tests.core.operations.files.stored_files import check_no_bytes_are_missing, check_nothing_is_left
from tests.soak import count, mostly, seed

OpenEmpty = Callable[[], AbstractContextManager[OpenStores]]


@pytest.fixture(params=mostly(STORES, "ministack", "moto"))
def kind(request: pytest.FixtureRequest) -> str:
    """The name of the stores."""
    kind: str = request.param
    return kind


@pytest.fixture
def stores(kind: str, tmp_path: Path) -> OpenEmpty:
    """Return what opens empty stores."""
    return partial(STORES[kind], tmp_path)


@pytest.fixture
def every(kind: str) -> int:
    """How many calls are between two that are interrupted: more on a disk, which is slow."""
    return count(12, 1) if kind == "disk" else count(3, 1)


@pytest.mark.parametrize("interruption", Interruption, ids=lambda each: each.name.lower())
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_an_interruption_of_any_call_loses_nothing_and_leaves_nothing(
    stores: OpenEmpty, every: int, operation: Callable[[Prepared], None], interruption: Interruption
) -> None:
    with stores() as opened:
        complete = Prepared(opened)
        before = complete.calls.number
        operation(complete)
        number_of_calls = complete.calls.number - before
    assert number_of_calls > 0

    for number in range(seed() % every, number_of_calls + 1, every):
        with stores() as opened:
            prepared = Prepared(opened)
            prepared.calls.interrupt(number, interruption)
            with suppress(ProcessStopped, Unavailable):
                operation(prepared)
            prepared.calls.go_on()

            _check_bytes_of_objects(prepared)
            _check_retry(prepared, operation)
            _check_bytes_of_objects(prepared)
            check_nothing_is_left(prepared.scenario, prepared.versioned)


def _check_bytes_of_objects(prepared: Prepared) -> None:
    """Every object that has a file has its bytes, whole."""
    scenario = prepared.scenario
    for entity in prepared.objects():
        for name in ("picture", "scan"):
            if entity.state.get(name) is not None:
                assert scenario.download(entity.reference, name) in {BOUND, b"second", NEW}
    assert scenario.download(prepared.letter, "scan", prepared.first_start) == BOUND
    check_no_bytes_are_missing(scenario, prepared.versioned)


def _check_retry(prepared: Prepared, operation: Callable[[Prepared], None]) -> None:
    """The same operation succeeds afterwards, with a new upload if the first one has been taken."""
    scenario = prepared.scenario
    (pending, scan) = scenario.ledger.pending([prepared.pending.id, prepared.pending_scan.id])
    is_swept = scenario.clock.instant > prepared.expired
    if pending is None and not is_swept:
        with pytest.raises(Refused) as refused:
            create(prepared)
        assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.picture")]
        prepared.pending = scenario.upload(NEW)
    if scan is None and not is_swept:
        prepared.pending_scan = scenario.upload(NEW, "scan", "Letter")
    photo_exists = any(each.reference == prepared.photo for each in prepared.objects())
    letter_exists = any(each.reference == prepared.letter for each in prepared.objects())
    if operation in {replace, clear, sweep} and not photo_exists:
        return
    if operation is replace_in_version and not letter_exists:
        return
    operation(prepared)
