"""The ports of the operations: what they need for objects, members, keys, mail, time and ids."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from stratabase.domain.members.attempts import RecordedAttempt
from stratabase.domain.members.key_rotation import SigningKey
from stratabase.domain.members.mail import Mail
from stratabase.domain.members.member import Member, Roster
from stratabase.domain.objects.change import Change, Tombstone
from stratabase.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.domain.objects.serials import SerialName
from stratabase.domain.query.derived import Derive
from stratabase.domain.query.id_range import ALL_IDS, IdRange
from stratabase.domain.query.page import Page, Query
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.model import Unique


class Entities(Protocol):
    """The stored objects."""

    def read(self, references: Sequence[Reference], budget: ReadBudget | None = None) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there is none; exact at once.

        A singleton is always there: before it is first written (by an Update) it has nothing but its `_id`.
        With an allowance, that is drawn from, and ReadBudgetExceeded is raised when it was used up before.
        """

    def linked(
        self,
        role: RoleName,
        ids: Sequence[str],
        id_range: IdRange = ALL_IDS,
        *,
        at: Sequence[Instant] | None = None,
        budget: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role leads to; exact at once.

        The role is one that the owner's state does not tell: a to-many association, or the side of a
        one-to-one that holds no key (at most one id). Of each owner, the ids that are in the range, in its
        order. An object that is named may be there no more, since a key that leads to nothing keeps its link.
        With an allowance, as `read`.

        With `at`, an instant for each owner, and if the class of the objects is versioned and holds the
        keys: those that the role may have led to at that instant, perhaps several; whether they did, their
        versions of then tell. An owner may be named several times.
        """

    def as_of(
        self, moments: Sequence[tuple[Reference, Instant]], budget: ReadBudget | None = None
    ) -> list[Entity | None]:
        """Return objects as they were at instants, None where there was none; exact at once.

        None before the first version, and while an object was deleted. Those of classes that are not
        versioned are as they are now. With an allowance, as `read`. Raises Unavailable.
        """

    def versions(  # noqa: PLR0913 - what narrows a range is named, and rarely given
        self,
        reference: Reference,
        since: Instant | None = None,
        until: Instant | None = None,
        *,
        backward: bool = False,
        limit: int | None = None,
        budget: ReadBudget | None = None,
    ) -> Iterator[Entity]:
        """Yield the versions of an object in the order of their starts (descending if `backward`); exact.

        The closed ones, and the one that still holds: of those that began at `since` or later and before
        `until`, at most `limit`. With an allowance, that is drawn from. Raises ReadBudgetExceeded,
        Unavailable.
        """

    def tombstones(self, references: Sequence[Reference]) -> list[Tombstone | None]:
        """Return what is remembered of objects of versioned classes that were deleted, None of others."""

    def pending_purges(self, references: Sequence[Reference]) -> list[Instant | None]:
        """Return when objects were deleted of which something is left to be purged; None of others.

        So the parts that are left ended at that instant, though they are still there.
        """

    def finish_cleanup(self, references: Sequence[Reference]) -> bool:
        """End what earlier writes of objects have left, while there is time; return whether there was any.

        That is, parts that no whole lists (any more, or not yet). Raises Unavailable, also while one of the
        objects is being restored.
        """

    def referrers(self, role: RoleName, id_: str, limit: int) -> tuple[str, ...]:
        """Return the ids of objects that lead to an object by a required to-one role that holds the key.

        At most `limit` of them; exact at once, but for keys that are older than the links of the role.
        """

    def are_linked(self, role: RoleName, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """Return of each owner and other whether a link leads from the one to the other; exact at once.

        The role is a to-many association that no key stands for.
        """

    def page(self, query: Query, budget: ReadBudget, derive: Derive | None = None) -> Page:
        """Return a window on the objects of a class.

        Raises ReadBudgetExceeded when that takes more than allowed.

        A query that is about derived attributes comes with `derive`, which gives their values to the objects
        that are read, many at a time; the page shows these objects as it returned them.
        """

    def find_by_unique(
        self, class_name: str, unique: Unique, values: State, budget: ReadBudget
    ) -> Entity | None:
        """Return the object that has unique values, None when there is none, or a value is null.

        Exact at once, as soon as all objects have been made known as its holders. Raises ReadBudgetExceeded.
        """

    def next_serials(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return as many new numbers of each Serial attribute as are wanted: from 1, and never one again.

        Some may stay unused, whatever becomes of them. Raises Unavailable.
        """

    def dry_run(self, change: Change) -> None:
        """Raise what `commit` would raise for a change now, and write nothing."""

    def commit(self, change: Change) -> None:
        """Do all of a change or nothing.

        Raises LockedByOthers when others have locked what it writes, Conflict when an object is no longer as
        read, UniqueViolation when unique values are not free, UniqueNotBuilt when nobody can tell that yet,
        IntegrityViolation when roles would not be as the model wants them, TooLarge: then it is certain that
        nothing was written. Raises Unavailable when the store cannot say whether it was.
        """

    def lock(self, commit_id: str, references: Sequence[Reference], lock: Lock, now: Instant) -> None:
        """Lock objects, each named once, all or none; one whose lock ends at `now` or before is free.

        Its member may have locked them before. Raises LockRefused, TooLarge: then nothing is locked by this.
        Raises Unavailable when the store cannot say whether it is.
        """

    def unlock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        member_id: str,
        now: Instant,
        *,
        anybodys: bool = False,
    ) -> None:
        """End the locks of a member on objects, each named once, or `anybodys`; what is free stays so.

        Raises as `lock` does.
        """

    def checkpoint(self, work: str) -> str | None:
        """Return how far some long work had come when it was stopped; None of work that is to begin."""

    def set_checkpoint(self, work: str, at: str | None) -> None:
        """Note how far some long work has come; None forgets it. Raises Unavailable."""


