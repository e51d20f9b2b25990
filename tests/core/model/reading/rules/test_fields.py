"""Fields are attributes with one value, or roles to one or many objects."""

from collections.abc import Callable

from tests.rows import each_row

KNOWN = "Use an attribute type, or a class or enum of the model."
ONE = "A.x can't be a list. For many values, use a class and @composition."
CASES = {
    "near to an attribute type": ("¦Sting", f'Unknown type Sting. {KNOWN} Did you mean "String"?'),
    "near to a class": ("[¦Teem!]", f'Unknown type Teem. {KNOWN} Did you mean "Team"?'),
    "near to an enum": ("¦Colr!", f'Unknown type Colr. {KNOWN} Did you mean "Color"?'),
    "a class of the members": ("¦User!", f'Unknown type User. {KNOWN} Did you mean "_User"?'),
    "Float instead of Real": ("¦Float", f'Unknown type Float. {KNOWN} Did you mean "Real"?'),
    "an ID, which each object has": (
        "¦ID!",
        "Unknown type ID. Each object has an _id by itself. For an identifier that clients give, use String.",
    ),
    "JSON": (
        "¦JSON",
        (
            "Unknown type JSON. For values with a structure, use a class and @composition. For JSON "
            "that only clients read, use Text."
        ),
    ),
    "near to nothing": ("¦Unrelated", f"Unknown type Unrelated. {KNOWN}"),
    "a list of enum values": ("¦[Color!]!", ONE),
    "a required list with nulls": ("¦[Team]!", "The type is not a valid list of objects. Write [Team!]!."),
    "a list of lists": ("¦[[Team!]!]", "The type is not a valid list of objects. Write [Team!]."),
    "a composition of a value": (
        "Int ¦@composition",
        "@composition can be used only on roles, but A.x is an attribute.",
    ),
    "a file of a role": (
        "Team ¦@file(maxSize: 1)",
        "@file can be used only on attributes, but A.x is a role.",
    ),
    "a derived role": (
        'Team ¦@derived(path: "x")',
        "@derived can be used only on attributes, but A.x is a role.",
    ),
}


@each_row(("written", "message"), CASES.values())
def test_invalid_fields_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(f"type A {{ x: {written} }} type Team {{ name: String }} enum Color {{ RED }}", message)
