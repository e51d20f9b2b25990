"""What an expression is evaluated in: an object, the objects that its roles lead to, who asks, and when."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from stratabase.model.attribute import Stored
from stratabase.model.expressions.paths import Path
from stratabase.model.member_names import MemberName
from stratabase.model.types.datetime import DatetimeType
from stratabase.model.types.identifier import made_at

WORK = 8_000_000
"""What one evaluation may do with long texts, about a character each."""
_DATETIME = DatetimeType()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING: Mapping[Any, Any] = {}


class Circumstances:
    """What is the same for all objects of a request. `now` is in milliseconds since the epoch."""

    def __init__(self, caller: Mapping[str, Stored] = _NOTHING, now: int = 0, zone: tzinfo = UTC) -> None:
        self.caller = caller
        """The member's fields, as `caller.CALLER` names them."""
        self.zone = zone
        self._now = now

    def of_caller(self, field: str) -> str | None:
        """Return a field of the member, all of which are texts."""
        value = self.caller.get(field)
        return value if type(value) is str else None

    @cached_property
    def username(self) -> str | None:
        """The name of the member. It equals a name in an object if that means the same member."""
        name, id_ = self.of_caller("username"), self.of_caller("id")
        return name if name is None or id_ is None else MemberName(name, id_, made_at(id_))

    @cached_property
    def _moment(self) -> datetime:
        return _EPOCH + timedelta(milliseconds=self._now)

    @cached_property
    def now(self) -> str:
        """The moment, as a Datetime is stored."""
        return _DATETIME.spelled(self._moment)

    @cached_property
    def today(self) -> str:
        """The day that it is in the time zone, as a Date is stored."""
        return self._moment.astimezone(self.zone).date().isoformat()


ANYWHERE = Circumstances()


class Environment:
    """One object. `reached` has the states of the objects to which the paths of to-one roles lead.

    An expression names what it needs (`Expression.uses`); what is absent is null.
    """

    __slots__ = ("circumstances", "reached", "values", "variables", "work")

    def __init__(
        self,
        values: Mapping[str, Stored],
        circumstances: Circumstances = ANYWHERE,
        reached: Mapping[Path, Mapping[str, Stored] | None] = _NOTHING,
    ) -> None:
        self.values = values
        self.circumstances = circumstances
        self.reached = reached
        self.variables: dict[int, Any] = {}
        self.work = WORK

    def rested(self) -> "Environment":
        """Return this, with all its work before it again."""
        self.work = WORK
        return self

    def affords(self, work: int) -> bool:
        """Return whether there is as much work left, and take it."""
        self.work -= work
        return self.work >= 0
