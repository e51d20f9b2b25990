"""`@unique` and `@index` name comparable attributes, and roles whose keys the objects hold."""

from collections.abc import Callable

from stratabase.core.model.model import Model
from tests.rows import each_row

WORLD = """
type A @class(platform: [CREATED_ON]) {directives} {
  x: Int y: String a_B: Int a: Int b: Int insight: Int file: File b_s: [B!]
  sum: Int @derived(expression: "x + a") p: [A!] @association p2: P @composition
  holder: B held: [B!] @association(opposite: "holder") mate: B @association(opposite: "mate") disableCache: B
}
type B {
  x: Int holder: A @association(opposite: "held") mate: A @association(opposite: "mate", holds: true)
}
type P {part} { x: Int }
"""
UNIQUE_CASES = {
    "twice in one": ('@unique(attributes: ["x", "y", ¦"x"])', "x is listed more than once. Remove one."),
    "a misspelt role": (
        '@unique(attributes: [¦"holdr"])',
        'A has no attribute or to-one role holdr. Did you mean "holder"?',
    ),
    "a to-many role": (
        '@unique(attributes: [¦"b_s"])',
        "A.b_s leads to many objects, so it can't be unique. Use a to-one role whose key A holds.",
    ),
    "a to-many role whose opposite holds the key": (
        '@unique(attributes: [¦"held"])',
        (
            "A.held leads to many objects, so it can't be unique. "
            "Its opposite B.holder holds the key: list holder in an @unique of B."
        ),
    ),
    "a to-one role whose key the other side holds": (
        '@unique(attributes: ["x", ¦"mate"])',
        (
            "A.mate doesn't hold the key of its association, so it can't be unique. B.mate holds it: list "
            "mate in an @unique of B, or add holds: true to A.mate, and remove it from B.mate."
        ),
    ),
    "a role that is an argument of the service": (
        '@unique(attributes: [¦"disableCache"])',
        "A.disableCache can't be unique: its getBy service already has an argument disableCache.",
    ),
    "roles in another order": (
        '@unique(attributes: ["x", "holder"]) ¦@unique(attributes: ["holder", "x"])',
        "The @unique on line 3 has the same attributes. Remove one.",
    ),
}
INDEX_CASES = {
    "a file": ('@index(attributes: [¦"file"])', "A.file is a File, so it can't be indexed."),
}
CASES = {f"unique: {name}": case for name, case in UNIQUE_CASES.items()} | {
    f"index: {name}": case for name, case in INDEX_CASES.items()
}


@each_row(("written", "message"), CASES.values())
def test_invalid_uniques_and_indexes_are_refused(
    complains: Callable[..., None], written: str, message: str
) -> None:
    complains(WORLD.replace("{directives}", written).replace("{part}", ""), message)


def test_to_one_roles_that_hold_the_key_can_be_unique_and_indexed(reads: Callable[[str], Model]) -> None:
    written = '@unique(attributes: ["holder", "x"]) @index(attributes: ["y", "holder"])'
    model = reads(WORLD.replace("{directives}", written).replace("{part}", ""))
    class_ = model.classes["A"]
    assert class_.uniques[0].attributes == ("holder", "x")
    assert class_.indexes[0].attributes == ("y", "holder")


def test_a_part_may_be_unique_in_its_whole(reads: Callable[[str], Model]) -> None:
    written = '@unique(attributes: ["a_", "x"]) @index(attributes: ["a_"])'
    model = reads(WORLD.replace("{directives}", "").replace("{part}", written))
    assert model.classes["P"].uniques[0].attributes == ("a_", "x")
    assert model.classes["P"].indexes[0].attributes == ("a_",)
