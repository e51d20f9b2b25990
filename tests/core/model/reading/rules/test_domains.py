"""Domains and file restrictions fit their type, and allow at least one value."""

from collections.abc import Callable

from tests.rows import each_row

TEXT = "codiceFiscale, email, maxLength, minLength, partitaIva, pattern, phone, or values."
NONE = "is not a valid regular expression (RE2)"
PLAIN = "is not a repetition, because RE2 reads it as plain text: write {min,max}, such as {0,5}"
LOOKAROUND = (
    "RE2 has no lookahead or lookbehind: write one matches('…') for each condition in an expression, "
    "joined by && and !, such as that of a blocking @warning"
)
REFERENCE = (
    "RE2 has no back references: list the alternatives, or write a character by its code, as in \\x{20AC}"
)
NOT_AN_EXTENSION = "is not a valid file extension. Use an extension without the dot, such as pdf."
CASES = {
    "bounds of a text": (
        'String @domain(¦min: "1")',
        f"min can't be used with String. Use {TEXT}",
    ),
    "length of a number": (
        "Int @domain(¦minLength: 1, ¦email: true)",
        "minLength can't be used with Int. Use max, min, or values.",
        "email can't be used with Int. Use max, min, or values.",
    ),
    "of an enum": ('Color @domain(¦values: ["RED"])', "values can't be used with Color. Remove @domain."),
    "of a file": ('File @domain(¦max: "1")', "max can't be used with File. Remove @domain."),
    "crossed decimal bounds": (
        'Real @domain(min: ¦"10.5", max: "9.5")',
        "No value is possible: min 10.5 is greater than max 9.5.",
    ),
    "crossed dates": (
        'Date @domain(min: ¦"2020-02-01", max: "2020-01-31")',
        "No value is possible: min 2020-02-01 is greater than max 2020-01-31.",
    ),
    "bounds that are not numbers": (
        'Int @domain(min: ¦"x", max: ¦"1.5")',
        'min: "x" is not an Int. Use a whole number from -2147483648 to 2147483647.',
        'max: "1.5" is not an Int. Use a whole number from -2147483648 to 2147483647.',
    ),
    "lengths below zero": (
        "String @domain(minLength: ¦-1, maxLength: ¦0)",
        "minLength must be 0 or more.",
        "maxLength must be 1 or more.",
    ),
    "a value twice": ('Int @domain(values: ["1", ¦"01"])', '"01" is listed more than once. Remove one.'),
    "an invalid pattern": (
        'String @domain(pattern: ["a", ¦"(", ¦"x{99999999999}"])',
        '"(" is not a valid regular expression (RE2): missing ): (.',
        f'"x{{99999999999}}" {NONE}: {{99999999999}} {PLAIN}.',
    ),
    "a pattern with lookahead": (
        'String @domain(pattern: [¦"(?=.*[A-Z])(?=.*[0-9]).{8,}"])',
        f'"(?=.*[A-Z])(?=.*[0-9]).{{8,}}" {NONE}: invalid perl operator: (?= ({LOOKAROUND}).',
    ),
    "a pattern with a back reference": (
        'String @domain(pattern: ["ok",\n ¦"([a-z])\\\\1"])',
        f'"([a-z])\\1" {NONE}: invalid escape sequence: \\1 ({REFERENCE}).',
    ),
    "a pattern without end": (
        f'String @domain(pattern: ¦"{"(" * 1001}")',
        f'"{"(" * 100}…" is not a valid regular expression (RE2): it has more than 1000 characters.',
    ),
    "a number that is folded": (
        "Int ¦@text(compare: FOLDED)",
        "@text can be used only with the types String and Text, but A.x is Int.",
    ),
    "an enum that is folded": (
        "Color ¦@text(compare: EXACT)",
        "@text can be used only with the types String and Text, but A.x is Color.",
    ),
    "an unknown comparison": (
        "String @text(compare: ¦folded)",
        'compare must be EXACT, FOLDED, or FOLDED_NO_ACCENTS, not folded. Did you mean "FOLDED"?',
    ),
    "no comparison": ("String ¦@text", "@text needs the argument compare (TextComparison!)."),
    "the comparison of a path": (
        'String @derived(path: "y.z") ¦@text(compare: FOLDED) y: B @association',
        "A.x is compared like the attribute to which its path leads. Remove @text.",
    ),
    "the comparison of a role": (
        "B ¦@text(compare: FOLDED)",
        "@text can be used only on attributes, but A.x is a role.",
    ),
    "nothing about files": ("File ¦@file", "@file has no arguments. Use extensions or maxSize."),
    "no extension": (
        "File @file(extensions: ¦[])",
        "No file is possible: extensions is empty. Add an extension.",
    ),
    "extensions": (
        'File @file(extensions: [¦".pdf", "PNG", ¦"png", ¦"*", "tar.gz"])',
        f'".pdf" {NOT_AN_EXTENSION} Did you mean "pdf"?',
        '"png" is listed more than once (case is ignored). Remove one.',
        f'"*" {NOT_AN_EXTENSION}',
    ),
}


@each_row("case", CASES.values())
def test_invalid_domains_are_refused(complains: Callable[..., None], case: tuple[str, ...]) -> None:
    written, *messages = case
    complains(f"type A {{ x: {written} }} enum Color {{ RED }} type B {{ z: String }}", *messages)
