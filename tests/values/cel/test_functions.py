"""The functions, with typical and extreme arguments."""

from stratabase.values.cel.expression import FUNCTIONS
from tests.rows import each_row
from tests.values.cel.evaluation import value

VALUES: dict[str, object] = {
    "concat(name, ' ', count, ' ', price, ' ', good, ' ', day)": "Ada 3 1.5 true 2020-02-29",
    "concat(colour, hour, moment)": "RED18:30:00.0002020-01-31T23:30:00.000Z",
    "concat('a')": "a",
    "lower('ÀÉ')": "àé",
    "upper('straße')": "STRASSE",
    "name.upper()": "ADA",
    "trim('  a b\\n')": "a b",
    "size('é😀')": 2,
    "name.size()": 3,
    "size(colour)": 3,
    "size([1, missing])": 2,
    "name.contains('d')": True,
    "contains(name, 'D')": False,
    "name.contains('')": True,
    "name.startsWith('A')": True,
    "name.endsWith('A')": False,
    "colour.startsWith('R')": True,
    "round(2.345, 2)": "2.35",
    "round(2.344, 2)": "2.34",
    "round(-2.345, 2)": "-2.35",
    "round(2.5)": "3",
    "round(-2.5)": "-3",
    "round(0.4)": "0",
    "round(price, 5)": "1.5",
    "round(1250, -2)": "1300",
    "round(49, -2)": "0",
    "round(50, -2)": "100",
    "round(price, 9223372036854775807)": "1.5",
    "round(price, -9223372036854775808)": "0",
    "round(99999999999999999999999999999999999999.0, -1)": "1E+38",
    "round(9.9e125, -125)": None,
    "round(0.0, -3)": "0",
    "int(3.99)": 3,
    "int(-3.99)": -3,
    "int(count)": 3,
    "int('-12')": -12,
    "int('+12')": 12,
    "int('1.5')": None,
    "int(' 1')": None,
    "int('9223372036854775808')": None,
    "int(9223372036854775807.9)": 9223372036854775807,
    "int(9223372036854775808.0)": None,
    "int(1e125)": None,
    "double(3)": "3",
    "double('1.50')": "1.5",
    "double('x')": None,
    "double('1e999')": None,
    "bool('true')": True,
    "bool('FALSE')": False,
    "bool('yes')": None,
    "bool(good)": True,
    "string(3)": "3",
    "string(-0.50)": "-0.5",
    "string(1e40)": "1E+40",
    "string(1.0)": "1",
    "string(bad)": "false",
    "string(colour)": "RED",
    "string(day)": "2020-02-29",
    "[1, 2, 3].all(x, x > 0)": True,
    "[1, 2, 3].all(x, x > 1)": False,
    "[1, 2, 3].exists(x, x == count)": True,
    "[1, 2, 3].exists_one(x, x > 2)": True,
    "[1, 2, 3].exists_one(x, x > 1)": False,
    "[1, 2, 3].filter(x, x % 2 == 1)": (1, 3),
    "[1, 2, 3].map(x, x * count)": (3, 6, 9),
    "[1, 2, 3].map(x, x > 1, string(x))": ("2", "3"),
    "['a', name].map(name, size(name))": (1, 3),
    "[1, 2].map(x, [x, 10].exists(x, x > 5)).all(y, y)": True,
    "[1, 2].all(x, [3, 4].all(y, [x, y].exists(z, z == x) && x < y))": True,
    "[1, 2].filter(x, x > 1).map(x, x + 1)[0]": 3,
    "['RED', 'BLUE'].exists(c, c == colour)": True,
}
MATCHES: dict[str, object] = {
    "name.matches('d')": True,
    "name.matches('^d')": False,
    "matches(name, '^[A-Z][a-z]+$')": True,
    "name.matches('')": True,
    "nick.matches(r'^\\w+ \\w$')": True,
    "'è'.matches(r'^\\p{L}$')": True,
    "name.matches('(?i)ADA')": True,
    "name.matches('A' + 'd')": True,
    "[name, nick].exists(x, x.matches(' '))": True,
}


@each_row(("text", "wanted"), (VALUES | MATCHES).items())
def test_each_function_returns_its_value(text: str, wanted: object) -> None:
    found = value(text)
    assert found == wanted
    assert type(found) is type(wanted)


def test_every_function_has_a_test_case() -> None:
    """The tables of these tests leave none out."""
    tried = " ".join([*VALUES, *MATCHES])
    elsewhere = {"isNull", "firstNotNull", "has"} | {
        "date",
        "time",
        "datetime",
        "today",
        "now",
        "year",
        "month",
        "day",
        "dateDiff",
    }
    assert [name for name in FUNCTIONS if name not in elsewhere and f"{name}(" not in tried] == []


@each_row("name", FUNCTIONS)
def test_every_function_has_a_usage_text(name: str) -> None:
    function = FUNCTIONS[name]
    assert function.name == name
    assert f"{name}(" in function.usage
