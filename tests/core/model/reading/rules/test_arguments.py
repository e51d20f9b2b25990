"""Directives and their arguments are known, in the right place, and not repeated."""

from collections.abc import Callable

from tests.rows import each_row

ATTRIBUTE_CASES = {
    "a directive of the GraphQL specification": ("¦@skip(if: true)", "Unknown directive @skip."),
    "a type directive on a field": (
        '¦@unique(attributes: ["x"])',
        (
            "@unique can be used only on a type, not on a field. "
            'Write @unique(attributes: ["x"]) after the name of the type.'
        ),
    ),
    "a schema directive on a field": (
        '¦@application(name: "x")',
        "@application can be used only on the schema, not on a field.",
    ),
    "a repeated directive": (
        "@domain(minLength: 1) ¦@domain(maxLength: 2)",
        "@domain can be used only once here. Remove one.",
    ),
    "a string instead of a number": (
        '@domain(minLength: ¦"1")',
        'minLength must be an Int without quotes, not "1".',
    ),
    "a fraction instead of an integer": (
        "@domain(minLength: ¦1.5)",
        "minLength must be an Int without quotes, not 1.5.",
    ),
    "an infinite number": (
        f"@domain(maxLength: ¦{'9' * 5000})",
        f"maxLength must be from -2147483647 to 2147483647, not {'9' * 100}….",
    ),
    "an enum value instead of a string": (
        "@domain(pattern: [¦x])",
        'pattern must be a String in quotes, not x. Write "x".',
    ),
    "null in a list": ("@domain(pattern: [¦null])", "pattern must be [String!], not null."),
    "a list instead of a single value": (
        "@domain(email: ¦[true])",
        "email must be true or false, not [true].",
    ),
    "an object": ("@domain(email: ¦{a: 1})", "email must be true or false, not { a: 1 }."),
    "an unknown enum value": (
        '@derived(path: "r.y", aggregate: ¦SUMM)',
        'aggregate must be COUNT, SUM, MIN, MAX, or AVG, not SUMM. Did you mean "SUM"?',
    ),
    "a quoted enum value": (
        '@derived(path: "r.y", aggregate: ¦"SUM")',
        'aggregate must be COUNT, SUM, MIN, MAX, or AVG, not "SUM". Did you mean "SUM"?',
    ),
    "a missing argument": (
        '¦@grant(profile: "Member")',
        "@grant needs the argument allow ([Action!]!).",
    ),
    "null for a required argument": (
        "@grant(profile: ¦null, allow: [])",
        "profile must be String!, not null.",
    ),
}


@each_row(("written", "message"), ATTRIBUTE_CASES.values())
def test_invalid_arguments_on_an_attribute_are_refused(
    complains: Callable[..., None], written: str, message: str
) -> None:
    complains(f"type A {{ x: String {written}\ny: String r: [A!] }}", message)


def test_each_invalid_item_of_a_list_is_reported(complains: Callable[..., None]) -> None:
    kinds = "CREATED_BY, CREATED_ON, LAST_MODIFIED_BY, LAST_MODIFIED_ON, OWNED_BY, or OWNED_ON"
    complains(
        "type A @class(platform: [¦CREATED, OWNED_BY, ¦1, ¦OWNED_BY]) { x: Int }",
        f'platform must be {kinds}, not CREATED. Did you mean "CREATED_BY"?',
        f"platform must be {kinds}, not 1.",
        "OWNED_BY is listed more than once. Remove one.",
    )


def test_invalid_arguments_are_reported_at_their_place(complains: Callable[..., None]) -> None:
    complains(
        "enum E ¦@class { A ¦@domain B ¦@own }",
        *(
            "@class can be used only on a type, not on an enum.",
            "@domain can be used only on a field, not on an enum's value.",
            "Unknown directive @own.",
        ),
        head='extend schema @application(name: "A") type A { x: E }',
    )
    complains("type A ¦@domain { x: Int }", "@domain can be used only on a field, not on a type.")
    complains(
        "extend schema ¦@class type A { x: Int }", "@class can be used only on a type, not on the schema."
    )
