"""The differences between two models, in short lines."""

from stratabase.model.difference import diff_models
from stratabase.model.model import Model
from stratabase.model.reading import read_model

HEAD = 'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true)\n'


def _model(text: str, head: str = HEAD) -> Model:
    return read_model(head + text, "m")


def _changes(old: str, new: str) -> list[str]:
    return diff_models(_model(old), _model(new))


def test_equal_models_have_no_difference() -> None:
    text = "type A { x: Int e: E } enum E { X } type B { y: Int }"
    assert _changes(text, text) == []
    assert _changes(text, "type B { y: Int } enum E { X } type A { e: E x: Int }") == []


def test_differences_of_classes_and_enums_are_listed() -> None:
    old = "type A { x: Int } type B { x: Int } enum E { X Y }"
    new = 'type A { x: Int } "New." type C { x: Int } enum E { Y Z } enum F { X }'
    assert _changes(old, new) == ["+ class C", "- class B", "+ E.Z", "- E.X", "+ enum F"]


def test_differences_of_attributes_are_listed() -> None:
    old = "type A { x: Int y: String z: String @domain(maxLength: 3) gone: Int }"
    new = (
        'type A { x: Real y: String! "Last." z: String @domain(minLength: 1, values: ["a", "b"]) n: Int! '
        'd: Int @derived(expression: "1") }'
    )
    assert _changes(old, new) == [
        "~ A.x: Real, was Int",
        "~ A.y: now required",
        "~ A.z minLength: 1, was none",
        "~ A.z maxLength: none, was 3",
        "~ A.z values: a, b, was none",
        "~ A.z: description changed",
        "+ A.n: Int!",
        "+ A.d: Int",
        "- A.gone",
    ]


def test_differences_of_derivations_are_listed() -> None:
    old = 'type A { x: Int y: Int @derived(expression: "1") z: Int }'
    new = 'type A { x: Int y: Int @derived(expression: "2") z: Int @derived(expression: "1") }'
    assert _changes(old, new) == ["~ A.y: derivation changed", "~ A.z: now derived"]


def test_differences_of_roles_are_listed() -> None:
    old = "type A { b: B c: [B!] d: B } type B { x: Int }"
    new = (
        'type A { b: [B!] c: [B!]! @association(opposite: "a") p: [P!] @composition }\n'
        'type B { x: Int a: A @association(opposite: "c") } type P { x: Int }'
    )
    assert _changes(old, new) == [
        "~ A.b: [B!], was B",
        "~ A.b: no longer holds the key",
        "~ A.c: now required",
        "~ A.c opposite: a, was none",
        "+ A.p: [P!]",
        "- A.d",
        "+ B.a: A",
        "+ class P",
    ]


def test_differences_of_class_directives_are_listed() -> None:
    profiles = HEAD + '@profile(name: "P")'
    old = (
        'type A @unique(attributes: ["x"]) @index(attributes: ["x"]) @grant(profile: "P", allow: [READ])\n'
        '@warning(name: "w", condition: "x > 1", message: "m") { x: Int @grant(profile: "P", allow: []) }'
    )
    new = (
        "type A @class(versioned: true, exposed: false, platform: [CREATED_ON])\n"
        '@index(attributes: ["x", "y"])\n'
        '@grant(profile: "P", allow: []) @warning(name: "w", condition: "x > 2", message: "m")\n'
        "{ x: Int y: Int }"
    )
    assert diff_models(_model(old, profiles), _model(new, profiles)) == [
        "~ class A: now versioned",
        "~ class A: no longer exposed",
        "+ A.y: Int",
        "+ A._createdon: Datetime",
        "+ A @index(x, y)",
        '~ A @warning("w")',
        '~ A @grant("P")',
        "- A @unique(x)",
        "- A @index(x)",
        '- A @grant("P") on x',
    ]


def test_differences_of_the_kind_of_class_are_listed() -> None:
    assert _changes("type A { x: Int }", "type A @class(kind: FORM) { x: Int }") == [
        "~ class A: FORM, was ORDINARY"
    ]
    assert _changes(
        "type A { x: Int p: P } type P { y: Int }", "type A { x: Int p: P @composition } type P { y: Int }"
    ) == [
        "~ A.p: now a composition",
        "~ A.p opposite: a_, was none",
        "~ A.p: no longer holds the key",
        "~ class P: now a part",
        "~ class P: no longer exposed",
        "+ P.a_: A!",
    ]


def test_differences_of_application_and_profiles_are_listed() -> None:
    old = _model("type A { x: Int }")
    head = 'extend schema @application(name: "Crm") @profile(name: "Boss") '
    new = _model("type A { x: Int }", head + '@profile(name: "Q", administrator: true)')
    assert diff_models(old, new) == [
        "~ application: Crm, was Hr",
        "~ profile Boss: no longer an administrator profile",
        "+ profile Q",
    ]
