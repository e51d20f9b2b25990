"""The codes that end sign-ins with a provider: how a new code and its use change a member."""

from dataclasses import replace

from stratabase.core.domain.objects.instant import Instant
from stratabase.members.credentials import ExchangeCode
from stratabase.members.member import Member

MAX_CODES = 10
"""The maximum number of codes that a member has at a time. Then the oldest one ends."""


def with_code(member: Member, code: ExchangeCode, now: Instant) -> Member:
    """Return a member with another code. Expired codes go. If there are MAX_CODES, one that was used goes."""
    valid = sorted((each for each in member.codes if now < each.until), key=lambda each: not each.session)
    return replace(member, codes=(*valid[-(MAX_CODES - 1) :], code))


def with_used_code(member: Member, code: ExchangeCode, session: str, now: Instant) -> Member:
    """Return a member with a code that has begun a session. It stays until it expires.

    So another use of it is noticed.
    """
    return with_code(without_code(member, code, now), replace(code, session=session), now)


def without_code(member: Member, code: ExchangeCode, now: Instant) -> Member:
    """Return a member without a code. Expired codes go, too."""
    return replace(
        member, codes=tuple(each for each in member.codes if each.hash != code.hash and now < each.until)
    )
