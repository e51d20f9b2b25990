"""A page of objects, and what asks for one."""

from stratabase.domain.filter import Filter
from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.version import VERSION_START
from stratabase.domain.order import Order, Position
from stratabase.frozen import frozen


@frozen
class Window:
    """Which part of the ordered matches is wanted: always one slice of them.

    `size` objects after `start` (before it when `backward`), `offset` of them passed over. Without a start:
    from the first (the last) match. `inclusive`: an object at `start` itself belongs to the page; where
    `start` has values for the first terms only, all objects with these values are at it.
    """

    size: int = 10
    backward: bool = False
    offset: int = 0
    start: Position | None = None
    inclusive: bool = False


@frozen
class Wanted:
    """What a client asked to know of a page; what it did not ask for need not be found out."""

    items: bool = True
    total_count: bool = False
    has_next: bool = False
    has_prev: bool = False
    version_start: bool = True
    """That the states tell `_versionStart`; to spell it takes as long as to read all else."""


@frozen
class Query:
    """The objects of a class that match a filter (all without one), in an order, and a window on them."""

    class_name: str
    order: Order
    filter: Filter | None = None
    window: Window = Window()
    wanted: Wanted = Wanted()

    @property
    def tells_version_start(self) -> bool:
        """Whether states must tell `_versionStart`, to be shown or to be ordered by."""
        return self.wanted.version_start or any(term.attribute == VERSION_START for term in self.order.terms)


@frozen
class Page:
    """The objects of a window, in the query's order whatever the direction; None for what was not wanted.

    `has_next` and `has_prev` say whether any match lies after the slice, or before it. An empty slice has a
    place too: between what lies before its start (or was passed over) and what would be its first object.
    """

    items: tuple[Entity, ...] = ()
    total_count: int | None = None
    """How many objects match, whatever the window."""
    has_next: bool | None = None
    has_prev: bool | None = None
