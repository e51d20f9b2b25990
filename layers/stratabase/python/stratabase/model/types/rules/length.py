"""A text is as long as it may be, counted in characters (code points)."""

from collections.abc import Iterator

from stratabase.model.attribute import Domain
from stratabase.model.plurals import counted, is_or_are
from stratabase.model.types.base import Breach, DomainMistake


def length_mistakes(stored: str, domain: Domain, longest: int | None) -> Iterator[DomainMistake]:
    """Yield a mistake for a text that is too short or too long; `longest` holds when the domain is silent."""
    length = len(stored)
    most = longest if domain.max_length is None else domain.max_length
    if domain.min_length is not None and length < domain.min_length:
        text = f"{_told(length)} too few: give at least {domain.min_length:,}"
        yield DomainMistake(Breach.LENGTH, text)
    if most is not None and length > most:
        yield DomainMistake(Breach.LENGTH, f"{_told(length)} too many: give at most {most:,}")


def _told(length: int) -> str:
    return f"{counted(length, 'character')} {is_or_are(length)}"
