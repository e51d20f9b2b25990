"""What was read once in a fetch is not read again, and links that were followed to their end are known."""

from collections.abc import Sequence
from typing import Any

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.fetching.stretch import EVERYTHING, Stretch
from tests.everything import EVERYTHING as MODEL
from tests.everything import Objects
from tests.worlds import plenty

MEMBERS = RoleName("Team", "members")


class Asked(Objects):
    """Objects that note what they are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.read_at: list[Reference] = []
        self.linked_at: list[tuple[str, ...]] = []
        for id_ in "abcd":
            self.put("Person", id_, team="t" if id_ != "d" else "u")

    def read(
        self, references: Sequence[Reference], allowance: ReadBudget | None = None
    ) -> list[Entity | None]:
        self.read_at += references
        return super().read(references, allowance)

    def linked(self, role: RoleName, ids: Sequence[str], **options: Any) -> list[tuple[str, ...]]:
        self.linked_at.append(tuple(ids))
        return super().linked(role, ids, **options)


def test_an_object_stays_as_it_was_read() -> None:
    objects = Asked()
    seen = Seen(objects, MODEL, plenty())
    a, b, gone = (Reference("Person", id_) for id_ in ("a", "b", "gone"))
    seen.read([a, gone])
    before = seen[a]
    objects.put("Person", "a", last_name="new")
    seen.read([a, b, gone])
    assert seen[a] is before
    assert seen[gone] is None
    assert objects.read_at == [a, gone, b]


def test_links_that_are_all_known_are_not_asked_for_again() -> None:
    objects = Asked()
    seen = Seen(objects, MODEL, plenty())
    assert [*map(list, seen.linked(MEMBERS, ["t", "t"], EVERYTHING))] == [["a", "b", "c"]] * 2
    parts = [Stretch(limit=2), Stretch(start="a"), Stretch(backward=True, limit=1)]
    assert [list(seen.linked(MEMBERS, ["t"], part)[0]) for part in parts] == [["a", "b"], ["b", "c"], ["c"]]
    assert [*map(list, seen.linked(MEMBERS, ["u", "t"], EVERYTHING))] == [["d"], ["a", "b", "c"]]
    assert objects.linked_at == [("t",), ("u",)]


def test_of_a_part_of_the_links_nothing_follows_for_the_others() -> None:
    objects = Asked()
    seen = Seen(objects, MODEL, plenty())
    assert [*map(list, seen.linked(MEMBERS, ["t"], Stretch(limit=1)))] == [["a"]]
    assert [*map(list, seen.linked(MEMBERS, ["t"], EVERYTHING))] == [["a", "b", "c"]]
