"""A model's expressions are parsed once and cached, and their dependencies are known."""

import subprocess
import sys

import pytest

from stratabase.core.model.dependencies import (
    all_dependencies,
    derivation_order,
    direct_dependencies,
    fields_on_paths,
)
from stratabase.core.model.model_expressions import ModelExpressions, expressions_of
from stratabase.core.model.reading import read_model
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.syntax import InvalidExpression
from tests.rows import each_row
from tests.values.cel.evaluation import MODEL, environment

HEAD = 'extend schema @application(name: "A")\n'


def test_the_expressions_of_a_model_are_cached() -> None:
    thing = MODEL.classes["Thing"]
    assert expressions_of(MODEL) is expressions_of(MODEL)
    total = expressions_of(MODEL).derived("Thing", thing.attributes["total"])
    assert total is expressions_of(MODEL).derived("Thing", thing.attributes["total"])
    assert expressions_of(MODEL).derived("Thing", thing.attributes["price"]) is None
    assert expressions_of(MODEL).derived("Shelf", MODEL.classes["Shelf"].attributes["stock"]) is None
    assert expressions_of(MODEL).condition("Thing", "good") is expressions_of(MODEL).condition(
        "Thing", "good"
    )


def test_each_model_has_its_own_expressions() -> None:
    models = [read_model(HEAD + "type A { x: Int }", "m") for _ in range(10)]
    assert all(expressions_of(model).model is model for model in models * 2)


def test_an_expression_reports_the_members_that_it_reads() -> None:
    read = ModelExpressions(MODEL).condition(
        "Thing", "good && shelf.above.name == caller.email || isNull(shelf) && [1].all(name, name > 0)"
    )
    assert read.paths == {("good",), ("shelf", "above", "name"), ("shelf",)}
    assert read.caller_fields == {"email"}


@each_row(
    ("type_", "text", "wanted"),
    [
        ("Int", "2147483647 + 0 * count", 2147483647),
        ("Int", "2147483648 + 0 * count", None),
        ("Real", "count", "3"),
        ("Real", "price", "1.5"),
        ("Real", "bad ? 1.5 : null", None),
        ("Year", "count + 2000", 2003),
        ("Year", "-count", None),
        ("E", "good ? 'F' : 'G'", "F"),
        ("String", "name", "Ada"),
        ("Date", "day", "2020-02-29"),
        ("Boolean", "good", True),
    ],
)
def test_a_derived_value_outside_the_range_of_its_type_is_null(type_: str, text: str, wanted: object) -> None:
    """A number that is larger than the type is not a value of it."""
    written = (
        f"{HEAD} type A {{ count: Int price: Real good: Boolean bad: Boolean name: String day: Date "
        f'y: {type_} @derived(expression: "{text}") }} enum E {{ F G }}'
    )
    model = read_model(written, "m")
    read = expressions_of(model).derived("A", model.classes["A"].attributes["y"])
    assert read is not None
    assert read.evaluate(environment()) == wanted


def test_errors_of_a_client_expression_are_reported() -> None:
    with pytest.raises(InvalidExpression) as caught:
        ModelExpressions(MODEL).filter("Thing", "nam == 'x' && count")
    assert str(caught.value) == (
        'at character 1: Thing has no attribute or role "nam". Did you mean "name"?\n'
        "at character 15: Each side of && must be Boolean, but this is Int."
    )


def test_the_dependencies_of_derived_attributes_are_found() -> None:
    shelf = MODEL.classes["Shelf"].attributes
    assert direct_dependencies(MODEL, "Shelf", shelf["label"]) == {("Shelf", "name"), ("Shelf", "above")}
    assert direct_dependencies(MODEL, "Shelf", shelf["stock"]) == {("Shelf", "things")}
    assert direct_dependencies(MODEL, "Shelf", shelf["name"]) == frozenset()
    assert fields_on_paths(MODEL, "Thing", [("shelf", "label"), ("_id",)]) == {
        ("Thing", "shelf"),
        ("Shelf", "label"),
    }
    assert all_dependencies(MODEL, "Thing", [("shelf", "label"), ("total",)]) == {
        ("Thing", "shelf"),
        ("Thing", "total"),
        ("Thing", "price"),
        ("Thing", "count"),
        ("Shelf", "label"),
        ("Shelf", "name"),
        ("Shelf", "above"),
    }


