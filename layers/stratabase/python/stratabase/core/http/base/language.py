"""The language of a response: the member's language, or the best match of Accept-Language."""

from collections.abc import Iterable
from typing import Protocol

from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Request
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages.message import choose_language


class Addressee(Protocol):
    """A member who reads a response."""

    @property
    def formats(self) -> Formats:
        """The member's formats, with the language."""


def response_language(request: Request, reader: Addressee | None = None) -> str:
    """Return the language of the response: the reader's, or else the best match of Accept-Language."""
    return negotiate_language(request, [reader.formats.language] if reader is not None else [])


def negotiate_language(request: Request, preferred: Iterable[str]) -> str:
    """Return the first supported language of `preferred`, or else the best match of Accept-Language."""
    ranges = [parse_media_type(part) for part in (request.header("accept-language") or "").split(",")]
    accepted = [range_.name for range_ in sorted(ranges, key=lambda range_: -range_.weight) if range_.weight]
    return choose_language([*preferred, *accepted])
