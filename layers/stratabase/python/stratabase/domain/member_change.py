"""What becomes of a member, and of its tokens and its links, when something about it changes."""

from dataclasses import replace

from stratabase.domain.member import USED, MailedLink, Member
from stratabase.domain.objects.instant import Instant


def with_password(member: Member, hashed: str) -> Member:
    """Return a member with a new password: its tokens and links end.

    So who got in with the old password cannot go on to take the member's e-mail address.
    """
    return replace(_without_links(member), password=hashed, generation=member.generation + 1)


def with_disabled(member: Member, disabled: bool) -> Member:  # noqa: FBT001 - it is the value
    """Return a member that may not come in, or may again; its tokens end, and do not come back."""
    if disabled == member.disabled:
        return member
    if not disabled:
        return replace(member, disabled=False)
    return replace(_without_links(member), disabled=True, generation=member.generation + 1)


def with_email(member: Member, email: str) -> Member:
    """Return a member with another address; links that were mailed before open nothing any more."""
    return member if email == member.email else replace(_without_links(member), email=email)


def with_pending_email(member: Member, email: str, confirmation: MailedLink) -> Member:
    """Return a member whose new address waits to be confirmed by a link."""
    return replace(member, pending_email=email, confirmation=confirmation)


def with_confirmed_email(member: Member) -> Member:
    """Return a member whose pending address is its address."""
    return member if member.pending_email is None else with_email(member, member.pending_email)


def without_pending_email(member: Member) -> Member:
    """Return a member that keeps its address: the link to confirm another one opens nothing any more."""
    return replace(member, pending_email=None, confirmation=_ended(member.confirmation))


def as_of(member: Member, now: Instant) -> Member:
    """Return a member as it is shown: an address waits no longer than its link is good."""
    link = member.confirmation
    return member if link and now < link.until else replace(member, pending_email=None)


def _without_links(member: Member) -> Member:
    return replace(without_pending_email(member), reset=_ended(member.reset))


def _ended(link: MailedLink | None) -> MailedLink | None:
    return link and replace(link, until=USED)
