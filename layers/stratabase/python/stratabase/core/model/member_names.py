"""The names of members in objects, and the IDs of these members.

`_createdby`, `_lastmodifiedby` and `_ownedby` hold the name that a member had at the time. Later, the member
can be renamed, and another member can take the name. So a state also holds, under MEMBER_IDS, the ID of the
member:

    {"ada": "<id>"}                                  every "ada" in this state is the member with this ID
    {"ada": {"_createdby": "<id>", "_ownedby": …}}   the IDs differ, or some are unknown

Answers, filters and diffs never show MEMBER_IDS. Versions of Stratabase that don't know MEMBER_IDS keep it,
like any attribute that their model doesn't have. Names that such a version writes have no ID.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from stratabase.core.model.api_names import ID
from stratabase.core.model.model import PlatformAttribute
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.identifier import id_timestamp

MEMBER_IDS = "_memberIds"
"""The key in a state under which the IDs of its members are stored."""
NOBODY = ""
"""Stored instead of an ID if the name belongs to no present member."""
NAMING_ATTRIBUTES: Mapping[str, str] = {
    PlatformAttribute.CREATED_BY.value: PlatformAttribute.CREATED_ON.value,
    PlatformAttribute.LAST_MODIFIED_BY.value: PlatformAttribute.LAST_MODIFIED_ON.value,
    PlatformAttribute.OWNED_BY.value: PlatformAttribute.OWNED_ON.value,
}
"""The attributes that hold a member's name, each with the attribute that holds the time of that name."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


class MemberName(str):
    """A member's name, with the ID of the member.

    Two names are equal if their IDs are equal. If only one has an ID, they are equal if the texts are equal
    and the other name could mean that member. If neither has an ID, the texts decide. Any other value is
    compared with the text. The hash is that of the text.
    """

    __slots__ = ("instant", "member_id")

    member_id: str | None
    """None if the ID is unknown; NOBODY if the name belongs to no member."""
    instant: int | None
    """When the member was created, or if that is unknown, when the name was written; in milliseconds."""

    def __new__(cls, text: str, member_id: str | None, instant: int | None = None) -> Self:
        """Return a name. `instant` is None if the time is unknown."""
        name = super().__new__(cls, text)
        name.member_id, name.instant = member_id, instant
        return name

    def __eq__(self, other: object) -> bool:
        """Return whether two names mean the same member, or whether a text equals the name."""
        if isinstance(other, MemberName):
            return _is_same(self, other)
        return str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Return whether the names are not equal."""
        return not self == other

    __hash__ = str.__hash__


def _is_same(one: MemberName, other: MemberName) -> bool:
    if one.member_id and other.member_id:
        return one.member_id == other.member_id
    is_same_text = str.__eq__(one, other)
    if not one.member_id and not other.member_id:
        return is_same_text
    # NOBODY means no member, so only an unknown ID (None) can belong to the known member.
    known, unknown = (one, other) if one.member_id else (other, one)
    return is_same_text and unknown.member_id is None and could_mean(known.instant, unknown.instant)


def could_mean(member_created: int | None, name_written: int | None) -> bool:
    """Return whether a name that was written at one instant can mean a member who was created at another.

    If the time of creation is unknown (None), the member can be of any age. If the time of writing is
    unknown, the name can't mean a member whose time of creation is known.
    """
    return member_created is None or (name_written is not None and member_created <= name_written)


def member_name(state: Mapping[str, Stored], attribute: str) -> MemberName | None:
    """Return the member name in an attribute of an object, or None if there is none."""
    text = state.get(attribute)
    if type(text) is not str:
        return None
    id_ = member_id(state, attribute)
    return MemberName(text, id_, written_at(state, attribute) if id_ is None else None)


def member_id(state: Mapping[str, Stored], attribute: str) -> str | None:
    """Return the ID of the member whom an attribute names, or None if the state doesn't hold it."""
    ids: Any = state.get(MEMBER_IDS)
    found = ids.get(state.get(attribute)) if isinstance(ids, dict) else None
    return found.get(attribute) if isinstance(found, dict) else found


class RecordedMember(str):
    """The key of the member whom an object records by name only, without the ID.

    It stands for an ID in a reference. Its text has the name and the time, so that equal keys mean the same
    member. It equals no ID.
    """

    __slots__ = ("name", "written")

    name: str
    written: int | None
    """When the name was written, in milliseconds; None if that is unknown."""

    def __new__(cls, name: str, written: int | None) -> Self:
        """Return the key of a member by a name that was written at an instant."""
        key = super().__new__(cls, f"={written}={name}")
        key.name, key.written = name, written
        return key


def member_key(state: Mapping[str, Stored], attribute: str) -> str | None:
    """Return the ID of the member in an attribute, or a RecordedMember if the state holds only the name.

    Return None if the attribute names nobody.
    """
    name = state.get(attribute)
    if type(name) is not str:
        return None
    id_ = member_id(state, attribute)
    return RecordedMember(name, written_at(state, attribute)) if id_ is None else id_ or None


def with_ids(state: Mapping[str, Stored], ids: Mapping[str, str | None]) -> Stored:
    """Return the value to store under MEMBER_IDS of a state, or None if no ID is known.

    `ids` maps the attributes whose ID changes to the new IDs. The other attributes keep their IDs.
    """
    by_name: dict[str, dict[str, str | None]] = {}
    for attribute in NAMING_ATTRIBUTES:
        text = state.get(attribute)
        if isinstance(text, str):
            id_ = ids[attribute] if attribute in ids else member_id(state, attribute)
            by_name.setdefault(text, {})[attribute] = id_
    kept: dict[str, Stored] = {}
    for text, found in by_name.items():
        merged = _merge_ids(found)
        if merged is not None:
            kept[text] = merged
    return kept or None


def _merge_ids(ids: Mapping[str, str | None]) -> Stored:
    values = list(ids.values())
    first = values[0]
    if values.count(first) == len(values):
        return first
    return {attribute: id_ for attribute, id_ in ids.items() if id_ is not None}


def written_at(state: Mapping[str, Stored], attribute: str) -> int | None:
    """Return when the name in an attribute was written, or an earlier time; None if the state holds no time.

    The value is in milliseconds since the epoch.
    """
    found = (
        _instant(state.get(name))
        for name in (NAMING_ATTRIBUTES[attribute], PlatformAttribute.CREATED_ON.value)
    )
    instant = next((each for each in found if each is not None), None)
    return id_timestamp(str(state.get(ID))) if instant is None else instant


def _instant(value: Stored) -> int | None:
    if not isinstance(value, str):
        return None
    try:
        return (datetime.fromisoformat(value) - _EPOCH) // _MILLISECOND
    except (ValueError, TypeError):  # stored by another type, or without a time zone
        return None
