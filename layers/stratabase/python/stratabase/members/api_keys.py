"""The API keys of a member: how a new key and an end change them."""

from dataclasses import replace

from stratabase.members.credentials import ApiKey
from stratabase.members.member import Member

MAX_KEYS = 50
"""The maximum number of keys of a member. A key counts until it is ended, even if it has expired."""


class TooManyKeys(Exception):
    """The member has MAX_KEYS keys."""


def find_key(member: Member, id_: str) -> ApiKey | None:
    """Return the key of a member with an ID, or None."""
    return next((each for each in member.keys if each.id == id_), None)


def with_key(member: Member, key: ApiKey) -> Member:
    """Return a member with another key. Raises TooManyKeys."""
    if len(member.keys) >= MAX_KEYS:
        raise TooManyKeys
    return replace(member, keys=(*member.keys, key))


def without_key(member: Member, id_: str) -> Member:
    """Return a member without a key."""
    return replace(member, keys=tuple(each for each in member.keys if each.id != id_))
