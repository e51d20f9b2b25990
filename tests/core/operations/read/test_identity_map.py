"""The identity map loads each object once, and no completely known links."""

from collections.abc import Sequence
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.id_range import ALL_IDS, IdRange
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.identity_map import IdentityMap
from tests.everything_model import EVERYTHING as MODEL
from tests.everything_model import EverythingObjects
from tests.fakes import request_of

MEMBERS = RoleName("Team", "members")


class RecordingObjects(EverythingObjects):
    """Objects that record which of them are read."""

    def __init__(self) -> None:
        super().__init__()
        self.read_at: list[Reference] = []
        self.linked_at: list[tuple[str, ...]] = []
        for id_ in "abcd":
            self.put("Person", id_, team="t" if id_ != "d" else "u")

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        self.read_at += references
        return super().read(references, budget)

    def linked(
        self, role: RoleName, ids: Sequence[str], *arguments: Any, **options: Any
    ) -> list[tuple[str, ...]]:
        self.linked_at.append(tuple(ids))
        return super().linked(role, ids, *arguments, **options)


def test_an_object_is_loaded_once_per_request() -> None:
    objects = RecordingObjects()
    known = IdentityMap(request_of(MODEL, objects))
    a, b, gone = (Reference("Person", id_) for id_ in ("a", "b", "gone"))
    run(known.load([a, gone]))
    before = known[a]
    objects.put("Person", "a", last_name="new")
    run(known.load([a, b, gone]))
    assert known[a] is before
    assert known[gone] is None
    assert objects.read_at == [a, gone, b]


def test_completely_loaded_links_are_not_loaded_again() -> None:
    objects = RecordingObjects()
    known = IdentityMap(request_of(MODEL, objects))
    assert [*map(list, run(known.load_links(MEMBERS, ["t", "t"], ALL_IDS)))] == [["a", "b", "c"]] * 2
    parts = [IdRange(limit=2), IdRange(start="a"), IdRange(backward=True, limit=1)]
    assert [list(run(known.load_links(MEMBERS, ["t"], part))[0]) for part in parts] == [
        ["a", "b"],
        ["b", "c"],
        ["c"],
    ]
    assert [*map(list, run(known.load_links(MEMBERS, ["u", "t"], ALL_IDS)))] == [["d"], ["a", "b", "c"]]
    assert objects.linked_at == [("t",), ("u",)]


def test_a_partial_range_of_links_does_not_count_as_complete() -> None:
    objects = RecordingObjects()
    known = IdentityMap(request_of(MODEL, objects))
    assert [*map(list, run(known.load_links(MEMBERS, ["t"], IdRange(limit=1))))] == [["a"]]
    assert [*map(list, run(known.load_links(MEMBERS, ["t"], ALL_IDS)))] == [["a", "b", "c"]]
