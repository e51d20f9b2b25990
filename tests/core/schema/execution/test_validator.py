"""The validator finds the places of literals, and leaves nothing to the garbage collector."""

import gc

from graphql import parse
from graphql.validation import ASTValidationRule

from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits
from stratabase.core.schema.execution.validator import Validator
from stratabase.core.schema.generate import generate_schema
from tests.models import THINGS

SCHEMA = generate_schema(THINGS)
VALIDATOR = Validator(SCHEMA, ExecutionPolicy())
TEMPLATE = """query($v: ID!) { a: Thing___get(_id: $v) { ...F } Thing___get(_id: $___0 ) { name }
    Thing___getPage(options: {next: $___1 , filter: {name___in: [$___2 ]}}) { totalCount } }
    fragment F on Thing { name }"""


def test_notes_the_types_of_the_places_of_literals() -> None:
    places = VALIDATOR.literal_places(parse(TEMPLATE)) or {}
    assert {name: str(type_) for name, type_ in places.items()} == {
        "___0": "ID!",
        "___1": "Int",
        "___2": "String!",
    }


def test_has_no_places_for_a_template_that_may_not_be_valid() -> None:
    for before, after in (("$v: ID!", "$v: Int"), ("_id: $v", "_id: $w"), ("next", "x"), ("...F", "name")):
        assert VALIDATOR.literal_places(parse(TEMPLATE.replace(before, after))) is None
    strict = Validator(SCHEMA, ExecutionPolicy(limits=Limits(depth=1)))
    assert strict.literal_places(parse(TEMPLATE)) is None


def test_a_validation_leaves_no_rules_to_the_garbage_collector() -> None:
    documents = [parse(TEMPLATE), parse("{ Thing___get { nothing } }")]
    gc.collect()
    gc.disable()
    try:
        for document in documents:
            VALIDATOR.literal_places(document)
            VALIDATOR.errors(document)
        left = [type(each) for each in gc.get_objects() if issubclass(type(each), ASTValidationRule)]
    finally:
        gc.enable()
    assert left == []
