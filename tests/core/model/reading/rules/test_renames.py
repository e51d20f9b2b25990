"""`@renamed` and `@default`: stored names are valid and distinct, and defaults are values."""

from collections.abc import Callable

from tests.rows import each_row

CASES = {
    "a name that no model can have": (
        'type A @renamed(from: ¦"B C") { x: Int }',
        'from: "B C" can\'t have been a name. Use the name as an earlier model has it.',
    ),
    "a reserved name": (
        'type A { x: Int @renamed(from: ¦"_y") }',
        (
            'from: "_y" can\'t have been a name. _y begins with _, which is reserved for Stratabase. '
            "Use another name."
        ),
    ),
    "an attribute type": (
        'type A @renamed(from: ¦"Int") { x: Int }',
        "from: Int is an attribute type.",
    ),
    "a class that the model still has": (
        'type A @renamed(from: ¦"B") { x: Int }\ntype B { x: Int }',
        (
            "A can't be stored as B: B on line 3 is stored under that name. "
            "If the two have swapped their names, use @renamed on both."
        ),
    ),
    "an attribute that the class still has, in other case": (
        'type A { x: Int @renamed(from: ¦"Y") y: Int }',
        (
            "A.x can't be stored as Y: A.y on line 2 is stored under that name. "
            "If the two have swapped their names, use @renamed on both."
        ),
    ),
    "two attributes with one first name": (
        'type A { x: Int @renamed(from: "z") y: Int @renamed(from: ¦"z") }',
        (
            "A.y can't be stored as z: A.x on line 2 is stored under that name. "
            "If the two have swapped their names, use @renamed on both."
        ),
    ),
    "an enum value that the enum still has": (
        'enum E { X @renamed(from: ¦"Y") Y }\ntype A { e: E }',
        (
            "E.X can't be stored as Y: E.Y on line 2 is stored under that name. "
            "If the two have swapped their names, use @renamed on both."
        ),
    ),
    "another directive on an enum value": (
        'enum E { X ¦@domain(min: "1") }\ntype A { e: E }',
        "@domain can be used only on a field, not on an enum's value.",
    ),
    "a derived attribute": (
        'type A { x: Int y: Int @derived(expression: "x") ¦@renamed(from: "z") }',
        "A.y is derived, so nothing is stored under another name. Remove @renamed.",
    ),
    "an invalid first name of a role back": (
        'type A { b: B @composition(wholeFrom: ¦"_a") }\ntype B { x: Int }',
        (
            'wholeFrom: "_a" can\'t have been a name. _a begins with _, which is reserved for Stratabase. '
            "Use another name."
        ),
    ),
    "a default on a role": (
        'type A { b: B ¦@default(value: "1") }\ntype B { x: Int }',
        "@default can be used only on attributes, but A.b is a role.",
    ),
    "a default that is not a value of the type": (
        'type A { x: Int @default(value: ¦"one") }',
        'value: "one" is not an Int. Use a whole number from -2147483648 to 2147483647.',
    ),
    "a default outside the domain": (
        'type A { x: Int @domain(min: "1") @default(value: ¦"0") }',
        'value: "0" violates the @domain of A.x: 0 is too low. The minimum is 1.',
    ),
    "a default of a Serial": (
        'type A { x: Serial ¦@default(value: "1") }',
        "A.x can't have a default: Stratabase numbers it.",
    ),
    "a default of a file": (
        'type A { x: File ¦@default(value: "1") }',
        "A.x can't have a default: files must be uploaded.",
    ),
    "a default of a derived attribute": (
        'type A { x: Int y: Int @derived(expression: "x") ¦@default(value: "1") }',
        "A.y can't have a default: it is derived.",
    ),
    "a default of a unique attribute": (
        'type A @unique(attributes: ["x"]) { x: Int ¦@default(value: "1") }',
        "A.x can't have a default: it is in a @unique, and two objects can't have the same value there.",
    ),
}


@each_row(("marked", "message"), CASES.values())
def test_mistakes(complains: Callable[..., None], marked: str, message: str) -> None:
    complains(marked, message)


PROFILES = {
    "an empty former name": (
        '@profile(name: "Member", from: ¦"")',
        "from can't be empty. Use the former name of the profile.",
    ),
    "a profile that the model still has": (
        '@profile(name: "Member", from: ¦"boss")',
        'from: the model still has a profile "boss". Members with it keep it.',
    ),
    "two profiles with one former name": (
        '@profile(name: "Member", from: "Staff") @profile(name: "Guest", from: ¦"staff")',
        'from: another profile is already renamed from "staff". Remove one.',
    ),
}


@each_row(("profiles", "message"), PROFILES.values())
def test_mistakes_in_renamed_profiles(complains: Callable[..., None], profiles: str, message: str) -> None:
    head = f'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true) {profiles}\n'
    complains("type A { x: Int }", message, head=head)
