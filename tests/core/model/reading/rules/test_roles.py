"""Opposites name each other, and the right side has the key."""

from collections.abc import Callable

from stratabase.core.model.model import Model
from tests.rows import each_row

CASES = {
    "an unknown opposite": (
        (
            'type A { b: B @association(opposite: ¦"aas") }\n'
            'type B { as: [A!] @association(opposite: "b") x: Int }'
        ),
        'B has no role aas that can be the opposite of A.b. Did you mean "as"?',
    ),
    "a role that leads elsewhere": (
        'type A { b: B @association(opposite: ¦"c") } type B { c: [B!] }',
        "B.c leads to B, but the opposite of A.b must be a role to A.",
    ),
    "a composition as opposite": (
        'type A { b: B @association(opposite: ¦"as") } type B { x: Int as: [A!] @composition }',
        "B.as is a composition, but the opposite of A.b must be an association.",
    ),
    "an opposite that names another": (
        (
            'type A { b: B @association(opposite: ¦"as") c: B @association(opposite: "as") }\n'
            'type B { as: [A!] @association(opposite: "c") }'
        ),
        'Opposites must name each other, but B.as names c. Write @association(opposite: "b") there.',
    ),
    "one to one within a class": (
        'type A { ¦after: A @association(opposite: "before") before: A @association(opposite: "after") }',
        "One of A.after and A.before must hold the key. Add holds: true to one of them.",
    ),
}
FINE = {
    "one to many": (
        'type A { b: B @association(opposite: "as", holds: true) }\n'
        'type B { as: [A!]! @association(opposite: "b", holds: false) }'
    ),
    "many to many": (
        'type A { bs: [B!] @association(opposite: "as") }\ntype B { as: [A!]! @association(opposite: "bs") }'
    ),
    "one to one": (
        'type A { b: B! @association(opposite: "a", holds: true) }\n'
        'type B { a: A @association(opposite: "b", holds: false) }'
    ),
    "one way": "type A { a: A as: [A!] @association }",
}


@each_row("case", CASES.values())
def test_invalid_roles_are_refused(complains: Callable[..., None], case: tuple[str, ...]) -> None:
    written, *messages = case
    complains(written, *messages)


@each_row("written", FINE.values())
def test_valid_roles_are_accepted(reads: Callable[[str], Model], written: str) -> None:
    assert reads(written).classes
