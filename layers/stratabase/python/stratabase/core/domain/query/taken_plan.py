"""The plan by which a query was answered, for callers who want to know what a request costs, and why."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from stratabase.values.frozen import frozen


@frozen
class AdvisedIndex:
    """An index that the model doesn't have, and with which a query would read less."""

    class_name: str
    attributes: tuple[str, ...]
    """The attributes, and possibly a role whose key the objects hold."""


@frozen
class TakenPlan:
    """The plan that a query took."""

    class_name: str
    description: str
    """In English, without values of the query."""
    advised_index: AdvisedIndex | None = None


NotePlan = Callable[[TakenPlan], None]
"""A function that is called with each plan when a query takes it."""
RecordingPlans = Callable[[NotePlan], AbstractContextManager[None]]
"""A function that returns a context: while it is open, the plans of the same request are noted."""
