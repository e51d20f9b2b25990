"""What a request asks of one key or of one link, from either side."""

from dataclasses import dataclass, field
from typing import NamedTuple

from stratabase.domain.graph.asker import Asker
from stratabase.domain.role_name import RoleName


class Wish(NamedTuple):
    """Somebody asks that a key lead to an object, or not to it any more; None: to none."""

    id: str | None
    asker: Asker


@dataclass(slots=True)
class KeyWishes:
    """What is asked of one key: something."""

    releases: list[Wish] = field(default_factory=list)
    """By objects that it shall not lead to any more, if it does."""
    claims: list[Wish] = field(default_factory=list)
    """By objects that it shall lead to."""
    own: list[Wish] = field(default_factory=list)
    """By the object that holds it."""

    @property
    def first(self) -> Wish:
        """The least weighty of all."""
        return (*self.releases, *self.claims, *self.own)[0]

    @property
    def last(self) -> Wish:
        """The weightiest of all."""
        return (*self.releases, *self.claims, *self.own)[-1]


class Tie(NamedTuple):
    """A link; of two roles that face each other, the one whose name comes first leads from owner to other."""

    role: RoleName
    owner: str
    other: str


@dataclass(slots=True)
class LinkWishes:
    """What is asked of one link."""

    adding: list[Asker] = field(default_factory=list)
    removing: list[Asker] = field(default_factory=list)
