"""Compares the bytes in a blob store with what objects and versions refer to."""

from collections.abc import Iterable, Iterator

from stratabase.core.domain.files.stored_file import StoredFile, file_key, stored_file
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from tests.core.operations.files.file_scenario import HOUR, FileScenario
from tests.fakes import unlimited_budget


def objects_of(scenario: FileScenario) -> list[Entity]:
    """Return all objects that exist."""
    entities, found = scenario.services.entities, list[Entity]()
    for name in scenario.services.model.classes:
        found += entities.page(Query(name, Order(), window=Window(1000)), unlimited_budget()).items
    return found


def reachable_files(scenario: FileScenario, deleted: Iterable[Reference] = ()) -> Iterator[StoredFile]:
    """Yield the files of all objects and of all their versions. Versions of `deleted` objects count too."""
    entities, model, found = scenario.services.entities, scenario.services.model, objects_of(scenario)
    states = [*found]
    for reference in dict.fromkeys([*(each.reference for each in found), *deleted]):
        if model.classes[reference.class_name].versioned:
            states += entities.versions(reference)
    for entity in states:
        yield from (file for value in entity.state.values() if (file := stored_file(value)) is not None)


def check_no_bytes_are_missing(scenario: FileScenario, deleted: Iterable[Reference] = ()) -> None:
    """Assert that each file of an object or a version has the bytes that were uploaded."""
    for file in reachable_files(scenario, deleted):
        assert b"".join(scenario.blobs.read(file_key(file.file_id))) == scenario.contents[file.file_id]


def check_nothing_is_left(scenario: FileScenario, deleted: Iterable[Reference] = ()) -> None:
    """Assert that the sweep removes all bytes that no object or version has, and empties the ledger."""
    scenario.clock.instant += 2 * HOUR
    scenario.sweep()
    check_no_bytes_are_missing(scenario, deleted)
    kept = {file_key(file.file_id) for file in reachable_files(scenario, deleted)}
    assert scenario.stored_keys() == kept
    assert list(scenario.ledger.released.due(scenario.clock.instant + 100 * HOUR)) == []
