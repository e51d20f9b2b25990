"""A model consists of schema extensions, types and enums."""

from collections.abc import Callable

import pytest

CASES = {
    "interface": ("interface ¦I { x: Int }", "A model has no interfaces. Write the fields into each type."),
    "implements": (
        "type B implements ¦I & J { x: Int }",
        "A model has no interfaces. Write the fields into each type.",
    ),
    "union": ("union ¦U = A", "A model has no unions. Write one role for each class."),
    "input": (
        "input ¦I { x: Int }",
        "The service makes the inputs. A form is a type with @class(kind: FORM).",
    ),
    "scalar": ("scalar ¦S", "A model has the attribute types of directives.graphql, and no others."),
    "directive": (
        "directive @¦d on OBJECT",
        "A model has the directives of directives.graphql, and no others.",
    ),
    "another form of our directive": (
        "directive @¦class on OBJECT",
        "A model has the directives of directives.graphql, and no others.",
    ),
    "extension of a type": (
        "extend type ¦A @class",
        "A model says everything about a type or enum in one place, without extensions.",
    ),
    "extension of an enum": (
        "extend enum ¦E { X }",
        "A model says everything about a type or enum in one place, without extensions.",
    ),
    "schema": (
        "¦schema { query: A }",
        "The service makes the schema itself. Write: extend schema @application(name: …).",
    ),
    "root types": (
        "extend schema { ¦query: A }",
        "The service makes the schema itself. Write: extend schema @application(name: …).",
    ),
    "query": ("query ¦Q { x }", "A model has no operations; these belong to its clients."),
    "query without a name": ("¦{ x }", "A model has no operations; these belong to its clients."),
    "fragment": ("fragment ¦F on A { x }", "A model has no operations; these belong to its clients."),
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_definitions_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains("type A { x: Int }\n" + written, message)
