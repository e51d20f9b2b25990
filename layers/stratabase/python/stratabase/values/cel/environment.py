"""The environment of an evaluation: an object, the objects of its roles, the caller, and the time."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from stratabase.values.formats.iso import format_datetime

Path = tuple[str, ...]
"""The names of to-one roles, followed by the name of an attribute or of one more role."""
COST_LIMIT = 8_000_000
"""The cost limit of one evaluation. Processing a long text costs about 1 for each character."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING: Mapping[Any, Any] = {}


class EvaluationContext:
    """The context of all evaluations of a request: the caller, the time zone, and `now` in milliseconds.

    `note_cost` is called with the cost of each long computation before it begins.
    """

    def __init__(
        self,
        caller: Mapping[str, Any] = _NOTHING,
        now: int = 0,
        zone: tzinfo = UTC,
        note_cost: Callable[[int], object] = lambda _: None,
    ) -> None:
        self.caller = caller
        """The fields of the caller, by name."""
        self.zone = zone
        self.note_cost = note_cost
        self._now = now

    def caller_field(self, field: str) -> str | None:
        """Return a field of the caller as text, or None if it is absent."""
        value = self.caller.get(field)
        return value if isinstance(value, str) else None

    @cached_property
    def _moment(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self._now)

    @cached_property
    def now(self) -> str:
        """The time of the request in the stored form of a Datetime."""
        return format_datetime(self._moment)

    @cached_property
    def today(self) -> str:
        """The day of the request in the time zone, in the stored form of a Date."""
        return self._moment.astimezone(self.zone).date().isoformat()


EMPTY_CONTEXT = EvaluationContext()


class Environment:
    """The environment of an evaluation for one object.

    `values` is the state of the object. `related` maps each path of to-one roles to the state of the object
    that it leads to, or to None. Both must have everything that `Expression.paths` names; what is absent is
    null.
    """

    __slots__ = ("context", "related", "remaining_cost", "values", "variables")

    def __init__(
        self,
        values: Mapping[str, Any],
        context: EvaluationContext = EMPTY_CONTEXT,
        related: Mapping[Path, Mapping[str, Any] | None] = _NOTHING,
    ) -> None:
        self.values = values
        self.context = context
        self.related = related
        self.variables: dict[int, Any] = {}
        self.remaining_cost = COST_LIMIT

    def reset(self) -> "Environment":
        """Restore the full cost limit, and return this environment."""
        self.remaining_cost = COST_LIMIT
        return self

    def spend(self, cost: int) -> bool:
        """Subtract a cost from the remaining cost. Return whether it was within the limit."""
        self.remaining_cost -= cost
        if self.remaining_cost < 0:
            return False
        self.context.note_cost(cost)
        return True
