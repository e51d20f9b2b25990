"""Each attribute type has all that the packages ask of it, and what it says about itself is true.

A type that lacks something fails here, wherever the missing part is used: the model language, the API, the
store, expressions, changes of a model, CSV files, or the documentation.
"""

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLNamedType, is_input_type, is_output_type

from stratabase.core.domain.query.aggregate import aggregator_for
from stratabase.core.model.api_names import GeneratedType, filter_field, type_name
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.language import language_text
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import evaluation_context, expressions_of
from stratabase.core.model.reading import read_model
from stratabase.core.model.types import TYPES
from stratabase.core.model.types.base import MAPPING_STORAGE, AttributeType, text_of
from stratabase.core.model.types.operators import ORDER_AGGREGATES, RESULT_TYPES, Aggregate, Operator
from stratabase.core.schema.generate import generate_schema
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.core.store.layout.access_path import (
    Column,
    parse_columns,
    serialize_columns,
    serialize_readings,
)
from stratabase.transfer.csv.cells import CellFormats, with_quote
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.kinds import INT, TEXT
from stratabase.values.formats.date_fields import DatePart
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import DEFAULT_FORMATS, ISO_FORMAT, Formats
from tests.attribute_values import ALL_TYPES, EXAMPLES
from tests.core.schema.random_answers.models import ATTRIBUTES
from tests.rows import each_row

ROOT = Path(__file__).parents[3]
WRITTEN = [name for name, type_ in ALL_TYPES.items() if not (type_.numbered or type_.holds_file)]
"""The types whose values clients write as JSON."""
OF_ANY_TYPE: Mapping[type, list[Any]] = {
    str: ["", " ", "x", "42", "-1", "\0", "é", "=1", "2020-01-01", *(["a" * 300])],
    int: [-(2**70), -1, 0, 2020, 2**70],
    bool: [False, True],
    dict: [{}, {"name": "a"}],
}
"""By Python type: values, some of which many types refuse."""
ITALIAN = CellFormats(Formats("dd/MM/yyyy", "HH.mm", language="it"), ",", ".", frozenset(DatePart))


@pytest.fixture(scope="module")
def model() -> Model:
    """A model with an attribute of each type, and one that is derived from it if it can be."""
    lines = []
    for name in ALL_TYPES:
        lines.append(f"of_{name}: {name}")
        if name in WRITTEN:
            lines.append(f'copy_of_{name}: {name} @derived(expression: "of_{name}")')
    return read_model(
        'extend schema @application(name: "Every")\n'
        f"enum E {{ X Y }}\nenum F {{ X Z }}\ntype Thing {{\n{chr(10).join(lines)}\n}}",
        "every",
    )


def test_each_type_has_example_values() -> None:
    assert EXAMPLES.keys() == ALL_TYPES.keys()
    assert set(ATTRIBUTES.values()) >= TYPES.keys(), "random models have attributes of each type"
    assert all(len(each.stored) > 1 and each.refused for each in EXAMPLES.values())


@each_row("name", TYPES)
def test_the_language_and_the_documentation_have_each_type(name: str) -> None:
    own = f"\nscalar {name}\n" in language_text()
    assert own == (TYPES[name].model_description is not None)
    assert own or name in {"String", "Int", "Boolean"}
    assert f"`{name}`" in (ROOT / "docs/model.md").read_text(encoding="utf-8")


@each_row("name", ALL_TYPES)
def test_the_api_has_each_type(model: Model, name: str) -> None:
    schema, registry = generate_schema(model), TypeRegistry(model, {})
    attribute = model.classes["Thing"].attributes[f"of_{name}"]
    output, operand = registry.output_type(attribute), registry.input_type(attribute)
    assert is_output_type(output)
    assert is_input_type(operand)
    assert isinstance(output, GraphQLNamedType)
    assert output.description or name in {"E", "F"}
    filters: Any = schema.type_map[type_name("Thing", GeneratedType.FILTER)]
    for operator in Operator:
        is_offered = filter_field(attribute.name, operator) in filters.fields
        assert is_offered == (operator in attribute.type.operators)


