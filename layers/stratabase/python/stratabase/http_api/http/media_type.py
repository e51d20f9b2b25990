"""Media types: what a body is (Content-Type), and what a client takes (Accept, RFC 9110 section 12.5.1)."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

_WEIGHT = re.compile(r"(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)", re.ASCII)


class MediaType(NamedTuple):
    """A media type or a range of them, in lower case, with its parameters."""

    name: str
    parameters: Mapping[str, str]

    @property
    def weight(self) -> float:
        """How much a range in Accept is preferred; one that makes no sense counts as 1."""
        weight = self.parameters.get("q", "1")
        return float(weight) if _WEIGHT.fullmatch(weight) else 1.0


@lru_cache(256)
def parse_media_type(text: str) -> MediaType:
    """Return the media type of a text such as `text/html; charset=utf-8`."""
    name, *parameters = text.split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    return MediaType(
        name.strip().lower(), {n.strip().lower(): v.strip().strip('"').lower() for n, _, v in pairs}
    )


@lru_cache(256)
def best_match(accept: str, offered: tuple[str, ...]) -> str | None:
    """Return which of the offered types (the best first) an Accept header prefers, None when it accepts none.

    Of types with the same weight, one that the header names goes before one that only a range includes.
    """
    ranges = [parse_media_type(part) for part in accept.split(",") if part.strip()]
    if not ranges:
        return offered[0]
    best = max(offered, key=lambda name: _preference(name, ranges))
    return best if _preference(best, ranges)[0] > 0 else None


def _preference(name: str, ranges: Sequence[MediaType]) -> tuple[float, int]:
    """Return the weight of the narrowest range that includes a type, and how narrow it is: 0, 1 or 2."""
    spellings = ("*/*", f"{name.partition('/')[0]}/*", name)
    matches = [(spellings.index(range_.name), range_.weight) for range_ in ranges if range_.name in spellings]
    narrowness, weight = max(matches, default=(0, 0.0))
    return weight, narrowness
