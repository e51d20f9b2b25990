"""An order of objects, and a position in it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from stratabase.domain.attributes import type_of, value_getter
from stratabase.domain.objects.entity import State
from stratabase.domain.objects.version import VERSION_START
from stratabase.frozen import frozen
from stratabase.model.model import Class
from stratabase.model.types.storage import Stored


@frozen
class OrderTerm:
    """One attribute to order by; null comes first ascending, last descending."""

    attribute: str
    descending: bool = False

    def reversed(self) -> "OrderTerm":
        """Return the opposite term."""
        return OrderTerm(self.attribute, not self.descending)


_BY_ID, _BY_START = OrderTerm("_id"), OrderTerm(VERSION_START)


@frozen
class Order:
    """Terms, the most important first; the last is always `_id`, so that no two objects are equal.

    The versions of one object are ordered by terms of which the last is always `_versionStart`.
    """

    terms: tuple[OrderTerm, ...] = (_BY_ID,)

    @classmethod
    def of(cls, terms: Iterable[OrderTerm]) -> "Order":
        """Return the order that `terms` mean: each attribute once, and `_id` last, named or not."""
        return cls(_until(_BY_ID, terms))

    @classmethod
    def of_versions(cls, terms: Iterable[OrderTerm]) -> "Order":
        """Return the order of an object's versions: each attribute once, and `_versionStart` last.

        Without terms it is the one that pages have if nothing is said, so that cursors fit both.
        """
        return cls(_until(_BY_START, tuple(terms) or (_BY_ID,)))

    def reversed(self) -> "Order":
        """Return the opposite order."""
        return Order(tuple(term.reversed() for term in self.terms))


def _until(last: OrderTerm, terms: Iterable[OrderTerm]) -> tuple[OrderTerm, ...]:
    """Return the terms up to a last one, named among them or not, each attribute once."""
    firsts: dict[str, OrderTerm] = {}
    for term in (*terms, last):
        firsts.setdefault(term.attribute, term)
    return tuple(firsts.values())[: list(firsts).index(last.attribute) + 1]


@frozen
class Position:
    """Stored values for the first terms of an order (all of them: exactly one place)."""

    values: tuple[Stored, ...]


def position_of(state: State, order: Order) -> Position:
    """Return where a state stands in an order."""
    return Position(tuple(state.get(term.attribute) for term in order.terms))


T = TypeVar("T")


class _Step(NamedTuple):
    """One value of a position, ready to be compared with."""

    read: Callable[[State], Any]
    value: Stored
    place: Any
    rank: Callable[[Any], Any]
    up: int
    """What to answer for a greater value: 1 ascending, -1 descending."""


def comparator(position: Position, order: Order, class_: Class) -> Callable[[State], int]:
    """Return what tells where a state lies: -1 before the position, 0 at it, 1 after it.

    A position that holds values for the first terms only is as wide as all objects that have these values.
    """
    steps = [_step(term, value, class_) for term, value in zip(order.terms, position.values, strict=False)]

    def side(state: State) -> int:
        for read, value, place, rank, up in steps:
            own = read(state)
            if own == value:
                continue
            above = own is not None and (value is None or rank(own) > place)
            return up if above else -up
        return 0

    return side


def _step(term: OrderTerm, value: Stored, class_: Class) -> _Step:
    rank = type_of(class_, term.attribute).sort_key
    place = None if value is None else rank(value)
    return _Step(value_getter(class_, term.attribute), value, place, rank, -1 if term.descending else 1)


def compare_positions(left: Position, right: Position, order: Order, class_: Class) -> int:
    """Return -1, 0 or 1 as `left` is before, at or after `right`, by the terms that both hold values for."""
    known = dict(zip((term.attribute for term in order.terms), left.values, strict=False))
    shared = Position(right.values[: len(known)])
    return comparator(shared, order, class_)(known)


def sort_objects(
    things: Iterable[T], state_of: Callable[[T], State], order: Order, class_: Class
) -> Sequence[T]:
    """Return the things by the order of their states."""
    # One stable pass per term, the least important first: each compares plain values of one type, which is
    # several times faster than one pass over composed keys.
    things = list(things)
    states = [state_of(thing) for thing in things]
    places = list(range(len(things)))
    for term in reversed(order.terms):
        read, rank = value_getter(class_, term.attribute), type_of(class_, term.attribute).sort_key
        places = _pass([read(state) for state in states], places, rank, down=term.descending)
    return [things[place] for place in places]


def _pass(
    values: Sequence[Any], places: Sequence[int], rank: Callable[[Any], Any], *, down: bool
) -> list[int]:
    nulls = [place for place in places if values[place] is None]
    others = [place for place in places if values[place] is not None]
    others.sort(key=lambda place: rank(values[place]), reverse=down)
    return others + nulls if down else nulls + others
