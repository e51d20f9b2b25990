"""The sample model uses the whole language, and is valid for standard GraphQL tools."""

from pathlib import Path

import pytest
from graphql.language import parse
from graphql.utilities import build_ast_schema
from graphql.validation.validate import validate_sdl

from stratabase.core.model.language import language_text
from stratabase.core.model.model import ClassKind, Model
from stratabase.core.model.reading import read_model_file
from stratabase.core.model.reading.draft.directives import language
from stratabase.core.model.types import TYPES
from stratabase.core.model.users import USER
from tests.repository import ROOT
from tests.rows import each_row

SAMPLE = ROOT / "layers/model/model.graphql"


@pytest.fixture(scope="module")
def sample() -> Model:
    return read_model_file(SAMPLE)


def test_an_employee_requires_only_a_name_and_an_address(sample: Model) -> None:
    """A newcomer's first request gives only these."""
    employee = sample.classes["Employee"]
    required = [one.name for one in employee.attributes.values() if one.required]
    assert required == ["first_name", "last_name", "email"]
    assert not [one.name for one in employee.roles.values() if one.required]


def test_the_sample_has_all_attribute_types_and_kinds_of_class(sample: Model) -> None:
    types = {one.type.name for class_ in sample.classes.values() for one in class_.attributes.values()}
    assert types >= {*TYPES, *sample.enumerations}
    assert {class_.kind for class_ in sample.classes.values()} == {*ClassKind} - {ClassKind.USERS}


HISTORY = {("profile", "from"), ("renamed", "from"), ("composition", "wholeFrom")}
"""The arguments that only a model with earlier versions needs."""


def test_the_sample_uses_every_argument_of_every_directive() -> None:
    text = SAMPLE.read_text(encoding="utf-8")
    used = {
        (use.name.value, argument.name.value)
        for node in parse(text).definitions
        for one in (node, *(getattr(node, "fields", None) or ()))
        for use in (getattr(one, "directives", None) or ())
        for argument in use.arguments or ()
    }
    known = {(one.name, argument) for one in language().directives.values() for argument in one.parameters}
    assert used == known - HISTORY


def test_every_class_of_the_sample_has_a_description(sample: Model) -> None:
    assert [class_.name for class_ in sample.classes.values() if not class_.description] == []


@each_row(
    "model",
    [SAMPLE, ROOT / "tests/core/model/models/small.graphql", ROOT / "tests/core/schema/models/desk.graphql"],
)
def test_the_published_directives_validate_the_sample(model: Path) -> None:
    """GraphQL's own validation accepts a model together with the directive definitions."""
    document = parse(language_text() + model.read_text(encoding="utf-8"))
    assert validate_sdl(document) == []


def test_every_directive_has_a_description() -> None:
    definitions = build_ast_schema(parse(language_text()), assume_valid_sdl=True)
    types = {name for name in definitions.type_map if not name.startswith("__")}
    assert types == {*language().enumerations, *TYPES, USER, "ID"}
    own = [one for one in definitions.directives if one.name in language().directives]
    assert len(own) == len(language().directives)
    assert all(definitions.type_map[name].description for name in types)
    assert all(one.description for one in own)
    assert all(argument.description for one in own for argument in one.args.values())
