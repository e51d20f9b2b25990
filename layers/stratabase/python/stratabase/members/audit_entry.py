"""An entry of the audit trail, the kinds of entries, and a page of entries."""

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from hashlib import sha256

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.ids import ID_RANDOM_BITS, id_text, least_id
from stratabase.values.frozen import frozen

DAY = 86_400_000
HOUR = 3_600_000
"""In milliseconds."""
MAX_PAGE = 200
"""The maximum number of entries of a page."""
NAME = "name"
"""The detail with a name that a person chose, such as that of a key. It goes with the member."""


class AuditKind(Enum):
    """What an entry reports. The values are stored, and are the names in the API: never change one."""

    SIGNED_IN = "signedIn"
    """The member signed in with a password, at a provider, or with a token of one. That began a session."""
    USED_BASIC = "usedBasic"
    """The member sent requests with HTTP Basic in this hour."""
    SIGN_IN_REFUSED = "signInRefused"
    """Sign-ins with the member's name were refused in this hour, or with names that no member has."""
    SESSION_ENDED = "sessionEnded"
    """One session of the member was ended, or all of them."""
    MEMBER_CREATED = "memberCreated"
    MEMBER_DELETED = "memberDeleted"
    MEMBER_DISABLED = "memberDisabled"
    MEMBER_ENABLED = "memberEnabled"
    PROFILE_CHANGED = "profileChanged"
    """The member got another profile, by an administrator, a command, or a provider."""
    USERNAME_CHANGED = "usernameChanged"
    EMAIL_CHANGED = "emailChanged"
    PASSWORD_CHANGED = "passwordChanged"  # noqa: S105 - as above
    PASSWORD_LINK_MADE = "passwordLinkMade"  # noqa: S105 - as above
    """The member was sent a link to set a password, or a command printed one."""
    KEY_CREATED = "keyCreated"
    KEY_ENDED = "keyEnded"
    KEY_REFUSED = "keyRefused"
    """Keys that name the member were refused in this hour, or keys that name no member."""
    LINK_CREATED = "linkCreated"
    """The member can sign in at a provider from now on."""
    LINK_REMOVED = "linkRemoved"

    @property
    def is_hourly(self) -> bool:
        """Whether one entry stands for all events of an hour."""
        return self in _HOURLY

    @property
    def is_counted(self) -> bool:
        """Whether the entry says how many events there were."""
        return self in _COUNTED


_COUNTED = frozenset({AuditKind.SIGN_IN_REFUSED, AuditKind.KEY_REFUSED})
_HOURLY = _COUNTED | {AuditKind.USED_BASIC}


@frozen
class AuditEntry:
    """An entry of the audit trail."""

    id: str
    """Increases with time, as all IDs do. That of an hourly entry follows from its kind, member and hour."""
    at: Instant
    """When it happened. Of an hourly entry, the start of the hour."""
    kind: AuditKind
    member: str = ""
    """The ID of the member it is about. Empty if no member has the name that was sent."""
    actor: str = ""
    """The ID of the member who did it. Empty for commands, for providers, and for refusals."""
    way: str = ""
    """How the request proved who sent it, such as `password`, `token`, `key`, `link` or `command`.

    Or the name of a provider.
    """
    detail: Mapping[str, str] = field(default_factory=dict, hash=False)
    """What the kind says in addition, such as `from` and `to`."""
    address: str = field(default="", repr=False)
    """The IP address of the request."""
    device: str = field(default="", repr=False)
    """The kind of device that sent the request, such as `Firefox on Linux`."""
    count: int = 1
    """The number of events that a counted entry stands for."""
    until: Instant = field(default=0, compare=False)
    """The instant from which a store that deletes by itself may delete it."""


@frozen
class AuditPage:
    """Entries, newest first. `next` is the ID after which the next page begins, None after the last page."""

    entries: Sequence[AuditEntry]
    next: str | None = None


def hourly_entry(kind: AuditKind, now: Instant, member: str = "") -> AuditEntry:
    """Return the entry of a kind for a member and the hour of an instant. Always the same, so it can count.

    An empty member stands for all that have none.
    """
    at = now - now % HOUR
    digest = sha256(f"{kind.value} {member}".encode()).digest()
    number = int.from_bytes(digest[: ID_RANDOM_BITS // 8], "big")
    return AuditEntry(id_text(at << ID_RANDOM_BITS | number), at, kind, member)


def first_kept_id(now: Instant, days: int) -> str:
    """Return the least ID that an entry can have that is not older than some days."""
    return least_id(now - days * DAY)


def without_person(entry: AuditEntry, member: str) -> AuditEntry:
    """Return an entry without what identifies a deleted member other than by ID.

    The address and the device belong to who did it, and names belong to whom it is about.
    """
    if entry.actor == member:
        entry = replace(entry, address="", device="")
    if entry.member == member and NAME in entry.detail:
        entry = replace(entry, detail={key: text for key, text in entry.detail.items() if key != NAME})
    return entry