def test_front_ends_learn_the_json_of_each_scalar() -> None:
    """The scalars of the recipe for TypeScript are those of the API, with the types that their JSON has."""
    recipe = json.loads((ROOT / "tests/clients/recipes/codegen.json").read_text(encoding="utf-8"))
    (generated,) = recipe["generates"].values()
    scalars = dict(generated["config"]["scalars"])
    assert (scalars.pop("ID"), scalars.pop("Cursor")) == ("string", "string")
    expected = dict[str, Any]()
    for name, type_ in TYPES.items():
        if type_.api_description is not None:
            shown = type_.serializer("default", DEFAULT_FORMATS)(EXAMPLES[name].stored[0])
            output = {str: "string", int: "number", bool: "boolean"}[type(shown)]
            either = type_.numbers is not None and output == "string"
            expected[name] = {"input": "number | string", "output": output} if either else output
    assert scalars == expected


@each_row("name", ALL_TYPES)
def test_stored_values_are_read_as_they_are(name: str) -> None:
    type_ = ALL_TYPES[name]
    for stored in EXAMPLES[name].stored:
        assert type(stored) is type_.storage.python_type
        assert type_.storage.accepts(stored)
        assert type_.read_stored(stored) == stored
        text = text_of(stored)
        assert text is None or type_.value_of(text) == stored
        assert type_.display(stored, DEFAULT_FORMATS)


SPELLINGS = (
    "20200101",
    "2020-W01-1",
    "2020-02-30",
    "2020-1-1",
    "0000-01-01",
    "12-01-2020",
    "\u0662020-01-01",
    "01",
    "+1",
    "1.50",
)
"""Texts that a type could take for values of its own, although they are no stored ones."""


@each_row("name", ALL_TYPES)
def test_a_value_is_its_own_if_it_is_read_as_it_is(name: str) -> None:
    type_ = ALL_TYPES[name]
    python_type = type_.storage.python_type
    more = SPELLINGS if python_type is str else (-(2**31), 2**31 - 1, 2**31) if python_type is int else ()
    for raw in (*EXAMPLES[name].stored, *OF_ANY_TYPE[python_type], *more):
        assert type_.is_own_value(raw) is (type_.read_stored(raw) == raw), raw


@each_row("name", ALL_TYPES)
def test_values_and_their_index_texts_have_the_same_order(name: str) -> None:
    type_ = ALL_TYPES[name]
    field = type_.order_field
    keys = [type_.sort_key(stored) if field is None else stored[field] for stored in EXAMPLES[name].stored]
    assert all(one < other for one, other in pairwise(keys))
    if type_.indexable:
        texts = [type_.storage.index_text(stored) for stored in EXAMPLES[name].stored]
        assert all(one < other for one, other in pairwise(texts))
        read = type_.storage.from_index_text
        assert (read is None) is (type_.folding is not None)
        assert read is None or [*map(read, texts)] == [*EXAMPLES[name].stored]


@each_row("name", WRITTEN)
@each_row("formats", [DEFAULT_FORMATS, Formats("dd.MM.yyyy", "HH:mm:ss.SSS", "Europe/Rome", "it")])
def test_clients_can_send_what_they_get(name: str, formats: Formats) -> None:
    type_ = ALL_TYPES[name]
    for pattern in ("default", ISO_FORMAT):
        write = type_.serializer(pattern, formats)
        for stored in EXAMPLES[name].stored:
            shown = write(stored)
            assert type_.has_serializer or shown == stored
            # The default formats show no seconds, and no year before 1900 in a zone is certain.
            assert pattern == "default" or type_.read(shown, formats) == stored


@each_row("name", ALL_TYPES)
def test_what_is_no_value_is_refused(name: str) -> None:
    for value in EXAMPLES[name].refused:
        with pytest.raises(InvalidValue, match="Use"):
            ALL_TYPES[name].read(value, DEFAULT_FORMATS)


@each_row("name", ALL_TYPES)
def test_only_unrestricted_types_have_all_values_of_their_python_type(name: str) -> None:
    type_ = ALL_TYPES[name]
    values = [*OF_ANY_TYPE[type_.storage.python_type]]
    assert type_.unrestricted == all(type_.read_stored(value) == value for value in values)


@each_row("name", ALL_TYPES)
@each_row("other", ALL_TYPES)
def test_types_with_one_reading_read_the_same(name: str, other: str) -> None:
    """They share indexes, whose texts depend on the values alone."""
    one, another = ALL_TYPES[name], ALL_TYPES[other]
    if one.reading == another.reading and not {name, other} <= {"E", "F"}:  # columns also name their values
        for examples in EXAMPLES.values():
            for stored in examples.stored:
                assert one.read_stored(stored) == another.read_stored(stored)


