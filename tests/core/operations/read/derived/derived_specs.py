"""Specifications of derived attributes: in the model language, and in plain Python."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from stratabase.core.model.types.operators import Aggregate

Values = list[Any]


@dataclass(frozen=True)
class DerivedSpec:
    """A derived attribute. `meaning` computes its value from the values at the ends of its paths."""

    name: str
    type: str
    text: str
    """The arguments of `@derived`."""
    paths: tuple[tuple[str, ...], ...]
    meaning: Callable[..., Any]
    """Computes the value from lists of the values at the end of each path, including nulls."""

    def __str__(self) -> str:
        return f"{self.name}: {self.type} @derived({self.text})"


@dataclass(frozen=True)
class Template:
    """An expression over operands with types. An operand of the type "role" is an object."""

    type: str
    text: str
    operands: tuple[str, ...]
    value: Callable[..., Any]


def _strict(calculate: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is null if any argument is null."""
    return lambda *operands: None if None in operands else calculate(*operands)


def _int(number: int) -> int | None:
    return number if -(2**31) <= number < 2**31 else None


CALLER = "ada"
TEMPLATES = (
    Template("Int", "{} + {}", ("Int", "Int"), _strict(lambda a, b: _int(a + b))),
    Template("Int", "firstNotNull({}, -1)", ("Int",), lambda a: -1 if a is None else a),
    Template("Int", "{} ? {} : 0", ("Boolean", "Int"), lambda a, b: b if a else 0),
    Template("Real", "{} * 0.5", ("Real",), _strict(lambda a: a / 2)),
    Template("Real", "{} - 0.25", ("Int",), _strict(lambda a: Decimal(a) - Decimal("0.25"))),
    Template("String", "{} + '!'", ("String",), _strict(lambda a: a + "!")),
    Template("String", "concat({}, caller.username)", ("Int",), _strict(lambda a: f"{a}{CALLER}")),
    Template("Boolean", "{} > 1", ("Int",), _strict(lambda a: a > 1)),
    Template("Boolean", "isNull({})", ("role",), lambda a: a is None),
    Template("Boolean", "isNull({})", ("String",), lambda a: a is None),
)


def template(text: str, *operands: str) -> Template:
    """Return the template with a text. The operand types select one of several with that text."""
    return next(each for each in TEMPLATES if each.text == text and operands in {(), each.operands})


def plain(name: str, template: Template, paths: tuple[tuple[str, ...], ...]) -> DerivedSpec:
    """Return an attribute that is an expression over to-one paths."""
    written = template.text.format(*(".".join(path) for path in paths))

    def meaning(*found: Values) -> Any:
        return template.value(*(values[0] if values else None for values in found))

    return DerivedSpec(name, template.type, f'expression: "{written}"', paths, meaning)


def followed(name: str, type_: str, path: tuple[str, ...]) -> DerivedSpec:
    """Return an attribute at the end of a path of to-one roles."""
    return DerivedSpec(
        name, type_, f'path: "{".".join(path)}"', (path,), lambda found: found[0] if found else None
    )


def aggregated(name: str, aggregate: Aggregate, type_: str, path: tuple[str, ...]) -> DerivedSpec:
    """Return an attribute that is an aggregate. `type_` is the type at the end of the path."""
    result = {Aggregate.COUNT: "Int", Aggregate.AVG: "Real"}.get(aggregate, type_)
    text = f'path: "{".".join(path)}", aggregate: {aggregate.name}'
    nothing = Decimal(0) if type_ == "Real" else 0
    return DerivedSpec(
        name, result, text, (path,), lambda found: _AGGREGATES[aggregate](_there(found), nothing)
    )


def _there(values: Values) -> Values:
    return [value for value in values if value is not None]


_AGGREGATES: dict[Aggregate, Callable[[Values, Any], Any]] = {
    Aggregate.COUNT: lambda values, _: len(values),
    Aggregate.SUM: sum,
    Aggregate.MIN: lambda values, _: min(values, default=None),
    Aggregate.MAX: lambda values, _: max(values, default=None),
    Aggregate.AVG: lambda values, nothing: Decimal(sum(values, nothing)) / len(values) if values else None,
}
