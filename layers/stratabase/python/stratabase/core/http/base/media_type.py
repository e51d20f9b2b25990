"""Media types in Content-Type and Accept, and content negotiation (RFC 9110 section 12.5.1)."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stratabase.values.text_cache import cache_short_texts

_WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


class MediaType(NamedTuple):
    """A media type or a media range such as `text/*`, in lower case, with its parameters."""

    name: str
    parameters: Mapping[str, str]

    @property
    def weight(self) -> float:
        """The quality value `q` of a media range, from 0 to 1. An invalid value counts as 1."""
        weight = self.parameters.get("q", "1")
        return float(weight) if _WEIGHT.fullmatch(weight) else 1.0


@cache_short_texts(256)
def parse_media_type(text: str) -> MediaType:
    """Parse a text such as `text/html; charset=utf-8`."""
    name, *parameters = text.split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    return MediaType(
        name.strip().lower(), {n.strip().lower(): v.strip().strip('"').lower() for n, _, v in pairs}
    )


def best_match(accept: str, offered: tuple[str, ...]) -> str | None:
    """Return the offered media type that an Accept header prefers, or None if it accepts none.

    `offered` lists the server's types, the preferred one first. Among types with the same weight, a type that
    the header names precedes one that only matches a range.
    """
    ranges = [parse_media_type(part) for part in accept.split(",") if part.strip()]
    if not ranges:
        return offered[0]
    best = max(offered, key=lambda name: _preference(name, ranges))
    return best if _preference(best, ranges)[0] > 0 else None


def _preference(name: str, ranges: Sequence[MediaType]) -> tuple[float, int]:
    """Return the weight of the most specific range that matches a type, and its specificity.

    The specificity is 0 for `*/*`, 1 for a range such as `text/*`, and 2 for the type itself.
    """
    spellings = ("*/*", f"{name.partition('/')[0]}/*", name)
    matches = [(spellings.index(range_.name), range_.weight) for range_ in ranges if range_.name in spellings]
    narrowness, weight = max(matches, default=(0, 0.0))
    return weight, narrowness