@each_row("name", ALL_TYPES)
def test_an_index_is_stored_with_the_type_that_reads_it(name: str) -> None:
    type_ = ALL_TYPES[name]
    if type_.storage is MAPPING_STORAGE:
        return
    values = tuple(sorted(EXAMPLES[name].stored)) if name in {"E", "F"} else ()
    columns = (Column("a", type_.reading, values),)
    assert parse_columns(serialize_columns(columns), serialize_readings(columns)) == columns
    for stored in EXAMPLES[name].stored:
        assert columns[0].value({"a": stored}) == stored


@each_row("name", WRITTEN)
def test_expressions_read_and_make_values(model: Model, name: str) -> None:
    """What an expression makes of a text that is not a value is null."""
    copy = model.classes["Thing"].attributes[f"copy_of_{name}"]
    expression = expressions_of(model).derived("Thing", copy)
    assert expression is not None
    context = evaluation_context({})
    for stored in EXAMPLES[name].stored:
        assert expression.evaluate(Environment({f"of_{name}": stored}, context, {})) == stored
    assert expression.evaluate(Environment({f"of_{name}": None}, context, {})) is None
    if copy.type.kind in {INT, TEXT}:
        for value in OF_ANY_TYPE[copy.type.storage.python_type]:
            made = expression.evaluate(Environment({f"of_{name}": value}, context, {}))
            assert made == copy.type.read_stored(value)


@each_row("aggregate", Aggregate)
def test_each_aggregate_has_types_and_a_result(aggregate: Aggregate) -> None:
    types = [type_ for type_ in ALL_TYPES.values() if aggregate in type_.aggregates]
    assert types
    assert f"  {aggregate.value}\n" in language_text()
    for type_ in types:
        result = TYPES.get(RESULT_TYPES.get(aggregate, ""), type_)
        assert _aggregated(aggregate, type_, result, []) in {None, 0, "0"}


@each_row("name", ALL_TYPES)
def test_each_type_computes_its_aggregates(name: str) -> None:
    type_ = ALL_TYPES[name]
    assert Aggregate.COUNT in type_.aggregates
    assert {Aggregate.SUM in type_.aggregates, Aggregate.AVG in type_.aggregates} == {bool(type_.sum_types)}
    first, *_, last = EXAMPLES[name].stored
    if type_.aggregates >= ORDER_AGGREGATES:
        assert _aggregated(Aggregate.MIN, type_, type_, [last, None, first]) == first
        assert _aggregated(Aggregate.MAX, type_, type_, [first, None, last]) == last
    for result in type_.sum_types:
        assert _aggregated(Aggregate.SUM, type_, TYPES[result], [first, first]) is not None or first < 0


def _aggregated(aggregate: Aggregate, type_: AttributeType, result: AttributeType, values: list[Any]) -> Any:
    aggregator = aggregator_for(aggregate, type_, result)
    return aggregator.result(aggregator.combine(map(aggregator.start, values)))


@each_row("name", WRITTEN)
@each_row("cells", [CellFormats(), ITALIAN, CellFormats(keeps_formulas=True)])
def test_a_csv_file_gives_values_back(name: str, cells: CellFormats) -> None:
    type_ = ALL_TYPES[name]
    write, read = cells.writer(type_), cells.reader(type_)
    assert write(None) == ""
    for stored in EXAMPLES[name].stored:
        cell = write(stored)
        assert cell
        assert type_.read(read(cell), cells.formats) == stored
        assert cells.keeps_formulas or with_quote(cell) == cell or cell.startswith("'"), "a formula"


@each_row("name", TYPES)
def test_the_page_about_changes_of_types_is_complete(name: str) -> None:
    """Which texts a type reads is said for each type that reads any."""
    type_ = TYPES[name]
    assert (type_.readable_texts is None) == type_.holds_file
    assert type_.unlike.keys() <= TYPES.keys()
    assert type_.name not in type_.foreign_names


def test_an_attribute_of_each_type_can_be_built(model: Model) -> None:
    attributes: Mapping[str, Attribute] = model.classes["Thing"].attributes
    assert {each.type.name for each in attributes.values()} == ALL_TYPES.keys()
