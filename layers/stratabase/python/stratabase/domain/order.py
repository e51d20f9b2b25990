"""An order of objects, and a position in it."""

from collections.abc import Iterable
from dataclasses import dataclass

from stratabase.domain.entity import State
from stratabase.model.attribute import Stored


@dataclass(frozen=True, slots=True)
class Term:
    """One attribute to order by; null comes first ascending, last descending."""

    attribute: str
    descending: bool = False

    def turned(self) -> "Term":
        """Return the opposite term."""
        return Term(self.attribute, not self.descending)


_BY_ID = Term("_id")


@dataclass(frozen=True, slots=True)
class Order:
    """Terms, the most important first; the last is always `_id`, so that no two objects are equal."""

    terms: tuple[Term, ...] = (_BY_ID,)

    @classmethod
    def of(cls, terms: Iterable[Term]) -> "Order":
        """Return the order that `terms` mean: each attribute once, and `_id` last, named or not."""
        firsts: dict[str, Term] = {}
        for term in (*terms, _BY_ID):
            firsts.setdefault(term.attribute, term)
        return cls(tuple(firsts.values())[: list(firsts).index("_id") + 1])

    def turned(self) -> "Order":
        """Return the opposite order."""
        return Order(tuple(term.turned() for term in self.terms))


@dataclass(frozen=True, slots=True)
class Position:
    """Stored values for the first terms of an order (all of them: exactly one place)."""

    values: tuple[Stored, ...]


def position_of(state: State, order: Order) -> Position:
    """Return where a state stands in an order."""
    return Position(tuple(state.get(term.attribute) for term in order.terms))
