"""Operations of every kind, with the objects before, the result, and the objects after."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.objects.change import Change, Creation, Deletion, Effect, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.model.model import Class
from stratabase.core.store.engine.port import Item
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.repository import Repository
from tests.aws.dynamodb.table_operations import (
    PLAIN,
    REMEMBERED,
    UNIQUE,
    Codes,
    OperationCall,
    creating,
    deleting,
    saving,
    saving_new,
    table,
    table_items,
    updating,
)
from tests.core.store.stores import UnguardedRegistryCache, use_registry
from tests.models import model


@dataclass(frozen=True, eq=False)
class Case:
    """An operation on the objects of a class. A new object has the ID id1."""

    name: str
    class_: Class
    operation: OperationCall
    answer: str | bool | IssueType
    """The expected result: the id of the object, whether an object was deleted, or the type of the issue."""
    after: Codes
    before: Codes = field(default_factory=dict)
    unguarded: Codes = field(default_factory=dict)
    """Codes of objects that were written before the model had the constraint."""
    gone: Sequence[str] = ()
    """The ids of objects that were deleted while the model did not have the constraint."""
    first: bool = False
    """Whether the store is new, and has no registry yet."""
    writes: bool = True
    """Whether the operation changes anything."""

    def prepared(self) -> list[Item]:
        """Return all items before the operation."""
        if self.first:
            return []
        with table() as engine:
            RegistryCache(engine, model(self.class_)).registry()
            strict, lax = (
                Repository(engine, model(each)) for each in (self.class_, replace(self.class_, uniques=()))
            )
            created = (Creation(self._entity(id_, code)) for id_, code in self.before.items())
            strict.commit(Change(f"made in {engine.name}", 0, tuple(created)))
            use_registry(lax, UnguardedRegistryCache(engine, model(self.class_)))
            others = (*self._rewritten(lax), *map(Deletion, self._found(lax, self.gone)))
            lax.commit(Change(f"meanwhile in {engine.name}", 0, others))
            return [*table_items(engine).values()]

    def _entity(self, id_: str, code: str | None) -> Entity:
        state = {"_id": id_, "name": "old", "code": code, "count": 1}
        return Entity(Reference(self.class_.name, id_), state)

    def _rewritten(self, entities: Repository) -> Iterator[Effect]:
        for before in self._found(entities, [*self.unguarded]):
            after = {**before.state, "code": self.unguarded[before.reference.id]}
            yield Modification(before, replace(before, state=after))

    def _found(self, entities: Repository, ids: Sequence[str]) -> list[Entity]:
        found = entities.read([Reference(self.class_.name, id_) for id_ in ids])
        return [entity for entity in found if entity is not None]


def _creations(verb: str, makes: Callable[..., OperationCall]) -> Iterator[Case]:
    yield Case(verb, PLAIN, makes(), "id1", {"id1": None})
    yield Case(f"{verb} first of all", PLAIN, makes(), "id1", {"id1": None}, first=True)
    yield Case(f"{verb} without a value", UNIQUE, makes(), "id1", {"id1": None})
    yield Case(f"{verb} with a free value", UNIQUE, makes("a"), "id1", {"id1": "a"})
    yield Case(
        f"{verb} with a taken value",
        UNIQUE,
        makes("a"),
        IssueType.ENTITY_UNIQUE,
        {"x": "a"},
        before={"x": "a"},
        writes=False,
    )
    yield Case(
        f"{verb} with a value left behind",
        UNIQUE,
        makes("a"),
        "id1",
        {"id1": "a", "x": "b"},
        before={"x": "a"},
        unguarded={"x": "b"},
    )
    yield Case(
        f"{verb} with a value left behind by what is gone",
        UNIQUE,
        makes("a"),
        "id1",
        {"id1": "a"},
        before={"x": "a"},
        gone=["x"],
    )


def _updates(verb: str, changes: Callable[..., OperationCall]) -> Iterator[Case]:
    yield Case(verb, PLAIN, changes("x", count=2), "x", {"x": None}, before={"x": None})
    yield Case(
        f"{verb} nothing", PLAIN, changes("x", count=1), "x", {"x": "a"}, before={"x": "a"}, writes=False
    )
    yield Case(
        f"{verb} what is not there", UNIQUE, changes("x"), IssueType.ENTITY_NOT_FOUND, {}, writes=False
    )
    yield Case(f"{verb} beside the value", UNIQUE, changes("x", count=2), "x", {"x": "a"}, before={"x": "a"})
    yield Case(
        f"{verb} to the same value",
        UNIQUE,
        changes("x", code="a"),
        "x",
        {"x": "a"},
        before={"x": "a"},
        writes=False,
    )
    yield Case(
        f"{verb} to a free value", UNIQUE, changes("x", code="b", count=2), "x", {"x": "b"}, before={"x": "a"}
    )
    yield Case(f"{verb} to no value", UNIQUE, changes("x", code=None), "x", {"x": None}, before={"x": "a"})
    yield Case(
        f"{verb} to a taken value",
        UNIQUE,
        changes("y", code="a"),
        IssueType.ENTITY_UNIQUE,
        {"x": "a", "y": "c"},
        before={"x": "a", "y": "c"},
        writes=False,
    )
    yield Case(
        f"{verb} to a value left behind",
        UNIQUE,
        changes("y", code="a", count=2),
        "y",
        {"x": "b", "y": "a"},
        before={"x": "a", "y": "c"},
        unguarded={"x": "b"},
    )
    yield Case(
        f"{verb} back to the value left behind",
        UNIQUE,
        changes("x", code="a"),
        "x",
        {"x": "a"},
        before={"x": "a"},
        unguarded={"x": "b"},
    )
    yield Case(
        f"{verb} from a value that was never taken",
        UNIQUE,
        changes("x", code=None, count=2),
        "x",
        {"x": None},
        before={"x": None},
        unguarded={"x": "b"},
    )


def _deletions() -> Iterator[Case]:
    yield Case("delete", PLAIN, deleting("x"), True, {}, before={"x": None})
    yield Case("delete what is not there", PLAIN, deleting("x"), False, {}, writes=False)
    yield Case("delete with a value", UNIQUE, deleting("x"), True, {"y": "b"}, before={"x": "a", "y": "b"})
    yield Case("delete without a value", UNIQUE, deleting("x"), True, {}, before={"x": None})
    yield Case(
        "delete with a value that was never taken",
        UNIQUE,
        deleting("x"),
        True,
        {},
        before={"x": None},
        unguarded={"x": "b"},
    )


def _remembered() -> Iterator[Case]:
    """Yield writes that close a version in the same commit."""
    changes, class_, before = updating("x", code="b", count=2), REMEMBERED, {"x": "a"}
    yield Case("update what has versions", class_, changes, "x", {"x": "b"}, before=before)
    yield Case("delete what has versions", class_, deleting("x"), True, {}, before=before)


CASES = (
    *_creations("create", creating),
    *_creations("save as new", saving_new),
    *_updates("update", updating),
    *_updates("save", saving),
    *_deletions(),
    *_remembered(),
)
