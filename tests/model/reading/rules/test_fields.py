"""Fields are attributes with one value, or roles to one or many objects."""

from collections.abc import Callable

import pytest

NEITHER = "neither an attribute type, nor a class or an enum of the model."
ONE = "A.x holds one value, not a list: for many, make a class and a @composition."
CASES = {
    "near to an attribute type": ("¦Sting", f'Unknown type Sting: {NEITHER} Did you mean "String"?'),
    "near to a class": ("[¦Teem!]", f'Unknown type Teem: {NEITHER} Did you mean "Team"?'),
    "near to an enum": ("¦Colr!", f'Unknown type Colr: {NEITHER} Did you mean "Color"?'),
    "Float instead of Real": ("¦Float", f'Unknown type Float: {NEITHER} Did you mean "Real"?'),
    "ID instead of String": ("¦ID", f'Unknown type ID: {NEITHER} Did you mean "String"?'),
    "near to nothing": ("¦Unrelated", f"Unknown type Unrelated: {NEITHER}"),
    "a list of values": ("¦[String]", ONE),
    "a list of enum values": ("¦[Color!]!", ONE),
    "a list with nulls": ("¦[Team]", "A list of objects is written [Team!]."),
    "a required list with nulls": ("¦[Team]!", "A list of objects is written [Team!]!."),
    "a list of lists": ("¦[[Team!]!]", "A list of objects is written [Team!]."),
    "a composition of a value": ("Int ¦@composition", "@composition is for roles; A.x is an attribute."),
    "an association of a value": ("Int ¦@association", "@association is for roles; A.x is an attribute."),
    "a domain of a role": ('Team ¦@domain(min: "1")', "@domain is for attributes; A.x is a role."),
    "a file of a role": ("Team ¦@file(maxSize: 1)", "@file is for attributes; A.x is a role."),
    "a derived role": ('Team ¦@derived(path: "x")', "@derived is for attributes; A.x is a role."),
    "both kinds of role": (
        "Team @association ¦@composition",
        "A.x is either an association or a composition, not both.",
    ),
    "no field at all": (
        "Int } type ¦Nothing type B { y: Int",
        "The class Nothing has no attribute and no role.",
    ),
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_fields_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(f"type A {{ x: {written} }} type Team {{ name: String }} enum Color {{ RED }}", message)
