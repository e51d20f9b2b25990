"""The interfaces that the operations on members and sign-in need: members, keys, mail, and passwords."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol, cast

from stratabase.core.app.platform import Platform
from stratabase.core.domain.objects.instant import Instant
from stratabase.members.audit_entry import MAX_PAGE, AuditEntry, AuditPage
from stratabase.members.keys.key_rotation import SigningKey
from stratabase.members.mail import ForgottenPassword, Mail
from stratabase.members.member import Member, Roster


class ReadableMembers(Protocol):
    """The reads of stored members. Usernames and e-mail addresses are compared after NFC and case folding.

    All reads show every write that was committed before. Every method raises Unavailable if the store cannot
    answer.
    """

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id."""

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username."""

    def by_email(self, email: str) -> Member | None:
        """Return the member with an e-mail address. Programs have none, so "" finds nobody."""

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`, None for an id that no member has."""

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members, in batches of any size and order. Read a batch only when it is taken.

        A member that is added, changed or removed meanwhile is yielded as before or as after, or not.
        """


class Members(ReadableMembers, Protocol):
    """The stored members. Every method raises Unavailable if the store cannot answer."""

    def by_link(self, issuer: str, subject: str) -> Member | None:
        """Return the member who is linked to an account at an identity provider.

        It does the same work if there is none. Both texts are compared exactly.
        """

    def roster(self) -> Roster:
        """Return all members.

        The revision is read first, so that the members are at least as new as the revision.
        """

    def any(self) -> bool:
        """Return whether any member exists."""

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        """Add a member. Raises NamesTaken; raises Conflict if the id is taken.

        `audit`: the entries of the audit trail that report it, which are in the same commit.

        `is_moved`: the member comes from another store, where another member can have the e-mail address with
        the other form of its domain. So only the own spelling of the address must be free.
        """

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Replace `before` with `after`. With a roster, do so only while it is the present one.

        `audit`: the entries of the audit trail that report it, which are in the same commit.

        Raises NamesTaken. Raises Conflict if the member or the roster has changed since it was read.
        """

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        """Remove a member. With a roster, do so only while it is the present one. Raises Conflict.

        `audit`: the entries of the audit trail that report it. The same commit records that the audit trail
        is to forget the member (`AuditTrail.to_forget`).
        """


class AuditTrail(Protocol):
    """The entries of the audit trail, and when keys were last used. Every method raises Unavailable.

    Entries that report a change of a member's record are written by `Members`, in the commit of the change.
    """

    def append(self, entries: Sequence[AuditEntry]) -> None:
        """Write entries that are not there yet."""

    def count(self, entry: AuditEntry) -> None:
        """Write an hourly entry, or add its count to the entry with its ID. No count is lost in a race.

        Does not retry, so that it takes the same time whoever the entry is about. A count whose response was
        lost can count.
        """

    def page(
        self, first: str, *, after: str | None = None, limit: int = MAX_PAGE, member: str | None = None
    ) -> AuditPage:
        """Return at most `limit` entries whose IDs are `first` or greater, newest first.

        `after`: only entries with lesser IDs. `member`: only entries about this member. If there are few of
        them among many others, a page can have fewer entries than `limit` although another page follows.
        """

    def forget(self, member: str) -> Iterator[None]:
        """Remove what identifies a deleted member other than by ID (`without_person`), and uses of keys.

        Yields after each step. Every step can be repeated.
        """

    def to_forget(self, removed_before: Instant) -> Sequence[str]:
        """Return the IDs of members who were removed before an instant, and for whom `forgotten` is due.

        `Members.remove` records them in its own commit.
        """

    def forgotten(self, member: str) -> None:
        """Record that nothing is left to forget of a member."""

    def prune(self, first: str) -> Iterator[None]:
        """Delete the entries whose IDs are less than `first`. Yields after each step."""

    def note_use(self, member: str, key: str, hour: Instant) -> None:
        """Record that a key of a member was used in the hour that begins at an instant. Does not retry."""

    def uses(self, member: str) -> Mapping[str, Instant]:
        """Return when the keys of a member were used last, by the ID of the key: the start of the hour."""


class Keyring(Protocol):
    """The keys that sign tokens."""

    def keys(self) -> Sequence[SigningKey]:
        """Return all keys that may have signed a token that is still valid. Raises Unavailable."""

    def change(self, update: Callable[[Sequence[SigningKey]], Sequence[SigningKey]]) -> None:
        """Replace the present keys with what `update` returns for them.

        It may be called again if another process changes the keys at the same time.
        """


class Mailer(Protocol):
    """Sends mail."""

    def send(self, mail: Mail) -> None:
        """Hand a mail over for delivery.

        Raises RecipientRefused if the mail server takes no mail for the address, and Unavailable if it does
        not take the mail for another reason.
        """


class ForgottenPasswordQueue(Protocol):
    """The requests for links to set forgotten passwords that wait for their mail."""

    def put(self, request: ForgottenPassword) -> None:
        """Add a request, whose mail is sent later, even if this process ends. Raises Unavailable."""


class Passwords(Protocol):
    """Slow password hashes, so that guessing is expensive. `hash` and `verify` take a noticeable time."""

    def hash(self, password: str) -> str:
        """Return a new hash of a password in the PHC string format."""

    def verify(self, hashed: str | None, password: str) -> bool:
        """Return whether a hash is one of this password. None never matches, but takes the same time."""

    def is_common(self, password: str) -> bool:
        """Return whether a password is one of the most common ones, in upper or lower case."""


class ClosableQueue(ForgottenPasswordQueue, Protocol):
    """A queue that can be closed."""

    def close(self) -> None:
        """Close the connections."""


class MemberPlatform(Platform, Protocol):
    """A platform that opens what members need, too. All methods raise UnusableStore."""

    def members(self) -> Members:
        """Return the store of members. `close` closes it."""

    def audit_trail(self) -> AuditTrail:
        """Return the audit trail in the store of members. `close` closes it."""

    def shortest_password(self) -> int:
        """Return the minimum length of a password in this installation, unless a setting says another one.

        It never changes, so that an upgrade asks nothing else of the members.
        """

    def keyring(self) -> Keyring:
        """Return the keyring. Its first use reads or creates the keys."""

    def mailer(self) -> Mailer:
        """Return the mailer. Raises BadSettings."""

    def check_mail(self) -> None:
        """Raise UnusableStore if mails can't be written, so that all of them would be lost."""

    def mail_queue(self, now: Callable[[], Instant]) -> ClosableQueue:
        """Return the queue of requests for links of forgotten passwords. Raises BadSettings."""


def member_platform(platform: Platform) -> MemberPlatform:
    """Return a platform as one that opens what members need, which all platforms of an app do."""
    return cast("MemberPlatform", platform)
