"""A text is like one of the patterns, or is one of the values."""

import re
from collections.abc import Iterator
from functools import lru_cache

from stratabase.model.attribute import Domain
from stratabase.model.malformed import Malformed, shown
from stratabase.model.types.base import Breach, DomainMistake


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a pattern of the model, ready for use. Raises Malformed for one that is none."""
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as refusal:
        raise Malformed(f"{shown(pattern)} is no regular expression: {refusal}") from None


def pattern_mistakes(stored: str, domain: Domain) -> Iterator[DomainMistake]:
    """Yield a mistake for a text that no pattern matches as a whole, and that is none of the values."""
    admitted = [*domain.patterns, *map(str, domain.values)]
    if not admitted or stored in domain.values:
        return
    if not any(compiled(pattern).fullmatch(stored) for pattern in domain.patterns):
        yield DomainMistake(Breach.PATTERN, f"{shown(stored)} is not admitted: give {' or '.join(admitted)}")
