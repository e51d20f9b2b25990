"""Reading, deciding and changing once more, when another change came between."""

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.domain.refusal import Unavailable

MOST_ROUNDS = 100
"""After which one gives up against others that keep coming between."""

T = TypeVar("T")


def in_rounds(work: Callable[[], T]) -> T:
    """Return what work comes to, begun anew after each Conflict. Raises Unavailable after too many."""
    for _ in range(MOST_ROUNDS):
        with suppress(Conflict):
            return work()
    raise Unavailable("other changes of the members kept coming between; try again")
