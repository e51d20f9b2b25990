"""Objects of every class can be created."""

from collections.abc import Callable

from stratabase.core.model.model import Model
from tests.rows import each_row

OPTIONAL = "Make one of the roles optional."
FIRST = "so the first one would have no whole"
WHOLE = "Make A a part of another class too, or remove @composition from a role."
CASES = {
    "one that requires itself": (
        "type A { a: ¦A! }",
        f"No A can ever be created: A needs A. {OPTIONAL}",
    ),
    "a part that requires its whole's absence": (
        "type A { p: ¦P! @composition } type P { a: A! }",
        f"No A can ever be created: A needs P, which needs A. {OPTIONAL}",
    ),
    "parts of each other alone": (
        "type A { x: Int b: B @composition } type B { x: Int a: ¦A @composition }",
        f"No A can ever be created: A is a part only of B and B is a part only of A, {FIRST}. {WHOLE}",
    ),
    "a part required by its whole": (
        "type B { x: Int a: ¦A! as: [A!] @composition } type A { x: Int }",
        f"No B can ever be created: B needs A, which needs B. {OPTIONAL}",
    ),
    "those that only depend on a circle are not named": (
        "type C { a: A! } type A { a: ¦A! }",
        f"No A can ever be created: A needs A. {OPTIONAL}",
    ),
}
FINE = {
    "required one way": "type A { b: B! } type B { x: Int }",
    "required on one side": (
        'type A { b: B! @association(opposite: "as") } type B { as: [A!] @association(opposite: "b") }'
    ),
    "a tree of parts with a root": (
        "type Book { chapters: [Chapter!]! @composition }\n"
        'type Chapter { x: Int chapters: [Chapter!] @composition(whole: "above") }'
    ),
    "a singleton needs what can only be created later": (
        "type S @class(kind: SINGLETON) { a: A! } type A { x: Int }"
    ),
}


@each_row(("written", "message"), CASES.values())
def test_cycles_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written, message)


@each_row("written", FINE.values())
def test_models_without_cycles_are_accepted(reads: Callable[[str], Model], written: str) -> None:
    assert reads(written).classes
