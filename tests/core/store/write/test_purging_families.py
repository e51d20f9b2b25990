"""A whole is deleted with all its parts, even if they require one another, unless others require them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import pytest

from stratabase.core.domain.objects.change import Deletion, Effect
from stratabase.core.domain.objects.commit_refusals import Conflict, IntegrityViolation, RequiredRoleEmpty
from stratabase.core.model.model import Role
from tests.core.store.graphs import Objects, class_with, key, many, one, parts, whole
from tests.core.store.watched_engine import WatchedEngine
from tests.models import model

TOGETHER = 10
"""Parts that are made at once."""


class Family(NamedTuple):
    """The roles between wholes and parts beside the composition."""

    whole: tuple[Role, ...] = ()
    part: tuple[Role, ...] = ()
    keys: Callable[[int], Mapping[str, str]] = lambda _: {}
    """What the keys of the part of a number lead to."""
    key: Mapping[str, str] = {}
    """What the whole's keys lead to."""
    links: Callable[[Objects, str], Sequence[Effect]] = lambda *_: ()
    """The links of a part."""


def _first(id_: str) -> str:
    """Return the id of the first part in the group in which a part was created."""
    return f"{int(id_) // TOGETHER * TOGETHER:03}"


FAMILIES = {
    "parts need their whole": Family(
        part=(key("needs", "Order", required=True),), keys=lambda _: {"needs": "o"}
    ),
    "parts need their whole, which needs one": Family(
        (many("needed", "Line", "needs", required=True),),
        (key("needs", "Order", "needed", required=True),),
        keys=lambda _: {"needs": "o"},
    ),
    "a part needs its whole for itself": Family(
        (one("first", "Line", "only", required=True),),
        (key("only", "Order", "first", required=True),),
        keys=lambda number: {} if number else {"only": "o"},
    ),
    "a whole needs a part for itself": Family(
        (key("first", "Line", "only", required=True),),
        (one("only", "Order", "first", required=True),),
        key={"first": "000"},
    ),
    "parts need their whole by links": Family(
        part=(many("needs", "Order", required=True),),
        links=lambda objects, id_: objects.linking("Line", "needs", id_, "o"),
    ),
    "both need one another by links": Family(
        (many("needed", "Line", "needs", required=True),),
        (many("needs", "Order", "needed", required=True),),
        links=lambda objects, id_: objects.linking("Line", "needs", id_, "o"),
    ),
    "parts need one another": Family(
        part=(
            key("next", "Line", required=True),
            many("needs", "Line", "needed", required=True),
            many("needed", "Line", "needs"),
        ),
        keys=lambda number: {"next": _first(f"{number}")},
        links=lambda objects, id_: objects.linking("Line", "needs", id_, _first(id_)),
    ),
}


class Order:
    """A whole with parts, and other objects that may lead to them."""

    def __init__(self, engine: WatchedEngine, family: Family, number: int) -> None:
        claim = (
            key("order", "Order", required=True),
            many("orders", "Order", required=True),
            many("lines", "Line", required=True),
        )
        self.objects = Objects(
            engine,
            model(
                class_with("Order", parts("lines", "Line", "order_"), *family.whole),
                class_with("Line", whole("order_", "Order", "lines"), *family.part),
                *(class_with(f"Claim{number}", role) for number, role in enumerate(claim)),
            ),
        )
        self._ids = [f"{each:03}" for each in range(number)]
        for first in range(0, number, TOGETHER):
            self.objects.commit(*self._made(family, first))

    def _made(self, family: Family, first: int) -> Iterator[Effect]:
        if not first:
            yield self.objects.creation("Order", "o", lines=self._ids, **family.key)
        ids = self._ids[first : first + TOGETHER]
        for number, id_ in enumerate(ids, start=first):
            yield self.objects.creation("Line", id_, order_="o", **family.keys(number))
        for id_ in ids:
            yield from family.links(self.objects, id_)

    def deletion(self) -> Sequence[Effect]:
        """Return the deletions of the whole and its parts, as operations request them."""
        lines = (self.objects.get("Line", id_) for id_ in self._ids)
        return [Deletion(self.objects.get("Order", "o")), *map(Deletion, lines)]


def by_key(objects: Objects) -> list[Effect]:
    """Return the effects that create an object which requires the whole by a key."""
    return [objects.creation("Claim0", "c", order="o")]


def by_link(objects: Objects) -> list[Effect]:
    """Return the effects that create an object whose list contains only the whole."""
    return [objects.creation("Claim1", "c"), *objects.linking("Claim1", "orders", "c", "o")]


def by_link_to_part(objects: Objects) -> list[Effect]:
    """Return the effects that create an object whose list contains only a part."""
    return [objects.creation("Claim2", "c"), *objects.linking("Claim2", "lines", "c", "003")]


Make = Callable[[Objects], list[Effect]]
OTHERS: Mapping[Make, Callable[[Objects], RequiredRoleEmpty]] = {
    by_key: lambda objects: RequiredRoleEmpty(
        objects.reference("Order", "o"), objects.role("Claim0", "order")
    ),
    by_link: lambda objects: RequiredRoleEmpty(
        objects.reference("Claim1", "c"), objects.role("Claim1", "orders")
    ),
    by_link_to_part: lambda objects: RequiredRoleEmpty(
        objects.reference("Claim2", "c"), objects.role("Claim2", "lines")
    ),
}


@pytest.fixture
def engine() -> WatchedEngine:
    """An engine whose items are visible."""
    return WatchedEngine()


@pytest.fixture(params=[*FAMILIES.values()], ids=[*FAMILIES])
def family(request: pytest.FixtureRequest) -> Family:
    family: Family = request.param
    return family


@pytest.mark.parametrize("number", [10, 50, 110])
def test_a_whole_is_deleted_with_all_its_parts(engine: WatchedEngine, family: Family, number: int) -> None:
    """This does not depend on whether one commit can delete them all."""
    order = Order(engine, family, number)
    order.objects.commit(*order.deletion())
    order.objects.entities.sweep()
    assert len(engine.items) == 0


@pytest.mark.parametrize(
    ("number", "other"),
    [
        *((10, other) for other in OTHERS),
        (110, by_key),
        *(pytest.param(110, other, marks=pytest.mark.thorough) for other in (by_link, by_link_to_part)),
    ],
)
def test_a_reference_required_from_outside_prevents_the_whole_deletion(
    engine: WatchedEngine, family: Family, number: int, other: Make
) -> None:
    order = Order(engine, family, number)
    order.objects.commit(*other(order.objects))
    assert order.objects.refused(*order.deletion()) == {OTHERS[other](order.objects)}
    order.objects.delete(f"Claim{[*OTHERS].index(other)}", "c")
    order.objects.commit(*order.deletion())
    order.objects.entities.sweep()
    assert len(engine.items) == 0


@pytest.mark.parametrize("number", [10, 110])
@pytest.mark.parametrize("other", [by_key, by_link])
def test_a_reference_added_just_before_prevents_the_deletion(
    engine: WatchedEngine, family: Family, number: int, other: Make
) -> None:
    order = Order(engine, family, number)
    deletion = order.deletion()
    engine.before_commit = lambda: order.objects.commit(*other(order.objects))
    with pytest.raises((IntegrityViolation, Conflict)):
        order.objects.commit(*deletion)
    assert order.objects.refused(*order.deletion()) == {OTHERS[other](order.objects)}
