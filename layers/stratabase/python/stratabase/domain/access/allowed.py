"""What one grant allows."""

from typing import NamedTuple

from stratabase.model.class_ import Action
from stratabase.model.expressions import Expression


class Allowed(NamedTuple):
    """Actions, and of which objects: of all without a condition."""

    actions: frozenset[Action] = frozenset()
    where: Expression | None = None


NOTHING = Allowed()
"""Nothing is allowed."""
