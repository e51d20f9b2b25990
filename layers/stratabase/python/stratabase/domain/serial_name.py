"""What identifies the numbering of a Serial attribute."""

from typing import NamedTuple


class SerialName(NamedTuple):
    """A Serial attribute of a class: `SerialName("Employee", "badge")`."""

    class_name: str
    attribute: str
