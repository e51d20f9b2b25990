"""The languages of the page."""

from collections.abc import Iterable, Mapping

from stratabase.domain.language import spoken
from stratabase.edge import media_type
from stratabase.edge.courtesy import en, it
from stratabase.edge.courtesy.texts import Texts

TEXTS: Mapping[str, Texts] = {"en": en.TEXTS, "it": it.TEXTS}
"""What the page says, by its languages."""


def language_of(wanted: Iterable[str], accepted: str) -> str:
    """Return the first language of those wanted that the page has, or else of an Accept-Language header."""
    return spoken((*wanted, *_preferred(accepted)), TEXTS)


def _preferred(accepted: str) -> list[str]:
    """Return the languages of an Accept-Language header, the best first."""
    ranges = [media_type.parse(part) for part in accepted.split(",")]
    return [range_.name for range_ in sorted(ranges, key=lambda range_: -range_.weight) if range_.weight]
