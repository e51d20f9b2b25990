"""Changes of graphs of every kind, with the graphs before and after."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, Deletion, Effect
from stratabase.core.domain.objects.commit_refusals import IntegrityViolation
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Item
from tests.aws.dynamodb.table_operations import table, table_items
from tests.core.store.graphs import Objects, associated, change, class_with, key, many, parts, whole
from tests.fakes import DictEntities
from tests.models import model
from tests.role_rules import Graph

Make = Callable[[Objects], Sequence[Effect]]


class Prepared(NamedTuple):
    """A change to commit, all items before it, and the graphs before and after."""

    items: Sequence[Item]
    change: Change
    before: Graph
    after: Graph


@dataclass(frozen=True, eq=False)
class Case:
    """A change of associated objects."""

    name: str
    model: Model
    before: Sequence[Make]
    """The changes before, in their order."""
    made: Make
    refused: bool = False
    older: Model | None = None
    """The model under which the objects before were written, if it is another one."""

    def prepared(self) -> Prepared:
        """Write the objects of the case, and return what a test needs."""
        plain = DictEntities(self.model)
        with table() as engine:
            older = Objects(engine, self.older or self.model, "")
            for number, make in enumerate(self.before):
                result = change(*make(older), commit_id=f"{number} in {engine.name}")
                older.entities.commit(result)
                plain.commit(result)
            objects = older.under(self.model)
            objects.as_built()  # the registry is written before, and counts are not made yet
            result, before = change(*self.made(objects), commit_id=self.name), plain.graph
            try:
                plain.commit(result)
            except IntegrityViolation:
                assert self.refused
            return Prepared([*table_items(engine).values()], result, before, plain.graph)


def _made(*ids: str, class_name: str = "A", **state: object) -> Make:
    return lambda objects: [objects.creation(class_name, id_, **state) for id_ in ids]


def _deleted(*ids: str, class_name: str = "A") -> Make:
    return lambda objects: [objects.deletion(class_name, id_) for id_ in ids]


def _moved(**to: str | None) -> Make:
    return lambda objects: [objects.update("A", id_, to=target) for id_, target in to.items()]


def _linked(owner: str, *others: str) -> Make:
    return lambda objects: objects.linking("A", "to", owner, *others)


def _unlinked(owner: str, *others: str) -> Make:
    return lambda objects: objects.unlinking("A", "to", owner, *others)


def _all(*makes: Make) -> Make:
    return lambda objects: [effect for make in makes for effect in make(objects)]


KEYS, ONE_TO_ONE = associated("both required"), associated("one to one, other required")
LINKS, COUNTED_LINKS = associated("many to many"), associated("many to many, one required")
_TEAMS = (_all(_made("b", "c", class_name="B"), _made("v", "w", to="b"), _made("x", "y", to="c")),)
_COUPLES = (_all(_made("b", "c", class_name="B"), _made("x", to="b"), _made("y", to="c"), _made("z")),)
_NOTES = (
    _all(_made("b", "c", "d", class_name="B"), _made("a", "x"), _linked("a", "b", "c"), _linked("x", "c")),
)
_PARTS = model(
    class_with("A", parts("parts", "P", "a_"), many("to", "B", "of")),
    class_with("P", whole("a_", "A", "parts"), key("b", "B", "lines")),
    class_with("B", many("of", "A", "to"), many("lines", "P", "b")),
)
_IDS = [f"p{number:02}" for number in range(60)]


def _whole(objects: Objects) -> Sequence[Effect]:
    return [
        objects.creation("B", "b"),
        objects.creation("A", "a", parts=_IDS),
        *(objects.creation("P", id_, a_="a") for id_ in _IDS),
        *objects.linking("A", "to", "a", "b"),
    ]


def _filled(objects: Objects) -> Sequence[Effect]:
    return [objects.update("P", id_, b="b") for id_ in _IDS[:40]]


def _ended(objects: Objects) -> Sequence[Effect]:
    return [Deletion(objects.get("A", "a")), *(Deletion(objects.get("P", id_)) for id_ in _IDS)]


CASES = (
    Case("create with a key", KEYS, _TEAMS, _made("new", to="b")),
    Case("create both ends", KEYS, _TEAMS, _all(_made("new", to="d"), _made("d", class_name="B"))),
    Case("create with a key to nothing", KEYS, _TEAMS, _made("new", to="nowhere"), refused=True),
    Case("move a key", KEYS, _TEAMS, _moved(v="c")),
    Case("swap keys", KEYS, _TEAMS, _moved(v="c", x="b")),
    Case("move the last keys", KEYS, _TEAMS, _moved(v="c", w="c"), refused=True),
    Case("delete with a key", KEYS, _TEAMS, _deleted("v")),
    Case("delete what keys lead to", KEYS, _TEAMS, _deleted("b", class_name="B"), refused=True),
    Case(
        "count what was not counted",
        KEYS,
        _TEAMS,
        _all(_made("new", to="b"), _deleted("x")),
        older=associated("key and list"),
    ),
    Case("couple", ONE_TO_ONE, _COUPLES, _all(_made("d", class_name="B"), _moved(z="d"))),
    Case("swap couples", ONE_TO_ONE, _COUPLES, _moved(x="c", y="b")),
    Case("couple what is coupled", ONE_TO_ONE, _COUPLES, _moved(z="b"), refused=True),
    Case("leave alone", ONE_TO_ONE, _COUPLES, _moved(x=None), refused=True),
    Case("delete with links", LINKS, _NOTES, _deleted("a")),
    Case("link", LINKS, _NOTES, _linked("x", "b", "d")),
    Case("unlink", LINKS, _NOTES, _unlinked("a", "b")),
    Case("link what is counted", COUNTED_LINKS, _NOTES, _linked("x", "b", "d")),
    Case("unlink what is counted", COUNTED_LINKS, _NOTES, _unlinked("a", "b")),
    Case("unlink the last", COUNTED_LINKS, _NOTES, _unlinked("x", "c"), refused=True),
    Case("delete what links lead to", COUNTED_LINKS, _NOTES, _deleted("b", class_name="B")),
    Case(
        "delete what the last link leads to",
        COUNTED_LINKS,
        _NOTES,
        _deleted("c", class_name="B"),
        refused=True,
    ),
    Case("delete more than fits", _PARTS, (_whole, _filled), _ended),
)
