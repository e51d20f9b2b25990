"""A model consists of schema extensions, types and enums."""

from collections.abc import Callable

from tests.rows import each_row

CASES = {
    "another form of our directive": (
        "directive @¦class on OBJECT",
        "A model can't define directives. Use those of directives.graphql.",
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
    "query without a name": ("¦{ x }", "A model can't contain operations. Clients send them."),
    "fragment": ("fragment ¦F on A { x }", "A model can't contain operations. Clients send them."),
}


@each_row(("written", "message"), CASES.values())
def test_invalid_definitions_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains("type A { x: Int }\n" + written, message)
