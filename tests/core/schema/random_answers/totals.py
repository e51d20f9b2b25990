"""Documents that ask for totals, and the totals of objects as simple code computes them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from stratabase.core.model.model import Class
from tests.core.domain.query.naive import folded

_VALUES: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("Int", "Year", "Serial"), int),
    "Real": Decimal,
    **dict.fromkeys(("Boolean", "Date", "Time", "Datetime", "String", "Colour"), lambda value: value),
}
"""By type with totals: from what answers show to values that have the right order. Dates are in ISO 8601."""
_SUMMED = {"Int", "Year", "Real"}
_ORDERED = {"Int", "Year", "Real", "Serial", "Date", "Time", "Datetime", "String"}
_GROUPED = {"Boolean", "Colour", "String", "Int", "Year", "Serial", "Date"}
_FORMATTED = {"Date", "Time", "Datetime"}
_BUCKETS: Mapping[str, Callable[[str], str]] = {
    "YEAR": lambda text: text[:4],
    "QUARTER": lambda text: f"{text[:4]}-Q{(int(text[5:7]) - 1) // 3 + 1}",
    "MONTH": lambda text: text[:7],
    "WEEK": lambda text: "{:04}-W{:02}".format(*date.fromisoformat(text[:10]).isocalendar()),
    "DAY": lambda text: text[:10],
    "HOUR": lambda text: text[:13],
}
_DIGITS = Context(prec=38, rounding=ROUND_HALF_EVEN)
_MANY = Context(prec=400)


class Column(NamedTuple):
    """An attribute or a to-one role with totals. A role has no type."""

    name: str
    type: str | None
    class_: Class

    @property
    def field(self) -> str:
        """The field that shows the value of an object."""
        if self.type is None:
            return f"{self.name} {{ _id }}"
        return f'{self.name}(format: "iso")' if self.type in _FORMATTED else self.name

    @property
    def totals(self) -> str:
        """The field that shows the totals."""
        own = ["countDistinct"]
        shown = '(format: "iso")' if self.type in _FORMATTED else ""
        own += [f"min{shown}", f"max{shown}"] if self.type in _ORDERED else []
        own += ["sum", "avg"] if self.type in _SUMMED else []
        return f"{self.name} {{ {' '.join(own)} }}"

    @property
    def keys(self) -> Sequence[str]:
        """The names of the keys for groups."""
        plain = [self.name] if self.type is None or self.type in _GROUPED else []
        buckets = [each for each in _BUCKETS if self.type == "Datetime" or each != "HOUR"]
        return [*plain, *(f"{self.name}___{each}" for each in buckets if self.type in {"Date", "Datetime"})]

    def value(self, item: Mapping[str, Any]) -> Any:
        """Return the value of an object in an answer, as it is compared."""
        shown = item[self.name]
        if shown is None:
            return None
        return shown["_id"] if self.type is None else _VALUES[self.type](shown)

    def compared(self, value: Any) -> Any:
        """Return what is compared of a value."""
        return folded(self.class_, self.name, value)


def columns_of(class_: Class) -> list[Column]:
    """Return the columns of a class."""
    attributes = [Column(each.name, each.type.name, class_) for each in class_.attributes.values()]
    roles = [Column(each.name, None, class_) for each in class_.roles.values() if not each.many]
    return [*(each for each in attributes if each.type in _VALUES), *roles]


def totals_of(column: Column, items: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the totals of a column as answers show them."""
    values = [value for item in items if (value := column.value(item)) is not None]
    found: dict[str, Any] = {"countDistinct": len({*map(column.compared, values)})}
    if column.type in _ORDERED:
        shown: Callable[[Any], Any] = str if column.type in {"Real", "Serial"} else lambda value: value
        # Of equal texts, the code points decide.
        ordered = sorted(sorted(values), key=column.compared)
        found |= {name: shown(ordered[place]) if values else None for name, place in _EXTREMES.items()}
        if column.type == "Real":
            found |= {name: found[name] and _real(Fraction(Decimal(found[name]))) for name in _EXTREMES}
    if column.type in _SUMMED:
        total = sum(map(Fraction, values), Fraction(0))
        found["sum"] = _real(total) if values else None
        found["avg"] = _real(total / len(values)) if values else None
    return found


_EXTREMES = {"min": 0, "max": -1}
"""Their places among the values in order."""


def _real(number: Fraction) -> str:
    """Return a number with 38 digits, as the stored spelling of a Real."""
    exact = _DIGITS.divide(Decimal(number.numerator), Decimal(number.denominator))
    normal = exact.normalize(_MANY)
    return "0" if not normal else f"{normal:f}" if -38 <= normal.adjusted() < 38 else f"{normal:E}"


def key_of(key: str, columns: Mapping[str, Column], item: Mapping[str, Any]) -> Any:
    """Return a key of an object, by the name of the key."""
    name, _, bucket = key.partition("___")
    column = columns[name]
    value = column.value(item)
    return _BUCKETS[bucket](value) if bucket and value is not None else column.compared(value)


def folded_keys(class_: Class, keys: Sequence[str]) -> list[str]:
    """Return the keys that are compared after folding."""
    attributes = (class_.attributes.get(key) for key in keys)
    return [each.name for each in attributes if each is not None and each.type.folding is not None]


def random_keys(columns: Sequence[Column], chance: Random) -> list[str]:
    """Return one or two names of keys."""
    names = [key for each in columns for key in each.keys]
    return chance.sample(names, min(len(names), chance.choice([1, 1, 2])))


def rank(keys: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return what orders groups by their keys: null comes first."""
    return [() if each is None else (each,) for each in keys]
