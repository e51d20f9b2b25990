"""Singletons and forms refuse directives that only make sense for many stored objects."""

from collections.abc import Callable

import pytest

ONE = "there is only one object of it."
NONE = "its objects are never stored."
CASES = {
    "unique singleton": (
        'type S @class(kind: SINGLETON) ¦@unique(attributes: ["x"]) { x: Int }',
        f"@unique means nothing on the singleton S: {ONE}",
    ),
    "indexed singleton": (
        'type S @class(kind: SINGLETON) ¦@index(attributes: ["x"]) { x: Int }',
        f"@index means nothing on the singleton S: {ONE}",
    ),
    "numbered singleton": (
        "type S @class(kind: SINGLETON) { x: ¦Serial }",
        f"The singleton S has no Serial: {ONE}",
    ),
    "unique form": (
        'type F @class(kind: FORM) ¦@unique(attributes: ["x"]) { x: Int }',
        f"@unique means nothing on the form F: {NONE}",
    ),
    "versioned form": (
        "type F @class(kind: FORM, versioned: ¦true) { x: Int }",
        f"versioned means nothing on the form F: {NONE}",
    ),
    "form with platform attributes": (
        "type F @class(kind: FORM, platform: ¦[CREATED_ON]) { x: Int }",
        f"platform means nothing on the form F: {NONE}",
    ),
    "numbered form": ("type F @class(kind: FORM) { x: ¦Serial }", f"The form F has no Serial: {NONE}"),
    "form with a file": ("type F @class(kind: FORM) { x: ¦File }", f"The form F has no File: {NONE}"),
    "form with parts": (
        "type F @class(kind: FORM) { x: Int p: ¦P @composition } type P { x: Int }",
        f"The form F has no parts: {NONE}",
    ),
    "role to a form": (
        "type F @class(kind: FORM) { x: Int } type A { f: ¦F }",
        f"No role leads to the form F: {NONE}",
    ),
    "singleton as a part": (
        "type S @class(kind: SINGLETON) { x: Int } type A { s: ¦S @composition }",
        f"No role leads to the singleton S: {ONE}",
    ),
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_classes_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written, message)
