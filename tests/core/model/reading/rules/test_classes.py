"""Singletons and forms refuse directives that only make sense for many stored objects."""

from collections.abc import Callable

from tests.rows import each_row

ONE = "it has only one object."
NONE = "its objects are never stored."
CASES = {
    "indexed singleton": (
        'type S @class(kind: SINGLETON) ¦@index(attributes: ["x"]) { x: Int }',
        f"@index can't be used on the singleton S: {ONE}",
    ),
    "unique form": (
        'type F @class(kind: FORM) ¦@unique(attributes: ["x"]) { x: Int }',
        f"@unique can't be used on the form F: {NONE}",
    ),
    "form with platform attributes": (
        "type F @class(kind: FORM, platform: ¦[CREATED_ON]) { x: Int }",
        f"platform can't be used on the form F: {NONE}",
    ),
    "numbered form": (
        "type F @class(kind: FORM) { x: ¦Serial }",
        f"The form F can't have an attribute of type Serial: {NONE}",
    ),
    "empty group": ('type A @class(group: ¦" ") { x: Int }', "group can't be empty."),
    "long group": (
        f'type A @class(group: ¦"{61 * "x"}") {{ x: Int }}',
        "group can have at most 60 characters.",
    ),
    "role to a form": (
        "type F @class(kind: FORM) { x: Int } type A { f: ¦F }",
        f"A role can't lead to the form F: {NONE}",
    ),
}


@each_row(("written", "message"), CASES.values())
def test_invalid_classes_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written, message)
