"""An attribute of a class: its type, what it may hold, and where its value comes from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratabase.model.types.base import AttributeType

Stored = str | int | bool | None | list[str] | Mapping[str, "Stored"]
"""A value as the store keeps it: JSON, in the one spelling that its type calls canonical.

A list has the ids of an object's parts, which lie beside its attributes.
"""


class Origin(Enum):
    """Who gives an attribute its value."""

    NATIVE = "native"
    """The client."""
    PLATFORM = "platform"
    """The service, at each write (`_createdon` …)."""
    DERIVED = "derived"
    """Other attributes, at each read."""


class Aggregate(Enum):
    """What a derived attribute makes of many values."""

    COUNT = "COUNT"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    AVG = "AVG"


@dataclass(frozen=True, slots=True)
class Derivation:
    """How a derived attribute is computed: either an expression, or a path with or without an aggregate."""

    expression: str | None = None
    path: tuple[str, ...] = ()
    aggregate: Aggregate | None = None


@dataclass(frozen=True, slots=True)
class Domain:
    """What `@domain` and `@file` admit; bounds and values in their stored spelling."""

    minimum: Stored = None
    maximum: Stored = None
    min_length: int | None = None
    max_length: int | None = None
    patterns: tuple[str, ...] = ()
    values: tuple[Stored, ...] = ()
    digits: int | None = None
    email: bool = False
    phone: bool = False
    partita_iva: bool = False
    codice_fiscale: bool = False
    extensions: tuple[str, ...] = ()
    max_size: int | None = None


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named value of a class."""

    name: str
    type: "AttributeType"
    required: bool = False
    origin: Origin = Origin.NATIVE
    domain: Domain = field(default_factory=Domain)
    derivation: Derivation | None = None
    description: str | None = None
