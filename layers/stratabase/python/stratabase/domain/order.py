"""An order of objects, and a position in it."""

from collections.abc import Iterable

from stratabase.domain.objects.entity import State
from stratabase.domain.objects.version import VERSION_START
from stratabase.frozen import frozen
from stratabase.model.attribute import Stored


@frozen
class Term:
    """One attribute to order by; null comes first ascending, last descending."""

    attribute: str
    descending: bool = False

    def turned(self) -> "Term":
        """Return the opposite term."""
        return Term(self.attribute, not self.descending)


_BY_ID, _BY_START = Term("_id"), Term(VERSION_START)


@frozen
class Order:
    """Terms, the most important first; the last is always `_id`, so that no two objects are equal.

    The versions of one object are ordered by terms of which the last is always `_versionStart`.
    """

    terms: tuple[Term, ...] = (_BY_ID,)

    @classmethod
    def of(cls, terms: Iterable[Term]) -> "Order":
        """Return the order that `terms` mean: each attribute once, and `_id` last, named or not."""
        return cls(_until(_BY_ID, terms))

    @classmethod
    def of_versions(cls, terms: Iterable[Term]) -> "Order":
        """Return the order of an object's versions: each attribute once, and `_versionStart` last.

        Without terms it is the one that pages have if nothing is said, so that cursors fit both.
        """
        return cls(_until(_BY_START, tuple(terms) or (_BY_ID,)))

    def turned(self) -> "Order":
        """Return the opposite order."""
        return Order(tuple(term.turned() for term in self.terms))


def _until(last: Term, terms: Iterable[Term]) -> tuple[Term, ...]:
    """Return the terms up to a last one, named among them or not, each attribute once."""
    firsts: dict[str, Term] = {}
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
