"""The language of a response: that of its reader, or else one that the client accepts."""

from collections.abc import Iterable

from stratabase.domain.members.member import Caller, Member
from stratabase.http_api.http.media_type import parse_media_type
from stratabase.http_api.http.messages import Request
from stratabase.messages.catalogs import choose_language


def response_language(request: Request, reader: Caller | Member | None = None) -> str:
    """Return the language in which to answer a request: the reader's, or else the best of Accept-Language."""
    return negotiate_language(request, [reader.formats.language] if reader is not None else [])


def negotiate_language(request: Request, preferred: Iterable[str]) -> str:
    """Return the first of the preferred languages on offer, or else the best of Accept-Language."""
    ranges = [parse_media_type(part) for part in (request.header("accept-language") or "").split(",")]
    accepted = [range_.name for range_ in sorted(ranges, key=lambda range_: -range_.weight) if range_.weight]
    return choose_language([*preferred, *accepted])
