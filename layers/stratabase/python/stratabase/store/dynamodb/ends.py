"""The ends of a range as DynamoDB can be asked for them: in one condition, which may let in a little more.

One condition takes two ends only with BETWEEN, which lets in both; and no end may be longer than a key.
"""

from typing import NamedTuple

from stratabase.store.dynamodb.expression import Placeholders
from stratabase.store.dynamodb.record import typed
from stratabase.store.dynamodb.table import LONGEST_SORT
from stratabase.store.engine import Bounds

_LAST = "\U0010ffff"


class Ends(NamedTuple):
    """The least and the greatest text to ask for; None is open. `let_in_high`: ask for the greatest, too."""

    low: str | None
    high: str | None
    let_in_high: bool

    @property
    def are_open(self) -> bool:
        """Whether there is nothing to ask for: every key will do."""
        return self.low is None and self.high is None

    @property
    def are_turned(self) -> bool:
        """Whether no key lies between them; none is an empty text."""
        return self.high == "" or (self.low is not None and self.high is not None and self.low > self.high)

    def text(self, placeholders: Placeholders) -> str:
        """Return what must be true of a sort key, to follow its name."""
        low, high = (end and placeholders.value(typed(end)) for end in (self.low, self.high))
        if low and high:
            return f"BETWEEN {low} AND {high}"
        return f">= {low}" if low else f"<{'=' * self.let_in_high} {high}"


def ends_of(bounds: Bounds) -> Ends:
    """Return what to ask for, so that nothing within the bounds is missed."""
    low, high = bounds.low, bounds.high
    if low and not bounds.low_included:
        low += "\0"  # the very next text
    least = _cut(low) if low else None
    greatest = None if high is None else _cut(high)
    if greatest != high:
        greatest = f"{greatest}{_LAST}"
    return Ends(least, greatest, bounds.high_included or greatest != high or least is not None)


def _cut(text: str) -> str:
    """Return a text, or as much of it as leaves room for one character more in a key."""
    encoded = text.encode()
    if len(encoded) <= LONGEST_SORT:
        return text
    return encoded[: LONGEST_SORT - len(_LAST.encode())].decode(errors="ignore")
