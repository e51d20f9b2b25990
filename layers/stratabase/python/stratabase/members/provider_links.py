"""The links of a member to accounts at identity providers: how linking and unlinking change them."""

from dataclasses import replace

from stratabase.members.credentials import ProviderLink
from stratabase.members.member import Member

MAX_LINKS = 20
"""The maximum number of links of a member."""


class TooManyLinks(Exception):
    """The member has MAX_LINKS links."""


def is_linked(member: Member, issuer: str, subject: str) -> bool:
    """Return whether a member is linked to an account at an issuer."""
    return any((each.issuer, each.subject) == (issuer, subject) for each in member.links)


def needs_provider(member: Member) -> bool:
    """Return whether a member can sign in with a provider only, and has no password."""
    return member.password is None and bool(member.links)


def with_link(member: Member, link: ProviderLink) -> Member:
    """Return a member with another link. A link to the same account is replaced. Raises TooManyLinks."""
    own = link.issuer, link.subject
    others = tuple(each for each in member.links if (each.issuer, each.subject) != own)
    if len(others) >= MAX_LINKS:
        raise TooManyLinks
    return replace(member, links=(*others, link))


def without_links(member: Member, provider: str) -> Member:
    """Return a member without the links to a provider."""
    return replace(member, links=tuple(each for each in member.links if each.provider != provider))
