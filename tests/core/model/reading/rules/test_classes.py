"""Singletons and forms refuse directives that only make sense for many stored objects."""

from collections.abc import Callable

import pytest

ONE = "it has only one object."
NONE = "its objects are never stored."
CASES = {
    "unique singleton": (
        'type S @class(kind: SINGLETON) ¦@unique(attributes: ["x"]) { x: Int }',
        f"@unique can't be used on the singleton S: {ONE}",
    ),
    "indexed singleton": (
        'type S @class(kind: SINGLETON) ¦@index(attributes: ["x"]) { x: Int }',
        f"@index can't be used on the singleton S: {ONE}",
    ),
    "numbered singleton": (
        "type S @class(kind: SINGLETON) { x: ¦Serial }",
        f"The singleton S can't have an attribute of type Serial: {ONE}",
    ),
    "unique form": (
        'type F @class(kind: FORM) ¦@unique(attributes: ["x"]) { x: Int }',
        f"@unique can't be used on the form F: {NONE}",
    ),
    "versioned form": (
        "type F @class(kind: FORM, versioned: ¦true) { x: Int }",
        f"versioned can't be used on the form F: {NONE}",
    ),
    "form with platform attributes": (
        "type F @class(kind: FORM, platform: ¦[CREATED_ON]) { x: Int }",
        f"platform can't be used on the form F: {NONE}",
    ),
    "numbered form": (
        "type F @class(kind: FORM) { x: ¦Serial }",
        f"The form F can't have an attribute of type Serial: {NONE}",
    ),
    "form with a file": (
        "type F @class(kind: FORM) { x: ¦File }",
        f"The form F can't have an attribute of type File: {NONE}",
    ),
    "form with parts": (
        "type F @class(kind: FORM) { x: Int p: ¦P @composition } type P { x: Int }",
        f"The form F can't have parts: {NONE}",
    ),
    "role to a form": (
        "type F @class(kind: FORM) { x: Int } type A { f: ¦F }",
        f"A role can't lead to the form F: {NONE}",
    ),
    "singleton as a part": (
        "type S @class(kind: SINGLETON) { x: Int } type A { s: ¦S @composition }",
        f"A role can't lead to the singleton S: {ONE}",
    ),
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_classes_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written, message)
