"""What every plan is given and tells.

A plan travels from the window's start: in the query's order forward, against it backward.
"""

from collections.abc import Sequence
from typing import Protocol

from stratabase.domain.order import Order
from stratabase.domain.page import Query
from stratabase.store.match import Match


class Plan(Protocol):
    """A way to find the matches of a window; nothing is read before it is asked for."""

    def matches(self) -> Sequence[Match]:
        """Return the matches in the window, in the order of travel."""

    def ahead(self) -> bool:
        """Return whether a match lies beyond the window; asked only when the query wants to know."""

    def behind(self) -> bool:
        """Return whether a match lies before the window, in the order of travel."""

    def total(self) -> int:
        """Return how many match in all."""


def travelled(query: Query) -> Order:
    """Return the order in which a plan meets the matches."""
    return query.order.turned() if query.window.backward else query.order


def ahead_wanted(query: Query) -> bool:
    """Return whether the query wants to know what lies beyond the window."""
    return query.wanted.has_prev if query.window.backward else query.wanted.has_next
