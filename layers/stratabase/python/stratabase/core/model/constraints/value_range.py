"""`@domain(min, max)`: the minimum and maximum value of an attribute with an order."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Self

from stratabase.core.model.constraints.base import (
    ArgumentError,
    Arguments,
    Constraint,
    ConstraintArgument,
    Violation,
    read_argument,
)
from stratabase.core.model.types.base import AttributeType, OrderedType, Stored
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _
from stratabase.values.wording import shorten

RANGE_ISSUE = "ATTRIBUTE_RANGE"


def _rises(type_: AttributeType, old: Any, new: Any) -> bool:
    """Return whether a minimum is higher, or of a type that has nothing in common with the present one."""
    before = type_.read_stored(old)
    return before is None or bool(type_.sort_key(new) > type_.sort_key(before))


def _falls(type_: AttributeType, old: Any, new: Any) -> bool:
    """Return whether a maximum is lower, or of a type that has nothing in common with the present one."""
    before = type_.read_stored(old)
    return before is None or bool(type_.sort_key(new) < type_.sort_key(before))


@frozen
class ValueRange(Constraint):
    """The minimum and maximum in their stored form, both inclusive. None means no bound."""

    arguments: ClassVar[Mapping[str, ConstraintArgument]] = {
        "min": ConstraintArgument("minimum", "String", "The minimum value, inclusive.", _rises),
        "max": ConstraintArgument("maximum", "String", "The maximum value, inclusive.", _falls),
    }
    issues: ClassVar[tuple[str, ...]] = (RANGE_ISSUE,)
    types: ClassVar[tuple[type[AttributeType], ...]] = (OrderedType,)

    minimum: Stored = None
    maximum: Stored = None

    @classmethod
    def find_errors(cls, arguments: Arguments, type_: AttributeType) -> Iterator[ArgumentError]:
        """Yield an error for each bound that is not a value of the type, and one if no value is possible."""
        bounds: dict[str, Stored] = {}
        for argument in cls.arguments:
            written = arguments.get(argument)
            try:
                bounds[argument] = None if written is None else read_argument(type_, written)
            except InvalidValue as invalid:
                bounds[argument] = None
                yield ArgumentError(argument, f"{argument}: {invalid}")
        low, high = bounds["min"], bounds["max"]
        if low is not None and high is not None and type_.sort_key(high) < type_.sort_key(low):
            written_low, written_high = shorten(arguments["min"]), shorten(arguments["max"])
            message = f"No value is possible: min {written_low} is greater than max {written_high}."
            yield ArgumentError("min", message)

    @classmethod
    def build(cls, arguments: Arguments, type_: AttributeType) -> Self | None:
        """Return the constraint, or None if the model sets no bound."""
        low, high = arguments.get("min"), arguments.get("max")
        if low is None and high is None:
            return None
        return cls(
            None if low is None else read_argument(type_, low),
            None if high is None else read_argument(type_, high),
        )

    def violations(self, stored: Any, type_: AttributeType, formats: Formats | None) -> Iterator[Violation]:
        """Yield a violation if a value is too low or too high."""
        key, low, high = type_.sort_key(stored), self.minimum, self.maximum
        if low is not None and key < type_.sort_key(low):
            show = show_value(type_, formats)
            yield Violation(RANGE_ISSUE, self._too_low(show(stored), show))
        if high is not None and key > type_.sort_key(high):
            show = show_value(type_, formats)
            yield Violation(RANGE_ISSUE, self._too_high(show(stored), show))

    def _too_low(self, value: str, show: Callable[[Any], str]) -> Message:
        if self.maximum is None:
            return _("{value} is too low. The minimum is {minimum}.", value=value, minimum=show(self.minimum))
        return _(
            "{value} is too low. Use a value from {minimum} to {maximum}.",
            value=value,
            minimum=show(self.minimum),
            maximum=show(self.maximum),
        )

    def _too_high(self, value: str, show: Callable[[Any], str]) -> Message:
        if self.minimum is None:
            return _(
                "{value} is too high. The maximum is {maximum}.", value=value, maximum=show(self.maximum)
            )
        return _(
            "{value} is too high. Use a value from {minimum} to {maximum}.",
            value=value,
            minimum=show(self.minimum),
            maximum=show(self.maximum),
        )


def show_value(type_: AttributeType, formats: Formats | None) -> Callable[[Any], str]:
    """Return a function that writes a stored value for a message: in `formats`, or as stored if None."""
    return str if formats is None else partial(type_.display, formats=formats)