class Members(Protocol):
    """The stored members; usernames and e-mail addresses compare after NFC and case folding.

    What is read is exact at once. Every call raises Unavailable when the store cannot say.
    """

    def by_id(self, id_: str) -> Member | None:
        """Return the member with that id."""

    def by_username(self, username: str) -> Member | None:
        """Return the member of that name."""

    def by_email(self, email: str) -> Member | None:
        """Return the member with that address."""

    def roster(self) -> Roster:
        """Return all members; its revision is read first, so that what it tells is at least as new."""

    def any(self) -> bool:
        """Return whether there is a member at all."""

    def add(self, member: Member) -> None:
        """Add a member. Raises NamesTaken; Conflict when the id is taken."""

    def change(self, before: Member, after: Member, roster: Roster | None = None) -> None:
        """Put `after` in place of `before`; with a roster, only while that is the present one.

        Raises Conflict when the member or the roster is not as it was read, NamesTaken.
        """

    def remove(self, member: Member, roster: Roster | None = None) -> None:
        """Remove a member, as `change` does. Raises Conflict."""


class Attempts(Protocol):
    """Notes of attempts to sign in, or to have a mail sent, forgotten some time after LONGEST_WINDOW.

    While MOST_KEPT of a key are noted, one more is told of but not kept. Every call raises Unavailable when
    the store cannot say.
    """

    def note(self, key: str, now: Instant, since: Instant) -> RecordedAttempt:
        """Note one more attempt, and return it with all of that key since an instant, in one atomic step."""

    def withdraw(self, key: str, attempt: str) -> None:
        """Take a noted attempt back."""

    def count(self, key: str, since: Instant) -> int:
        """Return how many are noted of a key since an instant."""


class Keyring(Protocol):
    """The keys that sign tokens."""

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys that may have signed a token that is still alive. Raises Unavailable."""

    def change(self, changed: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the keys, by what a function makes of them as they are; others may do so too."""


class Mailer(Protocol):
    """Sends mail."""

    def send(self, mail: Mail) -> None:
        """Hand a mail over to be delivered. Raises Unavailable when nobody takes it."""


class Passwords(Protocol):
    """Hashes passwords slowly, so that nobody can guess many; hash and verify take a noticeable time."""

    def hash(self, password: str) -> str:
        """Return a new hash of a password, in PHC spelling."""

    def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether a hash was made of this password; None is the hash of no password at all."""

    def is_common(self, password: str) -> bool:
        """Return whether a password is one of those that everybody tries first, in whatever case."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> Instant:
        """Return the present instant."""


class Ids(Protocol):
    """Makes new ids, which are opaque and safe in addresses."""

    def new(self) -> str:
        """Return an id that no other call has returned or will return, in time order."""
