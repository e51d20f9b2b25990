"""A model consists of schema extensions, types and enums."""

from collections.abc import Callable

import pytest

CASES = {
    "interface": (
        "interface ¦I { x: Int }",
        "A model can't have interfaces. Repeat the fields in each type.",
    ),
    "implements": (
        "type B implements ¦I & J { x: Int }",
        "A model can't have interfaces. Repeat the fields in each type.",
    ),
    "union": ("union ¦U = A", "A model can't have unions. Add one role for each class."),
    "input": (
        "input ¦I { x: Int }",
        "A model can't define inputs. For a form, add a type with @class(kind: FORM).",
    ),
    "scalar": ("scalar ¦S", "A model can't define scalars. Use the attribute types of directives.graphql."),
    "directive": (
        "directive @¦d on OBJECT",
        "A model can't define directives. Use those of directives.graphql.",
    ),
    "another form of our directive": (
        "directive @¦class on OBJECT",
        "A model can't define directives. Use those of directives.graphql.",
    ),
    "extension of a type": (
        "extend type ¦A @class",
        "A model can't extend a type or an enum, except _User. Define it in one place.",
    ),
    "extension of an enum": (
        "extend enum ¦E { X }",
        "A model can't extend a type or an enum, except _User. Define it in one place.",
    ),
    "schema": (
        "¦schema { query: A }",
        "A model can't define the schema. Write: extend schema @application(name: …).",
    ),
    "root types": (
        "extend schema { ¦query: A }",
        "A model can't define the schema. Write: extend schema @application(name: …).",
    ),
    "query": ("query ¦Q { x }", "A model can't contain operations. Clients send them."),
    "query without a name": ("¦{ x }", "A model can't contain operations. Clients send them."),
    "fragment": ("fragment ¦F on A { x }", "A model can't contain operations. Clients send them."),
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_definitions_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains("type A { x: Int }\n" + written, message)
