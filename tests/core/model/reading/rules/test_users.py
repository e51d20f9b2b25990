"""`extend type _User` grants READ on the members, and nothing else; roles can lead to members."""

from collections.abc import Callable

from stratabase.core.model.model import Action, Grant, Model, Role
from stratabase.core.model.types import MEMBER_ID_TYPE, TYPES
from stratabase.core.model.users import with_users
from tests.rows import each_row

CLASS = "\ntype A { x: Int }"
CASES = {
    "another action": (
        'extend type _User @grant(profile: "Member", allow: [READ, ¦EDIT])',
        "_User can only be read: members are changed over REST. Use allow: [READ], or allow: [].",
    ),
    "another action on an attribute": (
        (
            'extend type _User @grant(profile: "Member", allow: [READ])\n'
            '{ email: String @grant(profile: "Member", allow: [¦DELETE]) }'
        ),
        "_User can only be read: members are changed over REST. Use allow: [READ], or allow: [].",
    ),
    "another directive": (
        "extend type _User ¦@class(versioned: true)",
        "_User can have only @grant, not @class. Remove it.",
    ),
    "an unknown profile": (
        'extend type _User @grant(profile: ¦"Membr", allow: [READ])',
        'The model has no profile "Membr". It has Boss and Member. Did you mean "Member"?',
    ),
    "an administrator's": (
        'extend type _User @grant(profile: ¦"Boss", allow: [READ])',
        "Boss is an administrator profile, which always has full access. Remove this @grant.",
    ),
    "an unknown name in a condition": (
        'extend type _User @grant(profile: "Member", allow: [READ], where: "¦usernam == caller.username")',
        '_User has no attribute or role "usernam". Did you mean "username"?',
    ),
    "a condition that is not a truth value": (
        'extend type _User @grant(profile: "Member", allow: [READ], where: "¦username")',
        "This is String, but it must be Boolean.",
    ),
    "an unknown attribute": (
        'extend type _User @grant(profile: "Member", allow: [READ]) { ¦emial: String }',
        (
            "_User has no attribute emial. It has username, email, profile, notes, language, timeZone, "
            'dateFormat, timeFormat, and disabled. Did you mean "email"?'
        ),
    ),
    "another type": (
        (
            'extend type _User @grant(profile: "Member", allow: [READ])\n'
            '{ notes: ¦String @grant(profile: "Member", allow: []) }'
        ),
        "_User.notes exists, and is repeated only for its grants. Write notes: Text.",
    ),
    "a list": (
        (
            'extend type _User @grant(profile: "Member", allow: [READ])\n'
            '{ email: [¦String] @grant(profile: "Member", allow: []) }'
        ),
        "_User.email exists, and is repeated only for its grants. Write email: String.",
    ),
    "an attribute without a grant": (
        'extend type _User @grant(profile: "Member", allow: [READ]) { ¦email: String }',
        "_User.email has no @grant to add to it. Remove the field.",
    ),
    "another directive on an attribute": (
        (
            'extend type _User @grant(profile: "Member", allow: [READ])\n'
            '{ email: String @grant(profile: "Member", allow: []) ¦@domain(email: true) }'
        ),
        "_User.email can have only @grant, not @domain. Remove it.",
    ),
    "an attribute twice": (
        (
            'extend type _User @grant(profile: "Member", allow: [READ])\n'
            '{ email: String @grant(profile: "Member", allow: [])\n'
            '¦email: String @grant(profile: "Member", allow: []) }'
        ),
        "_User.email is listed more than once. Remove one.",
    ),
    "nothing to narrow": (
        'extend type _User { email: String @grant(profile: ¦"Member", allow: [READ]) }',
        '_User has no @grant for "Member" to narrow. Add one to _User itself.',
    ),
    "more than the class": (
        (
            'extend type _User @grant(profile: "Member", allow: [])\n'
            '{ email: String @grant(profile: "Member", allow: ¦[READ]) }'
        ),
        "_User doesn't allow READ for \"Member\", so email can't allow it.",
    ),
    "a definition": (
        "type ¦_User { x: Int }",
        "_User begins with _, which is reserved for Stratabase. Use another name.",
    ),
    "another class": (
        'extend type ¦A @grant(profile: "Member", allow: [READ])',
        "A model can't extend a type or an enum, except _User. Define it in one place.",
    ),
}


