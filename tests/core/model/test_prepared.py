"""A prepared model equals the model, and is valid only for the same text and product version."""

import subprocess
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest
from hypothesis import given, settings

from stratabase.core.model import prepared
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Model
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.prepared import Decoder, decode_model, encode
from stratabase.core.model.reading import read_model, read_model_file
from stratabase.core.model.stored_names import StoredNames
from stratabase.core.model.types.base import AttributeType
from stratabase.evolution.difference import diff_models
from stratabase.values.cel.parser import parse
from tests.everything_model import EVERYTHING
from tests.graphs.models import models
from tests.large_model import large_model
from tests.rows import each_row
from tests.service import SAMPLE_MODEL
from tests.soak import EXAMPLES
from tests.values.cel.cases import Case, cases

SAMPLE = read_model_file(SAMPLE_MODEL)
MODELS = {"sample": SAMPLE, "everything": EVERYTHING, "large": read_model(large_model(2), "large")}
TEXT = b"the text of the model"


def plain(value: Any) -> Any:
    """Return a piece of a model with types by their names: that of an enum equals no other."""
    if isinstance(value, AttributeType):
        return type(value).__name__, value.name
    if isinstance(value, MappingProxyType | dict):
        return [(name, plain(each)) for name, each in value.items()]
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if type(value) in prepared.NAMES and hasattr(value, "__dataclass_fields__"):
        return type(value), [plain(getattr(value, name)) for name in value.__dataclass_fields__]
    return value


@each_row("name", MODELS)
def test_a_prepared_model_equals_the_model_in_the_same_order(name: str) -> None:
    again = prepared.read_prepared(prepared.prepare(MODELS[name], TEXT), TEXT)

    assert again is not None
    assert diff_models(MODELS[name], again) == []
    assert plain(again) == plain(MODELS[name])


@settings(max_examples=EXAMPLES)
@given(models())
def test_a_random_prepared_model_equals_the_model(model: Model) -> None:
    assert plain(decode_model(orjson.loads(orjson.dumps(encode(model))))) == plain(model)


def test_attributes_of_one_enum_have_one_type() -> None:
    again = prepared.read_prepared(prepared.prepare(EVERYTHING, TEXT), TEXT)
    assert again is not None
    attributes = [each for class_ in again.classes.values() for each in class_.attributes.values()]
    assert len({id(each.type) for each in attributes}) == len({each.type.name for each in attributes})


@given(cases())
def test_the_tree_of_any_expression_is_restored(case: Case) -> None:
    tree = parse(case.text)
    assert Decoder().value(orjson.loads(orjson.dumps(encode(tree)))) == tree


SYNTAX = (
    "[1, 2][0]",
    "team.name",
    "-x",
    "!a",
    "[a].size() == 2u",
    "a ? b : c ? d : 1.5",
    "x in [null, true]",
)


@each_row("text", SYNTAX)
def test_the_tree_of_every_syntax_element_is_restored(text: str) -> None:
    tree = parse(text)
    assert Decoder().value(orjson.loads(orjson.dumps(encode(tree)))) == tree


def test_another_model_text_invalidates_a_prepared_model() -> None:
    assert prepared.read_prepared(prepared.prepare(SAMPLE, TEXT), TEXT + b" ") is None


def test_another_product_version_invalidates_a_prepared_model(monkeypatch: pytest.MonkeyPatch) -> None:
    content = prepared.prepare(SAMPLE, TEXT)
    monkeypatch.setattr(prepared, "__version__", "0.0.0")
    assert prepared.read_prepared(content, TEXT) is None


def test_another_layout_invalidates_a_prepared_model(monkeypatch: pytest.MonkeyPatch) -> None:
    content = prepared.prepare(SAMPLE, TEXT)
    fewer = {name: each for name, each in prepared.CLASSES.items() if each is not Attribute}
    monkeypatch.setattr(prepared, "CLASSES", fewer)
    prepared.layout_hash.cache_clear()
    try:
        assert prepared.read_prepared(content, TEXT) is None
    finally:
        prepared.layout_hash.cache_clear()


def test_a_model_prepared_with_another_pattern_engine_is_ignored() -> None:
    """Its patterns may need Python's engine, so they are checked again when the text is read."""
    content = orjson.loads(prepared.prepare(SAMPLE, TEXT))
    del content["patterns"]
    assert prepared.read_prepared(orjson.dumps(content), TEXT) is None


@each_row("content", [b"", b"{", b"null", b"[]", b"{}", b'{"product": 1}', b"\xff"])
def test_a_file_of_another_format_is_no_prepared_model(content: bytes) -> None:
    assert prepared.read_prepared(content, TEXT) is None


def test_a_truncated_file_is_no_prepared_model() -> None:
    content = prepared.prepare(SAMPLE, TEXT)
    assert prepared.read_prepared(content[: len(content) // 2], TEXT) is None


def test_the_prepared_model_is_written_beside_its_text() -> None:
    assert prepared.prepared_file(Path("/opt/model.graphql")) == Path("/opt/model.prepared.json")


STARTED_FROM = """
import sys
from pathlib import Path
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.app.app import load_model

model = load_model(Path(sys.argv[1]))
employee = model.classes["Employee"]
expression = expressions_of(model).derived("Employee", employee.attributes["full_name"])
print(expression.text, [name for name in ("lark", "stratabase.core.model.reading") if name in sys.modules])
"""


def test_a_start_from_a_prepared_model_parses_nothing(tmp_path: Path) -> None:
    model = tmp_path / "model.graphql"
    model.write_bytes(SAMPLE_MODEL.read_bytes())
    content = prepared.prepare(SAMPLE, model.read_bytes())
    prepared.prepared_file(model).write_bytes(content)

    said = subprocess.run(
        [sys.executable, "-c", STARTED_FROM, str(model)], capture_output=True, text=True, check=True
    )

    full_name = expressions_of(SAMPLE).derived("Employee", SAMPLE.classes["Employee"].attributes["full_name"])
    assert full_name
    assert said.stdout.strip() == f"{full_name.text} []"


def test_a_prepared_model_keeps_its_renames() -> None:
    text = """
    extend schema @application(name: "Hr") @profile(name: "Boss", from: "Chief", administrator: true)
    enum Colour { CRIMSON @renamed(from: "RED") GREEN }
    type Employee @renamed(from: "Worker") {
      email: String @renamed(from: "mail")
      colour: Colour
      friend: Employee @renamed(from: "pal") @association
    }
    """
    model = read_model(text, "m")
    found = decode_model(orjson.loads(orjson.dumps(encode(model))))
    class_, stored = found.classes["Employee"], StoredNames(found).stored_model.classes["Worker"]
    assert plain(class_.attributes) == plain(model.classes["Employee"].attributes)
    assert set(stored.attributes) == {"mail", "colour"}
    assert set(stored.roles) == {"pal"}
    assert class_.attributes["colour"].type.sort_key("CRIMSON") == "RED"
    assert found.profiles["Boss"].renamed_from == "Chief"
