"""Batched reads that run together load in as few batches as the longest of them."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.page import ALL_IDS, IdRange
from stratabase.core.operations.read.as_of import AsOfBatch
from stratabase.core.operations.read.batched_reads import BatchedRead, Load, Phase, run_together
from stratabase.core.operations.read.reader import Reader
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.fakes import request_of

MENTORS, MEMBERS = RoleName("Person", "pupils"), RoleName("Project", "members")


class RecordingObjects(EverythingObjects):
    """Objects that record each batch of reads."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[list[tuple[str, Instant]]] = []
        self.looks: list[list[tuple[str, Instant]]] = []

    def as_of(self, moments: Sequence[Moment], *arguments: Any) -> list[Entity | None]:
        self.reads.append([(reference.id, instant) for reference, instant in moments])
        return [Entity(reference, {"at": instant}) for reference, instant in moments]

    def linked(self, role: RoleName, ids: Sequence[str], *_: Any, **arguments: Any) -> list[tuple[str, ...]]:
        self.looks.append(list(zip(ids, arguments["at"], strict=True)))
        return [(f"{id_}.{instant}",) for id_, instant in self.looks[-1]]


@pytest.fixture
def recording() -> RecordingObjects:
    return RecordingObjects()


def readers(recording: RecordingObjects, instants: Iterable[Instant]) -> list[Reader]:
    """Return a reader for each instant. All readers load in the same batches."""
    request = request_of(EVERYTHING, recording)
    batch = AsOfBatch(request)
    return [Reader(request, instant, batch=batch) for instant in instants]


def person(id_: str) -> Reference:
    return Reference("Person", id_)


def chain(reader: Reader, number: int) -> BatchedRead[list[Any]]:
    """Load a number of objects one after the other, and then the targets of the last one."""
    for step in range(number):
        yield from reader.load([person(f"p{step}")])
    (led,) = yield from reader.load_links(MENTORS, ["p"], ALL_IDS)
    found = [reader[person(f"p{step}")] for step in range(number)]
    return [*(each and each.state["at"] for each in found), *led]


def test_the_number_of_batches_is_that_of_the_longest_reading(recording: RecordingObjects) -> None:
    found = run_together(
        chain(reader, number % 4) for number, reader in enumerate(readers(recording, range(100, 120)))
    )
    assert found == [[*[at] * (at % 4), f"p.{at}"] for at in range(100, 120)]
    assert [len(each) for each in recording.reads] == [15, 10, 5]
    assert [len(each) for each in recording.looks] == [20]


def test_loaded_objects_are_not_loaded_again(recording: RecordingObjects) -> None:
    def load(reader: Reader) -> BatchedRead[None]:
        yield from reader.load([person("a"), person("b")])
        yield from reader.load([person("b")])

    run_together(map(load, readers(recording, [1, 2])))
    assert recording.reads == [[("a", 1), ("b", 1), ("a", 2), ("b", 2)]]
    assert run_together([]) == []


def test_links_of_several_roles_are_loaded_role_by_role(recording: RecordingObjects) -> None:
    def load(reader: Reader, role: RoleName) -> BatchedRead[list[Sequence[str]]]:
        return (yield from reader.load_links(role, ["x"], IdRange(limit=5)))

    roles = [MENTORS, MEMBERS, MENTORS, MEMBERS]
    found = run_together(map(load, readers(recording, [1, 1, 2, 2]), roles))
    assert found == [[("x.1",)], [("x.1",)], [("x.2",)], [("x.2",)]]
    assert recording.looks == [[("x", 1), ("x", 2)]] * 2


def test_visibility_is_loaded_together_with_objects_and_once_per_key(recording: RecordingObjects) -> None:
    batches: list[list[int]] = []

    def double(numbers: Sequence[int]) -> Sequence[int]:
        batches.append([*numbers])
        return [2 * number for number in numbers]

    def load(reader: Reader, number: int) -> BatchedRead[int]:
        if number > 1:
            yield from reader.load([person("a")])
        (doubled,) = yield Load(Phase.VISIBILITY, double, [number % 2])
        return int(doubled)

    assert run_together(map(load, readers(recording, range(4)), range(4))) == [0, 2, 0, 2]
    assert batches == [[0, 1], [0, 1]]
    assert [len(each) for each in recording.reads] == [2]


def test_other_requests_proceed_while_many_readings_are_resumed(monkeypatch: pytest.MonkeyPatch) -> None:
    resumed: list[int] = []
    pauses: list[int] = []

    def note(number: int) -> BatchedRead[None]:
        resumed.append(number)
        yield from ()

    monkeypatch.setattr(waiting, "give_way", lambda: pauses.append(len(resumed)))
    run_together(map(note, range(100)))
    gaps = [after - before for before, after in pairwise([0, *pauses, len(resumed)])]
    assert max(gaps) <= 10
