"""A value lies between the bounds, and is one of the values."""

from collections.abc import Callable, Iterator
from typing import Any

from stratabase.model.attribute import Domain
from stratabase.model.types.base import Breach, DomainMistake


def bounds_mistakes(stored: Any, domain: Domain, rank: Callable[[Any], Any]) -> Iterator[DomainMistake]:
    """Yield what is wrong with a value that is out of bounds (they belong to what is admitted)."""
    low, high = domain.minimum, domain.maximum
    if low is not None and rank(stored) < rank(low):
        yield DomainMistake(Breach.RANGE, f"{stored} is too low: give {_between(low, high)}")
    if high is not None and rank(stored) > rank(high):
        yield DomainMistake(Breach.RANGE, f"{stored} is too high: give {_between(low, high)}")
    if domain.values and stored not in domain.values:
        values = " or ".join(map(str, domain.values))
        yield DomainMistake(Breach.RANGE, f"{stored} is none of the values: give {values}")


def _between(low: Any, high: Any) -> str:
    if low is None:
        return f"{high} at most"
    return f"{low} at least" if high is None else f"{low} to {high}"
