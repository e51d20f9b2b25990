"""Serial attributes, whose values the service numbers."""

from typing import NamedTuple

from stratabase.model.attribute import Origin
from stratabase.model.model import Class


class SerialName(NamedTuple):
    """The identity of a numbering: a class and its Serial attribute, as `SerialName("Employee", "badge")`."""

    class_name: str
    attribute: str


def serial_attributes(class_: Class) -> list[str]:
    """Return the names of the Serial attributes of a class."""
    attributes = class_.attributes.values()
    return [each.name for each in attributes if each.type.name == "Serial" and each.origin is Origin.NATIVE]
