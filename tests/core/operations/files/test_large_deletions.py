"""A deletion of more parts than one commit holds releases the files of all of them."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create, PartsCommand, Update
from stratabase.core.operations.write.services import save
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.file_scenario import BEN, MODEL, FileScenario, reference_to
from tests.core.operations.files.interrupted_stores import (
    Calls,
    InterruptedBlobs,
    InterruptedEngine,
    Interruption,
    ProcessStopped,
)
from tests.core.operations.files.stored_files import check_nothing_is_left, objects_of
from tests.in_memory_blobs import InMemoryBlobs
from tests.soak import count

PARTS, AT_ONCE = 130, 40
EVERY = count(6, 1)
"""How many calls are between two that are interrupted."""


class Prepared:
    """A service with a photo that has many prints."""

    def __init__(self) -> None:
        self.calls, self.engine = Calls(), ReferenceEngine()
        blobs: Any = InterruptedBlobs(InMemoryBlobs(), self.calls)
        self.scenario = FileScenario(InterruptedEngine(self.engine, self.calls), blobs)
        self.photo: Reference = self.scenario.create(title="large").reference
        for first in range(0, PARTS, AT_ONCE):
            self._add_prints(min(AT_ONCE, PARTS - first))

    def _add_prints(self, number: int) -> None:
        uploads = [self.scenario.upload(attribute="scan", class_name="Print") for _ in range(number)]
        prints = [Create("Print", {"scan": reference_to(upload)}) for upload in uploads]
        command = Update(self.photo, roles={"prints": PartsCommand(create=prints)})
        save(self.scenario.services, command, BEN)

    def sweep_objects(self) -> None:
        """Do the cleanup that large writes have left, as the sweep does."""
        Repository(self.engine, MODEL).sweep()


def _delete(prepared: Prepared) -> None:
    prepared.scenario.delete(prepared.photo)


def _delete_parts(prepared: Prepared) -> None:
    command = Update(prepared.photo, roles={"prints": PartsCommand(delete_all=True)})
    save(prepared.scenario.services, command, BEN)


@pytest.mark.parametrize("interruption", Interruption, ids=lambda each: each.name.lower())
@pytest.mark.parametrize("operation", [_delete, _delete_parts], ids=lambda each: each.__name__.strip("_"))
def test_a_large_deletion_that_is_interrupted_leaves_no_files(
    operation: Callable[[Prepared], None], interruption: Interruption
) -> None:
    complete = Prepared()
    assert len(complete.scenario.stored_keys()) == 2 * PARTS
    before = complete.calls.number
    operation(complete)
    number_of_calls = complete.calls.number - before
    assert {each.reference.class_name for each in objects_of(complete.scenario)} <= {"Photo"}
    check_nothing_is_left(complete.scenario)
    assert complete.scenario.stored_keys() == set()

    for number in range(0, number_of_calls, EVERY):
        prepared = Prepared()
        prepared.calls.interrupt(number, interruption)
        with suppress(ProcessStopped, Unavailable):
            operation(prepared)
        prepared.calls.go_on()
        prepared.sweep_objects()
        check_nothing_is_left(prepared.scenario)
        operation(prepared)
        prepared.sweep_objects()
        check_nothing_is_left(prepared.scenario)
        assert prepared.scenario.stored_keys() == set()
