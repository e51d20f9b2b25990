"""A filter over states, as data; `matching.py` compiles it to a test."""

from dataclasses import dataclass

from stratabase.model.attribute import Stored
from stratabase.model.operator import Operator


@dataclass(frozen=True, slots=True)
class Comparison:
    """One attribute (`_id` included) compared with an operand in its stored spelling.

    The operand is a bool for null and not_null, a tuple for in and not_in (None in it means null). It is None
    for eq and ne alone, where it means null.
    """

    attribute: str
    operator: Operator
    operand: Stored | tuple[Stored, ...]


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; true without any."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """At least one part holds; false without any."""

    parts: tuple["Filter", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Filter"


Filter = Comparison | And | Or | Not