@each_row(("written", "message"), CASES.values())
def test_invalid_extensions_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written + CLASS, message)


def test_a_second_extension_is_refused(complains: Callable[..., None]) -> None:
    complains(
        'extend type _User @grant(profile: "Member", allow: [READ])\n'
        'extend type ¦_User @grant(profile: "Member", allow: [READ])' + CLASS,
        "_User is already extended on line 2. Write all its grants there.",
    )


def test_grants_on_members_are_read(reads: Callable[[str], Model]) -> None:
    model = reads(
        'extend type _User @grant(profile: "Member", allow: [READ], where: "!disabled")\n'
        '{ email: String @grant(profile: "Member", allow: []) }' + CLASS
    )
    assert model.user_grants == (
        Grant("Member", frozenset({Action.READ}), "!disabled"),
        Grant("Member", frozenset(), None, "email"),
    )
    assert list(model.classes) == ["A"]


def test_expressions_and_paths_lead_to_members(reads: Callable[[str], Model]) -> None:
    model = reads(
        'type A @class(platform: [OWNED_BY]) @grant(profile: "Member", allow: [READ], '
        'where: "_ownedby_user.notes == caller.notes") '
        '{ mail: String @derived(path: "_ownedby_user.email") }'
    )
    assert list(model.classes["A"].roles) == []


def test_a_class_without_the_platform_attribute_has_no_role_to_members(
    complains: Callable[..., None],
) -> None:
    complains(
        'type A @class(platform: [OWNED_BY]) { mail: String @derived(path: "¦_createdby_user.email") }',
        'A has no attribute or role "_createdby_user". Did you mean "_ownedby_user"?',
    )


ROLES = {
    "many members": (
        "type A { x: ¦[_User!] }",
        "A.x can't lead to many members. Use a class with a role x: _User, and a list of its objects.",
    ),
    "a member as a part": (
        "type A { x: _User ¦@composition }",
        "A.x leads to a member, who can't be a part. Use @association.",
    ),
    "an opposite": (
        'type A { x: _User @association(opposite: ¦"as") }',
        "_User has no roles, so A.x has no opposite. Remove opposite.",
    ),
    "without the key": (
        "type A { x: _User @association(holds: ¦false) }",
        "A always holds the key of A.x. Remove holds.",
    ),
    "a default": (
        'type A { x: _User ¦@default(value: "anna") }',
        "@default can be used only on attributes, but A.x is a role.",
    ),
    "an index of a member's attribute": (
        'type A @index(attributes: [¦"x.username"]) { x: _User }',
        "A has no attribute or to-one role x.username.",
    ),
    "a comparison with a name": (
        'type A @grant(profile: "Member", allow: [READ], where: "¦x == caller.username") { x: _User }',
        "A role leads to an object, not to a value. Add one of its attributes, or use isNull(x).",
    ),
}


@each_row(("written", "message"), ROLES.values())
def test_invalid_roles_to_members_are_refused(
    complains: Callable[..., None], written: str, message: str
) -> None:
    complains(written, message)


def test_a_role_to_a_member_is_an_attribute_of_the_store_and_a_role_of_requests(
    reads: Callable[[str], Model],
) -> None:
    model = reads(
        'type A @unique(attributes: ["x"]) @index(attributes: ["y", "n"]) '
        '@grant(profile: "Member", allow: [READ], where: "x == caller.id || caller.id in [y._id]") '
        '{ n: Int x: _User! "Who." y: _User @association(holds: true) '
        '@grant(profile: "Member", allow: []) @renamed(from: "z") }'
    )
    stored, served = model.classes["A"], with_users(model).classes["A"]
    assert not stored.roles
    assert [*served.attributes] == ["n"]
    assert [(each.name, each.type, each.required) for each in stored.attributes.values()] == [
        ("n", TYPES["Int"], False),
        ("x", MEMBER_ID_TYPE, True),
        ("y", MEMBER_ID_TYPE, False),
    ]
    assert [*served.roles.values()] == [
        Role("x", "_User", required=True, holds_key=True),
        Role("y", "_User", holds_key=True, description="Who.", renamed_from="z"),
    ]
