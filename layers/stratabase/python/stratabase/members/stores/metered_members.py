"""Reads of members that report their consumption, if the current request is being measured."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil
from time import perf_counter
from typing import Protocol

from stratabase.core.domain.query.read_budget import Consumption, Note
from stratabase.core.store.engine.parallel import add_round_trips
from stratabase.core.store.engine.wrappers import current_note
from stratabase.members.member import Member

_INDEX = "members"
"""The name under which reports show the table of the members, beside the indexes of the objects."""
_NAMES_BYTES = 200
"""The bytes of the names of a record's attributes, and of its numbers."""
_LISTED_BYTES = 150
"""The bytes of a session, a key, a link, or a code."""
_UNIT_BYTES = 4096
_KEYS_PER_REQUEST = 100


class _Reads(Protocol):
    """The reads of a store of members."""

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id."""

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`."""

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username."""

    def by_email(self, email: str) -> Member | None:
        """Return the member with an e-mail address."""

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members, in batches."""


class MeteredMembers:
    """Members that are read from another store, with the units that DynamoDB charges for it.

    Sizes are estimates.
    """

    def __init__(self, members: _Reads, note_of_request: Callable[[], Note | None] = current_note) -> None:
        """`note_of_request` returns the function that takes the report of a call, None if there is none."""
        self._members = members
        self._note_of_request = note_of_request

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id."""
        return self.by_ids([id_])[0]

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`, None for an id that no member has."""
        began = perf_counter()
        found = self._members.by_ids(ids)
        asked = list(dict(zip(ids, found, strict=True)).values())
        self._report_get(asked, ceil(len(asked) / _KEYS_PER_REQUEST), began)
        return found

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username."""
        return self._by_name(self._members.by_username, username)

    def by_email(self, email: str) -> Member | None:
        """Return the member with an e-mail address."""
        return self._by_name(self._members.by_email, email)

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members, in batches."""
        batches = self._members.batches()
        while True:
            began = perf_counter()
            batch = next(batches, None)
            if batch is None:
                return
            note = self._note_of_request()
            if note is not None:
                size = sum(map(_size, batch))
                units = max(1, ceil(size / _UNIT_BYTES))
                took = _milliseconds_since(began)
                note(Consumption("range", _INDEX, 1, len(batch), size, units, 0, took, add_round_trips(1)))
            yield batch

    def _by_name(self, find: Callable[[str], Member | None], name: str) -> Member | None:
        """Return the member that a unique name leads to: one read of the name, then one of the member."""
        began = perf_counter()
        found = find(name)
        self._report_get([None, found], 2, began)
        return found

    def _report_get(self, found: Sequence[Member | None], requests: int, began: float) -> None:
        note = self._note_of_request()
        if note is None:
            return
        sizes = [_size(each) for each in found]
        units = sum(max(1, ceil(size / _UNIT_BYTES)) for size in sizes)
        took = _milliseconds_since(began)
        before = add_round_trips(requests)
        note(Consumption("get", _INDEX, requests, len(found), sum(sizes), units, 0, took, before))


def _size(member: Member | None) -> int:
    """Return the size of a member in bytes."""
    if member is None:
        return 0
    formats = member.formats
    texts = (
        *(member.id, member.username, member.email, member.profile, member.notes, member.password),
        *(formats.date_format, formats.time_format, formats.time_zone, formats.language),
    )
    listed = sum(map(len, (member.sessions, member.keys, member.links, member.codes)))
    own = sum(len(text.encode()) for text in texts if text is not None)
    return _NAMES_BYTES + own + listed * _LISTED_BYTES


def _milliseconds_since(began: float) -> float:
    return (perf_counter() - began) * 1000
