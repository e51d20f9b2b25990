"""The bodies of requests while they are in memory, and the limit of the memory for all of them together."""

from collections import Counter
from http import HTTPStatus
from typing import NamedTuple

from stratabase.server.http.errors import MAX_BODY, HttpError, body_too_large

_PIECE_SIZE = 64 * 1024
"""The minimum size in bytes of the pieces in which a body is collected, except for the last one."""
_SMALL = 64 * 1024
"""The size in bytes up to which a body may use all of the memory. Larger ones leave a quarter of it, so that
those who upload files can't keep others from sending queries."""


class BodyMemory:
    """Counts the bytes of the bodies that a process has in memory, and limits them.

    The bodies of one member take at most half of what large bodies can take, so that no member can keep all
    others from sending files.
    """

    def __init__(self, limit: int) -> None:
        """`limit`: in bytes."""
        self._limit = limit
        self._limit_of_large = limit // 4 * 3
        self._limit_of_member = max(self._limit_of_large // 2, MAX_BODY)
        self._of_members: Counter[str] = Counter()
        self.used = 0
        """In bytes."""

    def take(self, size: int, body_size: int, member: str = "") -> HttpError | None:
        """Count further bytes of a body, which then has `body_size`. If they don't fit, return the refusal.

        `member`: the ID of the member who sends it, empty if it is not known.
        """
        is_large = body_size > _SMALL
        if self.used + size > (self._limit_of_large if is_large else self._limit):
            text = "The service receives too many large requests at the moment. Try again later."
            return HttpError(HTTPStatus.SERVICE_UNAVAILABLE, text)
        if is_large and member and self._of_members[member] + size > self._limit_of_member:
            text = "You send too many large requests at the same time. Try again when some have ended."
            return HttpError(HTTPStatus.SERVICE_UNAVAILABLE, text)
        self.used += size
        if member:
            self._of_members[member] += size
        return None

    def assign(self, size: int, member: str) -> None:
        """Count bytes that are in memory for a member too."""
        if member:
            self._of_members[member] += size

    def release(self, size: int, member: str = "") -> None:
        """Count bytes no more."""
        self.used -= size
        if member:
            self._of_members[member] -= size
            if not self._of_members[member]:
                del self._of_members[member]


class BodyTerms(NamedTuple):
    """What an endpoint wants of the body of a request whose head was accepted."""

    limit: int = MAX_BODY
    """In bytes. If a body has more, the request is answered without the rest."""
    member: str = ""
    """The ID of the member who sends it, empty if it is not known."""


class RequestBody:
    """The body of a request, as far as it has arrived. Its bytes count as long as this object exists."""

    __slots__ = ("_kept", "_memory", "_pieces", "error", "size", "terms")

    def __init__(self, memory: BodyMemory) -> None:
        self._memory = memory
        self._pieces: list[bytes | bytearray] = []
        self._kept = 0
        """The bytes that count."""
        self.size = 0
        """The bytes that have arrived, whether they are kept or not."""
        self.terms: BodyTerms | None = None
        """What the endpoint wants, once the head is accepted. Set by `accept`."""
        self.error: HttpError | None = None
        """Why the server refuses the body, if it does."""

    def __del__(self) -> None:
        """Count the bytes no more, because nothing refers to them."""
        if self._kept:
            self.drop()

    def accept(self, terms: BodyTerms) -> None:
        """Set what the endpoint wants. What has arrived counts for the member from now on."""
        self.terms = terms
        self._memory.assign(self._kept, terms.member)

    @property
    def content(self) -> bytes:
        """The bytes that have arrived and are kept."""
        pieces = self._pieces
        if len(pieces) == 1 and isinstance(whole := pieces[0], bytes):
            return whole
        whole = b"".join(pieces)
        self._pieces = [whole]  # otherwise, all bytes would be in memory twice
        return whole

    def add(self, data: bytes) -> None:
        """Add bytes. Set `error` if the body becomes too large, or the memory is full."""
        if self.error is not None:
            return
        terms = self.terms
        was_cut = terms is not None and self.size > terms.limit
        self.size += len(data)
        if self.size > MAX_BODY:
            self._refuse(body_too_large())
        elif was_cut:
            pass
        elif (
            full := self._memory.take(len(data), self.size, "" if terms is None else terms.member)
        ) is not None:
            self._refuse(full)
        else:
            self._kept += len(data)
            if self._pieces:
                self._append(data)
            else:
                self._pieces = [data]  # most bodies are one piece

    def drop(self) -> None:
        """Keep nothing of the body."""
        self._pieces = []
        if self._kept:
            self._memory.release(self._kept, "" if self.terms is None else self.terms.member)
            self._kept = 0

    def _append(self, data: bytes) -> None:
        if len(self._pieces[-1]) < _PIECE_SIZE:
            # One growing buffer would be copied again and again. Many small pieces would take much memory.
            last = self._pieces[-1]
            if not isinstance(last, bytearray):
                last = self._pieces[-1] = bytearray(last)
            last += data
        else:
            self._pieces.append(data)

    def _refuse(self, error: HttpError) -> None:
        self.error = error
        self.drop()
