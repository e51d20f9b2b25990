"""What identifies the numbering of a Serial attribute."""

from typing import NamedTuple

from stratabase.model.attribute import Origin
from stratabase.model.model import Class


class SerialName(NamedTuple):
    """A Serial attribute of a class: `SerialName("Employee", "badge")`."""

    class_name: str
    attribute: str


def serial_attributes(class_: Class) -> list[str]:
    """Return the names of a class's Serial attributes."""
    attributes = class_.attributes.values()
    return [each.name for each in attributes if each.type.name == "Serial" and each.origin is Origin.NATIVE]
