"""What the operations need of the world: objects, members, a clock, ids."""

from collections.abc import Sequence
from typing import Protocol

from stratabase.domain.change import Change
from stratabase.domain.entity import Entity, Reference
from stratabase.domain.instant import Instant
from stratabase.domain.member import Member
from stratabase.domain.page import Page, Query


class Entities(Protocol):
    """The stored objects."""

    def read(self, references: Sequence[Reference]) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none; exact at once."""

    def page(self, query: Query) -> Page:
        """Return a window on the objects of a class."""

    def commit(self, change: Change) -> None:
        """Do all of a change or nothing.

        Raises Conflict when an object is no longer as read, Taken when unique values are not free,
        Unavailable when the store cannot say.
        """


class Members(Protocol):
    """The stored members; usernames and e-mail addresses compare after NFC and case folding."""

    def by_username(self, username: str) -> Member | None:
        """Return the member of that name."""

    def add(self, member: Member) -> None:
        """Add a member. Raises Conflict when the id, the username or the e-mail address is taken."""

    def any(self) -> bool:
        """Return whether there is a member at all."""


class Passwords(Protocol):
    """Hashes passwords slowly, so that nobody can guess many; both calls take the same, noticeable time."""

    def hash(self, password: str) -> str:
        """Return a new hash of a password, in PHC spelling."""

    def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether a hash was made of this password; None is the hash of no password at all."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> Instant:
        """Return the present instant."""


class Ids(Protocol):
    """Makes new ids, which are opaque and safe in addresses."""

    def new(self) -> str:
        """Return an id that no other call has returned or will return, in time order."""
