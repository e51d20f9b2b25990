"""What a request asks of one key or of one link, from either side."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stratabase.domain.objects.entity import RoleName
from stratabase.domain.write.requester import Requester


class KeyRequest(NamedTuple):
    """Somebody asks that a key lead to an object, or not to it any more; None: to none."""

    id: str | None
    requester: Requester


@dataclass(slots=True)
class KeyRequests:
    """What is asked of one key: something."""

    releases: list[KeyRequest] = field(default_factory=list)
    """By objects that it shall not lead to any more, if it does."""
    assignments: list[KeyRequest] = field(default_factory=list)
    """By objects that it shall lead to."""
    own: list[KeyRequest] = field(default_factory=list)
    """By the object that holds it."""

    @property
    def first(self) -> KeyRequest:
        """The least weighty of all."""
        return (*self.releases, *self.assignments, *self.own)[0]

    @property
    def last(self) -> KeyRequest:
        """The weightiest of all."""
        return (*self.releases, *self.assignments, *self.own)[-1]


class LinkKey(NamedTuple):
    """A link; of two roles that face each other, the one whose name comes first leads from owner to other."""

    role: RoleName
    owner: str
    other: str


@dataclass(slots=True)
class LinkRequests:
    """What is asked of one link."""

    additions: list[Requester] = field(default_factory=list)
    removals: list[Requester] = field(default_factory=list)
