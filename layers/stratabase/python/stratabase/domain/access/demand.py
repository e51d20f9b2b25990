"""What a write needs to be allowed."""

from typing import NamedTuple

from stratabase.domain.issue import Path
from stratabase.domain.objects.entity import Reference
from stratabase.domain.subject import Subject
from stratabase.model.class_ import Action

DemandKey = tuple[Action, Reference, str | None]
"""What tells a demand from others."""


class Demand(NamedTuple):
    """An action on an object, or on an attribute or role of it (`member`), and where the request asks for it.

    READ is asked of what a role shall lead to: then `member` is that role. `of_all`: it is about all objects
    of the class, so that a grant for some of them is not enough.
    """

    action: Action
    subject: Subject
    reference: Reference
    path: Path
    member: str | None = None
    of_all: bool = False

    @property
    def key(self) -> DemandKey:
        """What tells it from others."""
        return self.action, self.reference, self.member