def test_derived_attributes_are_ordered_by_dependency() -> None:
    """The dependencies may lead to another class and back."""
    model = read_model(
        HEAD
        + """
        type Team {
          size: Int @derived(path: "members", aggregate: COUNT)
          doubled: Int @derived(expression: "size * 2")
          oldest: Int @derived(path: "members.age", aggregate: MAX)
          members: [Person!] @association(opposite: "team")
        }
        type Person {
          born: Int
          age: Int @derived(expression: "2020 - born")
          share: Real @derived(expression: "1.0 / team.doubled")
          is_oldest: Boolean @derived(expression: "age == team.oldest")
          team: Team @association(opposite: "members")
        }""",
        "m",
    )
    found = derivation_order(model)
    assert len(found) == 6
    for class_name, name in found:
        before = found[: found.index((class_name, name))]
        attribute = model.classes[class_name].attributes[name]
        assert direct_dependencies(model, class_name, attribute) & set(found) <= set(before)


@each_row(
    ("attribute", "imported"),
    [("y: Int", []), ('y: Int @derived(expression: "x + 1")', ["lark"])],
)
def test_the_parser_is_loaded_lazily(attribute: str, imported: list[str]) -> None:
    program = (
        "import sys; from stratabase.core.model.reading import read_model;"
        f"read_model({HEAD + 'type A { x: Int ' + attribute + ' }'!r}, 'm');"
        "print(*[name for name in ('lark', 're2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == imported


def test_evaluations_in_one_environment_are_independent() -> None:
    """An item variable of one expression is unknown to another."""
    expressions, one = ModelExpressions(MODEL), Environment({"count": 2})
    inner = expressions.condition("Thing", "[1, 2].exists(x, x == count)")
    outer = expressions.condition("Thing", "[5, 6].all(x, [1, 2].exists(y, y == count) && x > 4)")
    assert [inner.holds(one), outer.holds(one), inner.holds(one)] == [True] * 3


FOLDED = read_model(
    """
    extend schema @application(name: "Folded")
    type A {
      name: String @text(compare: FOLDED) nick: String @text(compare: FOLDED_NO_ACCENTS) exact: String
    }
    """,
    "folded",
)
STATE = {"name": "Müller", "nick": "CAFÉ", "exact": "Ab", "_id": "x"}


@each_row(
    ("text", "holds"),
    [
        ("name == 'MÜLLER'", True),
        ("'MÜLLER' != name", False),
        ("name == 'MULLER'", False),
        ("nick == 'cafe'", True),
        ("name < 'MÜLLERA' && name > 'MÜLLE'", True),
        ("name in ['x', 'müller']", True),
        ("'mÜller' in [exact, name]", True),
        ("[exact, name].exists(x, x == 'MÜLLER')", True),
        ("[exact, name].map(x, x)[1] == 'MÜLLER'", True),
        ("['MÜLLER'].exists(x, x == name)", True),
        ("[name] == ['MÜLLER']", True),
        ("firstNotNull(name, exact) == 'MÜLLER'", True),
        ("(exact == 'x' ? exact : name) == 'MÜLLER'", True),
        ("name.startsWith('MÜ') && name.endsWith('LER') && name.contains('ÜLL')", True),
        ("nick.contains('afe')", True),
        ("exact == 'ab'", False),
        ("name + '' == 'müller'", False),
        ("lower(name) == 'MÜLLER'", False),
        ("name.matches('müller')", False),
        ("nick == name || size(name) != 6", False),
    ],
)
def test_an_attribute_that_folds_its_texts_is_compared_in_this_way(text: str, holds: bool) -> None:
    assert expressions_of(FOLDED).filter("A", text).holds(Environment(STATE)) is holds


def test_folding_long_texts_uses_up_the_cost_limit() -> None:
    long = {**STATE, "name": "é" * 1_000_000}
    condition = expressions_of(FOLDED).filter("A", "name == name || name != 'x'")
    assert not condition.holds(Environment(long))
