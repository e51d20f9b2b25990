"""Serial attributes, whose values the service numbers."""

from typing import NamedTuple


class SerialName(NamedTuple):
    """The identity of a numbering: a class and its Serial attribute, as `SerialName("Employee", "badge")`."""

    class_name: str
    attribute: str
