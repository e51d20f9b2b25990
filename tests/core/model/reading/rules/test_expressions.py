"""Expressions in a model are checked: names, types and context."""

from collections.abc import Callable

import pytest

from stratabase.core.model.model import Model
from stratabase.core.model.reading import InvalidModel, read_model
from tests.rows import each_row

HEAD = 'extend schema @application(name: "Hr")\n'
WORLD = """
type Team @class(platform: [CREATED_ON]) { name: String size: Int logo: File members: [Team!] code: Colour
  deep: Int @derived(expression: "size + 1") }
enum Colour { RED GREEN }
"""
CASES = {
    "a condition": (
        'type A @warning(name: "w", condition: "¦x + 1", message: "m") { x: Int }',
        "This is Int, but it must be Boolean.",
    ),
    "where": (
        'type A @grant(profile: "Member", allow: [READ], where: "x > 1 && ¦z") { x: Int }',
        'A has no attribute or role "z".',
    ),
    "where of an attribute": (
        (
            'type A @grant(profile: "Member", allow: [READ]) '
            '{ x: Int @grant(profile: "Member", allow: [READ], where: "owner ¦== 1") owner: String }'
        ),
        (
            "== compares values of one type, but these are String and Int. Write a number without quotes, "
            "or convert a text by int(x)."
        ),
    ),
    "where of a role": (
        (
            'type A @grant(profile: "Member", allow: [READ]) '
            '{ x: Int t: Team @grant(profile: "Member", allow: [READ], where: "caller.¦usrname == \'x\'") }'
        ),
        (
            "caller has no field usrname. It has id, username, email, notes, profile, "
            'timeFormat, dateFormat, timeZone, and language. Did you mean "username"?'
        ),
    ),
    "another kind": (
        'type A { x: Int y: String @derived(expression: "¦x + 1") }',
        "This is Int, but it must be String.",
    ),
    "another enum's value": (
        "type A { x: Boolean y: Colour @derived(expression: \"x ? 'RED' : ¦'GREN'\") }",
        "Colour has no value 'GREN'. It has RED and GREEN. Did you mean \"GREEN\"?",
    ),
    "all at once": (
        (
            'type A @warning(name: "w", condition: "¦z && x ¦== null", message: "m") '
            '{ x: Int y: Int @derived(expression: "¦lowr(x)") }'
        ),
        'A has no attribute or role "z".',
        "Values can't be compared with null. Use isNull(x).",
        'Unknown function lowr. Did you mean "lower"?',
    ),
    "a block": (
        'type A { x: Int y: Boolean @derived(expression: """\n   x > 1\n     && ¦nam == 2\n""") name: Int }',
        'A has no attribute or role "nam". Did you mean "name"?',
    ),
    "a text with a backslash": (
        r'type A { x: String y: Boolean @derived(expression: "x == \"\u00e8\" && ¦z") }',
        'A has no attribute or role "z".',
    ),
    "a role back to a whole": (
        'type A { x: Int bs: [B!] @composition } type B { y: Int @derived(expression: "a_.¦y") }',
        'A has no attribute or role "y".',
    ),
    "a platform attribute that is not recorded": (
        'type A { y: Datetime @derived(expression: "¦_createdon") }',
        'A has no attribute or role "_createdon".',
    ),
}
CIRCLES = {
    "by way of a role": (
        (
            'type A { x: Int @derived(expression: ¦"b.y + 1") b: B } '
            'type B { y: Int @derived(expression: "a.x") a: A }'
        ),
        "A.x depends on itself: A.x -> B.y -> A.x.",
    ),
    "by way of a path": (
        (
            'type A { x: Int @derived(expression: ¦"b.y") b: B } '
            'type B { y: Int @derived(path: "as.x", aggregate: MAX) as: [A!] }'
        ),
        "A.x depends on itself: A.x -> B.y -> A.x.",
    ),
    "in an expression with other mistakes": (
        'type A { x: Int @derived(expression: ¦"x + ¦z") }',
        "A.x depends on itself: A.x -> A.x.",
        'A has no attribute or role "z".',
    ),
}
FINE = {
    "an error reported elsewhere": 'type A { y: Int @derived(expression: "team.deep + 1") team: Team }',
    "an Int as a Real": 'type A { x: Int y: Real @derived(expression: "x") }',
    "an Int as a Year": 'type A { x: Int y: Year @derived(expression: "x") }',
    "an enum as a text": 'type A { y: String @derived(expression: "team.code") team: Team }',
    "an enum's value": "type A { x: Boolean y: Colour @derived(expression: \"x ? 'RED' : null\") }",
    "the caller": (
        'type A @warning(name: "w", condition: "caller.username == x", message: "m") { x: String '
        "y: Boolean @derived(expression: \"caller.language == 'it'\") }"
    ),
    "a name that is a function's": (
        'type A { size: Int year: Int date: Date y: Int @derived(expression: "size + year + year(date)") }'
    ),
    "a name that is a reserved word elsewhere": (
        'type A { package: Int for: Int as: Int y: Int @derived(expression: "package + for + as") }'
    ),
    "an item with the name of the attribute": (
        'type A { x: Boolean y: Boolean @derived(expression: "[x].all(y, y)") }'
    ),
    "a file that may be missing": (
        'type A { y: Boolean @derived(expression: "isNull(f) || has(team.logo)") f: File team: Team }'
    ),
    "platform attributes": (
        'type A @class(platform: [CREATED_ON]) { y: Int @derived(expression: "year(_createdon)") '
        'z: Boolean @derived(expression: "team._createdon > _createdon") team: Team }'
    ),
    "a block": 'type A { x: Int y: Boolean @derived(expression: """\n  x > 1 // at least\n  && x < 3\n""") }',
}
QUIET = {
    "an unknown type": "type A { x: Strng y: String @derived(expression: \"x + 'a'\") }",
    "an unknown class": 'type A { y: Int @derived(expression: "t.x.y") t: Taem }',
    "a list": 'type A { y: Int @derived(expression: "x + 1") x: [Int!] }',
    "an enum without values": "type A { x: E y: Boolean @derived(expression: \"x == 'F'\") } enum E",
    "a wrong @class": 'type A @class(platform: [X]) { y: Datetime @derived(expression: "_createdon") }',
    "a derived file": 'type A { x: Int y: File @derived(expression: "x") }',
    "an empty expression": 'type A { x: Int y: Int @derived(expression: " ") }',
    "a class that cannot be read": 'type A { y: Int @derived(expression: "b.x") b: B }\ntype B { x y: Int }',
}
"""What is wrong here is said once, by another rule."""


@each_row("case", (CASES | CIRCLES).values())
def test_invalid_expressions_are_refused(complains: Callable[..., None], case: tuple[str, ...]) -> None:
    written, *messages = case
    complains(WORLD + written, *messages)


@each_row("written", FINE.values())
def test_valid_expressions_are_accepted(reads: Callable[[str], Model], written: str) -> None:
    assert reads(WORLD + written).classes


@each_row("written", QUIET.values())
def test_an_error_of_another_rule_is_not_repeated(written: str) -> None:
    with pytest.raises(InvalidModel) as caught:
        read_model(HEAD + WORLD + written, "m")
    assert len(caught.value.errors) == 1
