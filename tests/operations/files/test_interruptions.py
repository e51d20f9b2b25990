"""A stop or a failure at any call leaves no object without bytes, and no bytes that stay after the sweep."""

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stratabase.domain.issues.refusals import Refused, Unavailable
from stratabase.domain.objects.entity import Entity, Reference
from stratabase.domain.objects.parts import part_ids
from stratabase.domain.write.commands import Create, PartsCommand
from stratabase.operations.write.services import save
from tests.operations.files.file_scenario import BEN, HOUR, FileScenario, issues_of, reference_to
from tests.operations.files.interrupted_stores import (
    STORES,
    Calls,
    InterruptedBlobs,
    InterruptedEngine,
    Interruption,
    OpenStores,
    ProcessStopped,
)
from tests.operations.files.stored_files import check_no_bytes_are_missing, check_nothing_is_left
from tests.soak import mostly

OpenEmpty = Callable[[], AbstractContextManager[OpenStores]]
BOUND = b"bound before"
NEW = b"new content"


class Prepared:
    """A service with a photo and a letter that have files, and an upload that waits."""

    def __init__(self, stores: OpenStores) -> None:
        self.calls = Calls()
        blobs: Any = InterruptedBlobs(stores.blobs, self.calls)
        self.scenario = FileScenario(InterruptedEngine(stores.engine, self.calls), blobs)
        self.photo = self.scenario.create(picture=self.scenario.upload(BOUND)).reference
        letter = self.scenario.create("Letter", scan=self.scenario.upload(BOUND, "scan", "Letter"))
        self.letter, self.first_start = letter.reference, letter.start or 0
        self.scenario.clock.instant += 1000
        self.scenario.update(self.letter, scan=self.scenario.upload(b"second", "scan", "Letter"))
        self.pending = self.scenario.upload(NEW)
        self.pending_scan = self.scenario.upload(NEW, "scan", "Letter")
        self.expired = self.scenario.clock.instant
        scan = self.scenario.upload(BOUND, "scan", "Page")
        pages = PartsCommand(create=[Create("Page", {"scan": reference_to(scan)}), Create("Page")])
        album = save(self.scenario.services, Create("Album", roles={"pages": pages}), BEN).entity
        self.album, self.album_start = album.reference, album.start or 0
        self.pages = [Reference("Page", id_) for id_ in part_ids(album.state["pages"])]

    def objects(self) -> list[Entity]:
        found = self.scenario.services.entities.read([self.photo, self.letter, self.album])
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


def _delete_with_parts(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.album)


def _restore_with_parts(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.album)
    prepared.scenario.restore(prepared.album, prepared.album_start)


def _withdraw(prepared: Prepared) -> None:
    prepared.scenario.ledger.withdraw(prepared.pending.id)


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
    _delete_with_parts,
    _restore_with_parts,
    _withdraw,
    _sweep,
]


@pytest.fixture(params=mostly(STORES, "ministack", "moto"))
def stores(request: pytest.FixtureRequest, tmp_path: Path) -> OpenEmpty:
    """Return what opens empty stores."""
    return partial(STORES[request.param], tmp_path)


@pytest.mark.parametrize("interruption", Interruption, ids=lambda each: each.name.lower())
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__.strip("_"))
def test_an_interruption_of_any_call_loses_nothing_and_leaves_nothing(
    stores: OpenEmpty, operation: Callable[[Prepared], None], interruption: Interruption
) -> None:
    with stores() as opened:
        complete = Prepared(opened)
        before = complete.calls.number
        operation(complete)
        number_of_calls = complete.calls.number - before
    assert number_of_calls > 0

    for number in range(number_of_calls + 1):
        with stores() as opened:
            prepared = Prepared(opened)
            prepared.calls.interrupt(number, interruption)
            with suppress(ProcessStopped, Unavailable):
                operation(prepared)
            prepared.calls.go_on()

            _check_bytes_of_objects(prepared)
            _check_retry(prepared, operation)
            _check_bytes_of_objects(prepared)
            check_nothing_is_left(prepared.scenario, [prepared.letter, *prepared.pages, prepared.album])


def _check_bytes_of_objects(prepared: Prepared) -> None:
    """Every object that has a file has its bytes, whole."""
    scenario = prepared.scenario
    for entity in prepared.objects():
        for name in ("picture", "scan"):
            if entity.state.get(name) is not None:
                assert scenario.download(entity.reference, name) in {BOUND, b"second", NEW}
    assert scenario.download(prepared.letter, "scan", prepared.first_start) == BOUND
    check_no_bytes_are_missing(scenario, [prepared.letter, prepared.album, *prepared.pages])


def _check_retry(prepared: Prepared, operation: Callable[[Prepared], None]) -> None:
    """The same operation succeeds afterwards, with a new upload if the first one has been taken."""
    scenario = prepared.scenario
    (pending, scan) = scenario.ledger.pending([prepared.pending.id, prepared.pending_scan.id])
    is_swept = scenario.clock.instant > prepared.expired
    if pending is None and not is_swept:
        with pytest.raises(Refused) as refused:
            _create(prepared)
        assert issues_of(refused.value) == [("ENTITY_NOT_FOUND", "data.picture")]
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
