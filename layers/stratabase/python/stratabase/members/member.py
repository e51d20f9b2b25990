"""The stored member, and the changes of a member that end tokens and links."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from enum import Enum

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.constraints.email import domain_spellings
from stratabase.core.model.model import Profile
from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.frozen import frozen

MAX_RESET_LINKS = 10
"""The maximum number of links to set a password that a member has at a time. Then the oldest one ends."""
LINK_USED: Instant = 0
"""The end of a link that was used or cancelled. Only the owner of its secret learns whose link it was."""


@frozen
class MailedLink:
    """A link that was mailed to a member.

    `hash` is the SHA-256 of its secret in hexadecimal.
    """

    hash: str = field(repr=False)
    until: Instant
    """The instant from which the link is no longer valid; LINK_USED if it was used or cancelled before."""


class MemberKind(Enum):
    """The kinds of members. The values are stored, and clients see them."""

    PERSON = "person"
    PROGRAM = "program"
    """Has keys. Has no email address, no password and no page, and is not an administrator who counts."""


class _Referable:
    """What weak references can refer to. Classes with slots need this one to be it."""

    __slots__ = ("__weakref__",)


@frozen
class Member(_Referable):
    """A stored member. Caches that outlive it refer to it weakly: with its sessions, it is large.

    `password` is an Argon2id hash in PHC format, or None.
    """

    id: str
    username: str
    email: str
    """Empty for a program."""
    profile: str
    notes: str | None = None
    formats: Formats = DEFAULT_FORMATS
    password: str | None = field(default=None, repr=False)
    disabled: bool = False
    generation: int = 0
    """A number that increases when the member's tokens must end: with a new password, and when disabled."""
    reset: MailedLink | None = None
    """The newest link to set a password."""
    pending_email: str | None = None
    """The new address that waits for its confirmation, until `confirmation` ends."""
    confirmation: MailedLink | None = None
    """The link to confirm the new address."""
    earlier_resets: tuple[MailedLink, ...] = ()
    """Earlier links to set a password, oldest first. They stay valid, too, until one is used."""
    kind: MemberKind = MemberKind.PERSON
    sessions: tuple[Session, ...] = ()
    """The sessions, in the order of their sign-ins. Some may have ended since the member was written."""
    keys: tuple[ApiKey, ...] = ()
    """The keys, oldest first. A disabled member keeps them, but they are refused."""
    links: tuple[ProviderLink, ...] = ()
    """The accounts at identity providers, oldest first. No other member has the same."""
    codes: tuple[ExchangeCode, ...] = ()
    """The codes that clients can exchange for tokens, and those that they did. Some may have expired."""
    revision: int = field(default=0, compare=False)
    """The number of the stored state, set by the store. A change expects it unchanged."""


@frozen
class Roster:
    """All members in the order of their folded usernames, at one revision of the whole list."""

    members: tuple[Member, ...]
    revision: int
    """A number that increases with every change that was decided by a roster."""


LINK_FIELD = "link"
"""The name of the unique field that the accounts at identity providers are."""


class NamesTaken(Exception):
    """Another member has the same username, email address, or account at a provider. Nothing was written."""

    def __init__(self, fields: tuple[str, ...]) -> None:
        super().__init__(fields)
        self.fields = fields
        """The fields with the same values: `username`, `email`, LINK_FIELD."""


MAX_FOLDED_LENGTH = 1024
"""The number of characters up to which a name is folded. It suffices for every valid name."""


def fold_name(name: str) -> str:
    """Return the form in which usernames and email addresses are compared: NFC, and regardless of case."""
    # The time to normalize grows with the square of the length, and no member has so long a name.
    if len(name) > MAX_FOLDED_LENGTH:
        return name
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def email_spellings(email: str) -> tuple[str, ...]:
    """Return the folded spellings of an email address, which all mean the same mailbox: its own one first.

    A domain has a form in Unicode and one in ASCII. A member is stored under the spelling that was sent.
    """
    folded = fold_name(email)
    if len(email) > MAX_FOLDED_LENGTH:
        return (folded,)
    local, at, domain = folded.rpartition("@")
    return tuple(dict.fromkeys(fold_name(f"{local}{at}{each}") for each in domain_spellings(domain)))


