"""Enums: one of the values that the model lists."""

from typing import Any, ClassVar

from stratabase.model.attribute import Stored
from stratabase.model.formats import Formats
from stratabase.model.malformed import Malformed, shown
from stratabase.model.model import Enumeration
from stratabase.model.operator import EQUALITY, MEMBERSHIP, Operator
from stratabase.model.types.base import AttributeType


class EnumType(AttributeType):
    """The type of one enum; stored as the value's name, by which it is also sorted."""

    operators: ClassVar[frozenset[Operator]] = EQUALITY | MEMBERSHIP

    def __init__(self, enum: Enumeration) -> None:
        self.name = enum.name
        self.values = tuple(enum.values)

    def read(self, given: Any, formats: Formats) -> Stored:
        """Return one of the enum's values."""
        del formats
        if not isinstance(given, str) or given not in self.values:
            raise Malformed(f"{shown(given)} is not a value of {self.name}: give {' or '.join(self.values)}")
        return given
