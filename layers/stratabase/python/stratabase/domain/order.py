"""An order of objects, and a position in it."""

from dataclasses import dataclass

from stratabase.model.attribute import Stored


@dataclass(frozen=True, slots=True)
class Term:
    """One attribute to order by; null comes first ascending, last descending."""

    attribute: str
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """Terms, the most important first; the last is always `_id`, so that no two objects are equal."""

    terms: tuple[Term, ...] = (Term("_id"),)


@dataclass(frozen=True, slots=True)
class Position:
    """Stored values for the first terms of an order (all of them: exactly one place)."""

    values: tuple[Stored, ...]
