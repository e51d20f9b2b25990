"""Whose a mailed link is, and whether it is good."""

from collections.abc import Callable

from stratabase.domain.link import UnusableLink, read_token
from stratabase.domain.member import USED, MailedLink, Member
from stratabase.operations.ports import Clock, Members

LinkOf = Callable[[Member], MailedLink | None]
"""Returns a member's last link of one kind."""


def bearer(members: Members, clock: Clock, token: str, link_of: LinkOf) -> Member:
    """Return the member to whom a link was mailed that is still good.

    Raises UnusableLink, which names the member only to who has the secret of the member's last link;
    Unavailable.
    """
    read = read_token(token)
    member = members.by_id(read.member) if read else None
    link = link_of(member) if member else None
    if read is None or member is None or link is None or not read.opens(link):
        raise UnusableLink
    if member.disabled or link.until == USED:
        raise UnusableLink(member)
    if link.until <= clock.now():
        raise UnusableLink(member, expired=True)
    return member
