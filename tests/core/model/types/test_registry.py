"""The registry contains every type of the model language, with its operators and restrictions."""

from typing import Any

import pytest

from stratabase.core.model.constraints import constraints_for
from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.core.model.types.enumeration import EnumType
from stratabase.core.model.types.operators import (
    EQUALITY_OPERATORS,
    MEMBERSHIP_OPERATORS,
    ORDER_OPERATORS,
    TEXT_OPERATORS,
    Operator,
)
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS
from tests.rows import each_row

NUMBERS = EQUALITY_OPERATORS | ORDER_OPERATORS | MEMBERSHIP_OPERATORS
BOUNDS = {"min", "max", "values"}
TEXTS = {"minLength", "maxLength", "pattern", "values", "email", "phone", "partitaIva", "codiceFiscale"}
COLOUR = EnumType("Colour", ["RED"])
EVERY = [*TYPES.values(), ID_TYPE, COLOUR]

HOSTILE: list[Any] = [
    [],
    {},
    [[[]]] * 1000,
    {"a": 1},
    float("nan"),
    float("inf"),
    -float("inf"),
    1e300,
    10**5000,
    -(10**5000),
    "9" * 5000,
    "\ud800",
    "\0",
    "1e999999999999999999999",
    "\uff11\uff12",
    "1_000",
    " 1",
    "0x10",
    "(" * 10_000,
]


@each_row(
    ("name", "operators", "restrictions", "formatted"),
    [
        ("String", NUMBERS | TEXT_OPERATORS, TEXTS, False),
        ("Text", NUMBERS | TEXT_OPERATORS, TEXTS, False),
        ("Int", NUMBERS, BOUNDS, False),
        ("Real", NUMBERS, BOUNDS | {"digits"}, True),
        ("Boolean", EQUALITY_OPERATORS, set(), False),
        ("Date", NUMBERS, BOUNDS, True),
        ("Time", NUMBERS, BOUNDS, True),
        ("Datetime", NUMBERS, BOUNDS, True),
        ("Year", NUMBERS, BOUNDS, False),
        ("Serial", NUMBERS, set(), False),
        ("File", EQUALITY_OPERATORS, set(), False),
    ],
)
def test_each_type_has_the_operators_and_restrictions_of_the_contract(
    name: str, operators: set[Operator], restrictions: set[str], formatted: bool
) -> None:
    """See section 3 of the API contract."""
    type_ = TYPES[name]
    assert type_.name == name
    assert type_.operators == operators
    assert {name for each in constraints_for(type_) for name in each.arguments} == restrictions
    assert type_.takes_format == formatted


def test_the_registry_has_no_other_types() -> None:
    """`ID` is not an attribute's type, and enums are the model's own."""
    assert len(TYPES) == 11
    assert (ID_TYPE.name, ID_TYPE.operators) == ("ID", NUMBERS)
    assert (COLOUR.name, COLOUR.operators) == ("Colour", EQUALITY_OPERATORS | MEMBERSHIP_OPERATORS)


@each_row("type_", EVERY)
@each_row("number", range(len(HOSTILE)))
def test_no_type_crashes_on_any_value(type_: Any, number: int) -> None:
    """Any JSON value is either parsed, or refused with a short message."""
    try:
        type_.read(HOSTILE[number], DEFAULT_FORMATS)
    except InvalidValue as refusal:
        assert len(str(refusal).encode()) < 400  # noqa: PT017 - it may as well be read


@each_row("type_", EVERY)
@each_row("value", [[], {}, [1]])
def test_lists_and_objects_are_refused(type_: Any, value: Any) -> None:
    """A list or an object is not a value of any type, but for the object that a file is."""
    with pytest.raises(InvalidValue, match=r"\. Use "):
        type_.read(value, DEFAULT_FORMATS)
