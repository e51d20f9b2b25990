"""A process that stops at any call leaves no object without bytes, and no bytes that stay after the sweep."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.query.order import Order
from stratabase.domain.query.page import Query, Window
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import unlimited_budget
from tests.in_memory_blobs import InMemoryBlobs
from tests.operations.files.file_scenario import HOUR, FileScenario, file_id_of
from tests.store.delegating_engine import DelegatingEngine

BOUND = b"bound before"
NEW = b"new content"


class ProcessStopped(BaseException):
    """The process stops here. No code catches this."""


class Calls:
    """Counts the calls of the stores, and stops the process before one of them."""

    def __init__(self) -> None:
        self.number = 0
        self.stop_before: int | None = None

    def begin(self, _name: str = "") -> None:
        number, self.number = self.number, self.number + 1
        if number == self.stop_before:
            raise ProcessStopped


class StoppingEngine(DelegatingEngine):
    """Passes calls on, and announces each."""

    def __init__(self, calls: Calls) -> None:
        super().__init__(ReferenceEngine())
        self._calls = calls

    def begin(self) -> None:
        self._calls.begin()


class Prepared:
    """A service with a photo and a letter that have files, and an upload that waits."""

    def __init__(self) -> None:
        self.calls = Calls()
        self.engine, self.blobs = StoppingEngine(self.calls), InMemoryBlobs(self.calls.begin)
        self.scenario = FileScenario(self.engine, self.blobs)
        self.photo = self.scenario.create(picture=self.scenario.upload(BOUND)).reference
        letter = self.scenario.create("Letter", scan=self.scenario.upload(BOUND, "scan", "Letter"))
        self.letter, self.first_start = letter.reference, letter.start or 0
        self.scenario.clock.instant += 1000
        self.scenario.update(self.letter, scan=self.scenario.upload(b"second", "scan", "Letter"))
        self.pending = self.scenario.upload(NEW)
        self.pending_scan = self.scenario.upload(NEW, "scan", "Letter")
        self.expired = self.scenario.clock.instant

    def objects(self) -> list[Entity]:
        found = self.scenario.services.entities.read([self.photo, self.letter])
        return [each for each in found if each is not None]


def _upload(prepared: Prepared) -> None:
    prepared.scenario.upload(NEW)


def _create(prepared: Prepared) -> None:
    prepared.scenario.create(picture=prepared.pending)


def _replace(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.photo, picture=prepared.pending)


def _replace_in_version(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.letter, scan=prepared.pending_scan)


def _clear(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.photo, picture=None)


def _delete(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.photo)


def _delete_versioned(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.letter)


def _restore(prepared: Prepared) -> None:
    prepared.scenario.restore(prepared.letter, prepared.first_start)


def _sweep(prepared: Prepared) -> None:
    prepared.scenario.update(prepared.photo, picture=None)
    prepared.scenario.clock.instant += 2 * HOUR
    prepared.scenario.sweep()


OPERATIONS: list[Callable[[Prepared], None]] = [
    _upload,
    _create,
    _replace,
    _replace_in_version,
    _clear,
    _delete,
    _delete_versioned,
    _restore,
    _sweep,
]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__.strip("_"))
def test_a_stop_at_any_call_loses_nothing_and_leaves_nothing(operation: Callable[[Prepared], None]) -> None:
    complete = Prepared()
    before = complete.calls.number
    operation(complete)
    number_of_calls = complete.calls.number - before
    assert number_of_calls > 0

    for number in range(number_of_calls + 1):
        prepared = Prepared()
        prepared.calls.stop_before = prepared.calls.number + number
        with suppress(ProcessStopped):
            operation(prepared)
        prepared.calls.stop_before = None

        _check_bytes_of_objects(prepared)
        _check_retry(prepared, operation)
        _check_bytes_of_objects(prepared)
        _check_nothing_is_left(prepared)


def _check_bytes_of_objects(prepared: Prepared) -> None:
    """Every object that has a file has its bytes, whole."""
    scenario = prepared.scenario
    for entity in prepared.objects():
        for name in ("picture", "scan"):
            if entity.state.get(name) is not None:
                assert scenario.download(entity.reference, name) in {BOUND, b"second", NEW}
    assert scenario.download(prepared.letter, "scan", prepared.first_start) == BOUND


def _check_retry(prepared: Prepared, operation: Callable[[Prepared], None]) -> None:
    """The same operation succeeds afterwards, with a new upload if the first one has been taken."""
    scenario = prepared.scenario
    (pending, scan) = scenario.ledger.pending([prepared.pending.id, prepared.pending_scan.id])
    is_swept = scenario.clock.instant > prepared.expired
    if pending is None and not is_swept:
        prepared.pending = scenario.upload(NEW)
    if scan is None and not is_swept:
        prepared.pending_scan = scenario.upload(NEW, "scan", "Letter")
    photo_exists = any(each.reference == prepared.photo for each in prepared.objects())
    letter_exists = any(each.reference == prepared.letter for each in prepared.objects())
    if operation in {_replace, _clear, _sweep} and not photo_exists:
        return
    if operation is _replace_in_version and not letter_exists:
        return
    operation(prepared)


def _check_nothing_is_left(prepared: Prepared) -> None:
    """After the sweep, the stored bytes are those that objects and versions refer to."""
    scenario = prepared.scenario
    scenario.clock.instant += 2 * HOUR
    scenario.sweep()
    kept = {f"files/{each}" for each in _file_ids(prepared)}
    assert scenario.stored_keys() == kept
    assert list(scenario.ledger.due(scenario.clock.instant + 100 * HOUR)) == []


def _file_ids(prepared: Prepared) -> set[str]:
    entities = prepared.scenario.services.entities
    states: list[Any] = [*_all_of(prepared, "Photo"), *_all_of(prepared, "Letter")]
    states += entities.versions(Reference("Letter", prepared.letter.id))
    return {
        file_id_of(each, name)
        for each in states
        for name in ("picture", "scan")
        if each.state.get(name) is not None
    }


def _all_of(prepared: Prepared, class_name: str) -> list[Entity]:
    query = Query(class_name, Order(), window=Window(100))
    return list(prepared.scenario.services.entities.page(query, unlimited_budget()).items)
