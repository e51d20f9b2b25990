"""What a client asks of one role of an object."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratabase.domain.command import Create, Update


@dataclass(frozen=True, slots=True)
class Point:
    """Let a to-one association lead to an object (its `_id`, or a `_clientId` of the request); None: to none.

    With `remove` it is cleared, and must not be set at the same time.
    """

    to: str | None = None
    remove: bool = False

    @property
    def clears(self) -> bool:
        """Whether the role shall lead to nothing, whatever it led to."""
        return self.to is None


@dataclass(frozen=True, slots=True)
class Links:
    """Change what a to-many association leads to, by ids: all or some are taken away, then others added."""

    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    remove_all: bool = False

    @property
    def clears(self) -> bool:
        """As with Point."""
        return self.remove_all and not self.add


@dataclass(frozen=True, slots=True)
class Parts:
    """Change the parts of a composition, also of one that leads to one part: all or some end, others begin.

    A part is changed or ended, not both.
    """

    create: "Sequence[Create]" = ()
    update: "Sequence[Update]" = ()
    delete: Sequence[str] = ()
    delete_all: bool = False

    @property
    def clears(self) -> bool:
        """As with Point."""
        return self.delete_all and not self.create


RoleCommand = Point | Links | Parts
