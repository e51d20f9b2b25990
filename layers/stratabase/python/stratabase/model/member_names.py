"""The names of members in objects, and the ids of the members whom these names mean.

`_createdby`, `_lastmodifiedby` and `_ownedby` hold a name as it was written. Names change hands: a member is
renamed, and another one takes the name. So a state also keeps, under MEMBER_IDS, whom each name means:

    {"ada": "<id>"}                                  every "ada" in this state is the member with this id
    {"ada": {"_createdby": "<id>", "_ownedby": …}}   the name means several members, or is known only in part

No answer, filter or diff shows MEMBER_IDS. A version of the service that does not know it keeps it, like any
attribute that its model does not have; a name that such a service writes has no id then.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from stratabase.model.model import PlatformAttribute
from stratabase.model.types.identifier import id_timestamp
from stratabase.model.types.storage import Stored

MEMBER_IDS = "_memberIds"
"""Where a state keeps whom its names of members mean."""
NOBODY = ""
"""In place of an id: a name that means nobody who is a member today."""
NAMING_ATTRIBUTES: Mapping[str, str] = {
    PlatformAttribute.CREATED_BY.value: PlatformAttribute.CREATED_ON.value,
    PlatformAttribute.LAST_MODIFIED_BY.value: PlatformAttribute.LAST_MODIFIED_ON.value,
    PlatformAttribute.OWNED_BY.value: PlatformAttribute.OWNED_ON.value,
}
"""The attributes that name a member, each with the one that tells when that was written."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class MemberName(str):
    """A name, and whom it means. Two names that mean members are equal if they mean the same one.

    Anything else compares with it as with the plain text. In a set or a mapping it counts as its text.
    """

    __slots__ = ("instant", "member_id")

    member_id: str | None
    """None if it is not known; NOBODY if it is known to mean no member."""
    instant: int | None
    """In milliseconds: when the member was made; if that is not known, when the name was written."""

    def __new__(cls, text: str, member_id: str | None, instant: int | None = None) -> Self:
        """Return a name; `instant` is None if the time is not known."""
        name = super().__new__(cls, text)
        name.member_id, name.instant = member_id, instant
        return name

    def __eq__(self, other: object) -> bool:
        """Return whether both mean the same member; of another text, whether it is the same."""
        if isinstance(other, MemberName):
            return _is_same(self, other)
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Return the opposite."""
        return not self == other

    __hash__ = str.__hash__


def _is_same(one: MemberName, other: MemberName) -> bool:
    if one.member_id and other.member_id:
        return one.member_id == other.member_id
    is_same_text = str.__eq__(one, other)
    if not one.member_id and not other.member_id:
        return is_same_text
    known, unknown = (one, other) if one.member_id else (other, one)
    return is_same_text and unknown.member_id is None and could_mean(known.instant, unknown.instant)


def could_mean(member_created: int | None, name_written: int | None) -> bool:
    """Return whether a name that was written at one instant can mean a member who was made at another.

    A member whose id tells no time may be of any age. A name that was written nobody knows when is nobody's.
    """
    return member_created is None or (name_written is not None and member_created <= name_written)


def member_name(state: Mapping[str, Stored], attribute: str) -> MemberName | None:
    """Return the name that an attribute of an object holds."""
    text = state.get(attribute)
    if type(text) is not str:
        return None
    id_ = member_id(state, attribute)
    return MemberName(text, id_, written_at(state, attribute) if id_ is None else None)


def member_id(state: Mapping[str, Stored], attribute: str) -> str | None:
    """Return the id of the member whom an attribute of an object names; None if the state does not tell."""
    ids: Any = state.get(MEMBER_IDS)
    found = ids.get(state.get(attribute)) if isinstance(ids, Mapping) else None
    return found.get(attribute) if isinstance(found, Mapping) else found


def with_ids(state: Mapping[str, Stored], ids: Mapping[str, str | None]) -> Stored:
    """Return what MEMBER_IDS of a state should hold; `ids`: of the attributes for which that changes."""
    by_name: dict[str, dict[str, str | None]] = {}
    for attribute in NAMING_ATTRIBUTES:
        text = state.get(attribute)
        if isinstance(text, str):
            id_ = ids[attribute] if attribute in ids else member_id(state, attribute)
            by_name.setdefault(text, {})[attribute] = id_
    kept = {text: _merge_ids(found) for text, found in by_name.items()}
    return {text: found for text, found in kept.items() if found is not None} or None


def _merge_ids(ids: Mapping[str, str | None]) -> Stored:
    first, *others = dict.fromkeys(ids.values())
    if not others:
        return first
    return {attribute: id_ for attribute, id_ in ids.items() if id_ is not None}


def written_at(state: Mapping[str, Stored], attribute: str) -> int | None:
    """Return when the name in an attribute was written, or a time before that; None if nothing tells."""
    found = (
        _instant(state.get(name))
        for name in (NAMING_ATTRIBUTES[attribute], PlatformAttribute.CREATED_ON.value)
    )
    instant = next((each for each in found if each is not None), None)
    return id_timestamp(str(state.get("_id"))) if instant is None else instant


def _instant(value: Stored) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        return (datetime.fromisoformat(value) - _EPOCH) // _MILLISECOND
    except (ValueError, TypeError):  # another type's, or one without a zone
        return None
