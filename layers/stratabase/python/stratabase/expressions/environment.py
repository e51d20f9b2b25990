"""What an expression is evaluated in: an object, the objects that its roles lead to, who asks, and when."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from stratabase.formats.iso import format_datetime

Path = tuple[str, ...]
"""Names of to-one roles, then of an attribute, or of a role whose object may be there or not."""
COST_LIMIT = 8_000_000
"""The most that one evaluation may spend on long texts, about one for each character."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING: Mapping[Any, Any] = {}


class EvaluationContext:
    """What is the same for all objects of a request: who asks, the time zone, and `now` in milliseconds."""

    def __init__(self, caller: Mapping[str, Any] = _NOTHING, now: int = 0, zone: tzinfo = UTC) -> None:
        self.caller = caller
        """The fields of `caller`, by name."""
        self.zone = zone
        self._now = now

    def caller_field(self, field: str) -> str | None:
        """Return a field of the member, all of which are texts; None if it is absent."""
        value = self.caller.get(field)
        return value if isinstance(value, str) else None

    @cached_property
    def _moment(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self._now)

    @cached_property
    def now(self) -> str:
        """The moment, as a Datetime is stored."""
        return format_datetime(self._moment)

    @cached_property
    def today(self) -> str:
        """The day that it is in the time zone, as a Date is stored."""
        return self._moment.astimezone(self.zone).date().isoformat()


EMPTY_CONTEXT = EvaluationContext()


class Environment:
    """One object. `related`: for each path of to-one roles, the state of the object to which it leads.

    An expression names what it needs (`Expression.paths`); what is absent is null.
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
        """Return this environment with its full cost limit again."""
        self.remaining_cost = COST_LIMIT
        return self

    def spend(self, cost: int) -> bool:
        """Take a cost off what remains; return whether that was enough."""
        self.remaining_cost -= cost
        return self.remaining_cost >= 0
