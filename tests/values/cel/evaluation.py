"""A small model, an object of it, and functions that evaluate expressions over the object."""

from collections.abc import Mapping
from datetime import UTC, tzinfo
from typing import Any

from stratabase.core.model.model_expressions import ModelSymbols, evaluation_context
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import AttributeType, Stored
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.expression import Expression, compile_expression
from stratabase.values.cel.scope import Scope
from stratabase.values.cel.syntax import InvalidExpression

MODEL = read_model(
    """
    extend schema @application(name: "Shop")

    type Thing @class(platform: [CREATED_BY, CREATED_ON]) {
      name: String nick: String notes: Text count: Int other: Int price: Real cost: Real
      good: Boolean bad: Boolean day: Date hour: Time moment: Datetime vintage: Year badge: Serial
      picture: File colour: Colour shade: Shade missing: Int lost: Real unclear: Boolean gone: String
      total: Real @derived(expression: "price * count")
      shelf: Shelf @association(opposite: "things")
      labels: [Label!] @composition
    }
    type Shelf {
      name: String place: String stock: Int @derived(path: "things", aggregate: COUNT)
      label: String @derived(expression: "concat(name, '/', above.name)")
      things: [Thing!] @association(opposite: "shelf")
      above: Shelf @association(opposite: "below", holds: true)
      below: Shelf @association(opposite: "above")
    }
    type Label { text: String caller: Shelf }
    type Ring { caller: String }
    enum Colour { RED GREEN BLUE }
    enum Shade { DARK LIGHT }
    """,
    "world.graphql",
)
NAMES = ModelSymbols(MODEL)
OBJECT: Mapping[str, Stored] = {
    "_id": "t1",
    "name": "Ada",
    "nick": "ada l",
    "count": 3,
    "other": -7,
    "price": "1.5",
    "cost": "0.25",
    "good": True,
    "bad": False,
    "day": "2020-02-29",
    "hour": "18:30:00.000",
    "moment": "2020-01-31T23:30:00.000Z",
    "vintage": 1999,
    "badge": 12,
    "picture": {"name": "a.png"},
    "colour": "RED",
    "total": "4.5",
    "_createdby": "ada",
    "_createdon": "2020-01-01T00:00:00.000Z",
}
"""What it lacks is null: missing, lost, unclear, gone, notes, shade."""
REACHED: Mapping[tuple[str, ...], Mapping[str, Stored] | None] = {
    ("shelf",): {"_id": "s1", "name": "Left", "stock": 4},
    ("shelf", "above"): {"_id": "s2", "name": "Top"},
    ("shelf", "above", "above"): None,
}
CALLER = {"id": "m1", "username": "ada", "email": "ada@example.com", "profile": "Member", "language": "it"}
NOW = 1_583_020_800_000
"""2020-03-01 at midnight, UTC."""


def expression(
    text: str, class_name: str = "Thing", *, roles: bool = True, wanted: AttributeType | None = None
) -> Expression:
    """Return an expression over a class."""
    return compile_expression(text, Scope(NAMES, class_name, roles), wanted)


def environment(values: Mapping[str, Stored] = OBJECT, zone: tzinfo = UTC) -> Environment:
    """Return an environment of an object, which stands on a shelf that is below another."""
    return Environment(values, evaluation_context(CALLER, NOW, zone), REACHED)


def value(text: str, zone: tzinfo = UTC) -> Any:
    """Return the value of an expression for the object."""
    return expression(text).evaluate(environment(zone=zone))


def mistakes(text: str, class_name: str = "Thing", **how: Any) -> list[tuple[int, str]]:
    """Return the position and the message of each mistake in an expression."""
    try:
        expression(text, class_name, **how)
    except InvalidExpression as refusal:
        return [(one.at, str(one)) for one in refusal.errors]
    return []
