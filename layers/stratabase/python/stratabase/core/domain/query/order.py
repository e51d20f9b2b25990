"""Orders of objects, and positions in them.

If objects are equal in all terms but the last one, the order goes on with what was written in the attributes
whose texts are folded, in the directions of their terms.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from stratabase.core.domain.attributes import folded_getter, order_getter, type_of
from stratabase.core.domain.objects.entity import State
from stratabase.core.domain.objects.version import VERSION_END, VERSION_START
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.core.model.types.base import Stored
from stratabase.values.frozen import frozen


@frozen
class OrderTerm:
    """One attribute to order by. Null comes first if ascending, and last if descending."""

    attribute: str
    descending: bool = False

    def reversed(self) -> "OrderTerm":
        """Return the term in the opposite direction."""
        return OrderTerm(self.attribute, not self.descending)


_BY_ID, _BY_START = OrderTerm(ID), OrderTerm(VERSION_START)


@frozen
class Order:
    """Terms, the most important first. The last one is `_id`, so no two objects are equal.

    An order of the versions of one object ends with `_versionStart` instead.
    """

    terms: tuple[OrderTerm, ...] = (_BY_ID,)

    @classmethod
    def of(cls, terms: Iterable[OrderTerm]) -> "Order":
        """Return the order of some terms: each attribute once, with `_id` last."""
        return cls(_ending_with(_BY_ID, terms))

    @classmethod
    def of_versions(cls, terms: Iterable[OrderTerm]) -> "Order":
        """Return an order of an object's versions: each attribute once, with `_versionStart` last.

        Without terms it is the default order of pages of objects, so that a cursor of one fits the other.
        """
        return cls(_ending_with(_BY_START, tuple(terms) or (_BY_ID,)))

    @classmethod
    def of_deletions(cls, _terms: Iterable[OrderTerm] = ()) -> "Order":
        """Return the order of deleted objects, the latest deletion first.

        The last version of a deleted object ends with the deletion.
        """
        return cls((OrderTerm(VERSION_END, descending=True), OrderTerm(ID, descending=True)))

    def reversed(self) -> "Order":
        """Return the opposite order."""
        return Order(tuple(term.reversed() for term in self.terms))


def _ending_with(last: OrderTerm, terms: Iterable[OrderTerm]) -> tuple[OrderTerm, ...]:
    """Return the terms up to a last one, which is added if it is missing. Each attribute occurs once."""
    firsts: dict[str, OrderTerm] = {}
    for term in (*terms, last):
        firsts.setdefault(term.attribute, term)
    return tuple(firsts.values())[: list(firsts).index(last.attribute) + 1]


@frozen
class Position:
    """A position in an order: stored values for its first terms. Values for all terms mean an exact place.

    The value of a file needs only its name.
    """

    values: tuple[Stored, ...]


def position_of(state: State, order: Order) -> Position:
    """Return the position of a state in an order."""
    return Position(tuple(state.get(term.attribute) for term in order.terms))


T = TypeVar("T")


_Part = tuple[Callable[[State], Any], Callable[[Any], Any], bool]
"""Something that an order compares of states: how to read it, the sort key, and whether it is descending."""


def _parts(order: Order, class_: Class) -> list[_Part]:
    """Return what an order compares, the most important first: its terms, and what was written."""
    parts, written = list[_Part](), list[_Part]()
    for term in order.terms:
        type_, read = type_of(class_, term.attribute), order_getter(class_, term.attribute)
        if type_.folding is not None:
            written.append((read, type_.sort_key, term.descending))
            read = folded_getter(read, type_.folding.fold)
        parts.append((read, type_.sort_key, term.descending))
    return [*parts[:-1], *written, parts[-1]] if written else parts


class _Step(NamedTuple):
    """One value of a position, prepared for comparisons."""

    read: Callable[[State], Any]
    value: Stored
    place: Any
    rank: Callable[[Any], Any]
    if_greater: int
    """The result if a state's value is greater: 1 if ascending, -1 if descending."""


def comparator(position: Position, order: Order, class_: Class) -> Callable[[State], int]:
    """Return a function of a state: -1 if it lies before the position, 0 if at it, 1 if after it.

    All states with the values of the position are at it, if these are values of the first terms only.
    """
    stored = {term.attribute: value for term, value in zip(order.terms, position.values, strict=False)}
    parts = _parts(order, class_)
    if len(stored) < len(order.terms):
        parts = parts[: len(stored)]
    steps = [_step(part, stored) for part in parts]

    def side(state: State) -> int:
        for read, value, place, rank, if_greater in steps:
            own = read(state)
            if own == value:
                continue
            above = own is not None and (value is None or rank(own) > place)
            return if_greater if above else -if_greater
        return 0

    return side


def _step(part: _Part, stored: State) -> _Step:
    """Return the step of a part of an order. `stored`: the values of the position, by attribute."""
    read, rank, descending = part
    value = read(stored)
    place = None if value is None else rank(value)
    return _Step(read, value, place, rank, -1 if descending else 1)


def compare_positions(left: Position, right: Position, order: Order, class_: Class) -> int:
    """Return -1, 0 or 1 if `left` is before, at or after `right`, by the terms of which both have values."""
    known = dict(zip((term.attribute for term in order.terms), left.values, strict=False))
    shared = Position(right.values[: len(known)])
    return comparator(shared, order, class_)(known)


def sort_objects(
    objects: Iterable[T], state_of: Callable[[T], State], order: Order, class_: Class
) -> Sequence[T]:
    """Return objects in an order, by the state that `state_of` returns for each."""
    # One stable sort for each part, the least important first. It compares plain values of one type, which is
    # several times faster than one sort by tuples of keys.
    objects = list(objects)
    states = [state_of(each) for each in objects]
    indexes = list(range(len(objects)))
    for read, rank, descending in reversed(_parts(order, class_)):
        indexes = _sort_by_part([read(state) for state in states], indexes, rank, down=descending)
    return [objects[index] for index in indexes]


def _sort_by_part(
    values: Sequence[Any], indexes: Sequence[int], rank: Callable[[Any], Any], *, down: bool
) -> list[int]:
    nulls = [index for index in indexes if values[index] is None]
    others = [index for index in indexes if values[index] is not None]
    others.sort(key=lambda index: rank(values[index]), reverse=down)
    return others + nulls if down else nulls + others
