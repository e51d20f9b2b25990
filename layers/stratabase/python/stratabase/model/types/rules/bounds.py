"""A value lies between the bounds, and is one of the values."""

from collections.abc import Callable, Iterator
from typing import Any

from stratabase.model.attribute import Domain
from stratabase.model.types.base import Breach, DomainMistake


def bounds_mistakes(
    stored: Any, domain: Domain, rank: Callable[[Any], Any], display: Callable[[Any], str]
) -> Iterator[DomainMistake]:
    """Yield what is wrong with a value that is out of bounds (they belong to what is admitted).

    `rank`: what orders values. `display`: how messages show them.
    """
    low, high = domain.minimum, domain.maximum
    if low is not None and rank(stored) < rank(low):
        text = f"{display(stored)} is too low: give {_between(low, high, display)}"
        yield DomainMistake(Breach.RANGE, text)
    if high is not None and rank(stored) > rank(high):
        text = f"{display(stored)} is too high: give {_between(low, high, display)}"
        yield DomainMistake(Breach.RANGE, text)
    if domain.values and stored not in domain.values:
        values = " or ".join(map(display, domain.values))
        yield DomainMistake(Breach.RANGE, f"{display(stored)} is none of the values: give {values}")


def _between(low: Any, high: Any, display: Callable[[Any], str]) -> str:
    if low is None:
        return f"{display(high)} at most"
    return f"{display(low)} at least" if high is None else f"{display(low)} to {display(high)}"