def with_password(member: Member, hashed: str) -> Member:
    """Return a member with a new password. The member's tokens, sessions and mailed links end.

    So somebody who signed in with the old password cannot go on to take over the email address.
    """
    return replace(_signed_out(member), password=hashed)


def reset_links(member: Member) -> tuple[MailedLink, ...]:
    """Return a member's links to set a password, oldest first."""
    return (*member.earlier_resets, *([member.reset] if member.reset else []))


def confirmation_links(member: Member) -> tuple[MailedLink, ...]:
    """Return a member's link to confirm a new address, if there is one."""
    return () if member.confirmation is None else (member.confirmation,)


def with_reset_link(member: Member, link: MailedLink, now: Instant) -> Member:
    """Return a member with another link to set a password. Earlier links stay valid, the expired ones go."""
    valid = tuple(each for each in reset_links(member) if now < each.until)
    return replace(member, reset=link, earlier_resets=valid[-(MAX_RESET_LINKS - 1) :])


def without_reset_link(member: Member, link: MailedLink) -> Member:
    """Return a member without a link to set a password, because nobody got it."""
    others = [each for each in reset_links(member) if each.hash != link.hash]
    return replace(member, reset=others[-1] if others else None, earlier_resets=tuple(others[:-1]))


def with_disabled(member: Member, disabled: bool) -> Member:  # noqa: FBT001 - it is the value
    """Return a member who is disabled or enabled. When disabled, tokens and mailed links end for good."""
    if disabled == member.disabled:
        return member
    if not disabled:
        return replace(member, disabled=False)
    return replace(_signed_out(member), disabled=True)


def with_email(member: Member, email: str) -> Member:
    """Return a member with another email address. Links that were mailed before end."""
    return member if email == member.email else replace(_without_links(member), email=email)


def with_pending_email(member: Member, email: str, confirmation: MailedLink) -> Member:
    """Return a member with a new address that a link must confirm."""
    return replace(member, pending_email=email, confirmation=confirmation)


def with_confirmed_email(member: Member) -> Member:
    """Return a member whose pending address becomes the email address."""
    return member if member.pending_email is None else with_email(member, member.pending_email)


def without_pending_email(member: Member) -> Member:
    """Return a member who keeps the current address. The link to confirm another one ends."""
    return replace(member, pending_email=None, confirmation=_ended(member.confirmation))


def without_expired_email(member: Member, now: Instant) -> Member:
    """Return a member without a pending address whose link has expired, as clients see it."""
    link = member.confirmation
    return member if link and now < link.until else replace(member, pending_email=None)


def _signed_out(member: Member) -> Member:
    """Return a member whose tokens, sessions, codes and mailed links have ended."""
    return replace(_without_links(member), generation=member.generation + 1, sessions=(), codes=())


def _without_links(member: Member) -> Member:
    earlier = tuple(replace(link, until=LINK_USED) for link in member.earlier_resets)
    return replace(without_pending_email(member), reset=_ended(member.reset), earlier_resets=earlier)


def _ended(link: MailedLink | None) -> MailedLink | None:
    return link and replace(link, until=LINK_USED)


def administrates(member: Member, profiles: Mapping[str, Profile]) -> bool:
    """Return whether a member can act as an administrator.

    A disabled member cannot, nor a member whose profile the model does not have. A program does not count,
    because nobody can sign in as a program to help others.
    """
    profile = profiles.get(member.profile)
    is_able = member.kind is MemberKind.PERSON and not member.disabled
    return is_able and profile is not None and profile.administrator


def has_other_administrator(roster: Roster, member: Member, profiles: Mapping[str, Profile]) -> bool:
    """Return whether a roster has an administrator besides the member."""
    return any(other.id != member.id and administrates(other, profiles) for other in roster.members)


def describe_shared_addresses(members: Iterable[Member]) -> Iterator[str]:
    """Yield a line for each member who has the address of an earlier one in another spelling."""
    seen: dict[str, str] = {}
    for member in members:
        if not member.email:
            continue
        first = seen.setdefault(min(email_spellings(member.email)), member.username)
        if first != member.username:
            yield (
                f"The members {first} and {member.username} have one email address, {member.email}, in two "
                "spellings. Change one with `stratabase members set-email USERNAME EMAIL`."
            )
