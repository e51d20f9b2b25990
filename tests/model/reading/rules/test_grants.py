"""Grants name profiles of the model and allow applicable permissions; warnings have messages."""

from collections.abc import Callable

import pytest

from stratabase.model.model import Model
from stratabase.model.reading import read_model

CASES = {
    "an unknown profile": (
        'type A @grant(profile: ¦"Membr", allow: [READ]) { x: Int }',
        'The model has no profile "Membr"; it has Boss and Member. Did you mean "Member"?',
    ),
    "an administrator's": (
        'type A @grant(profile: ¦"Boss", allow: [READ]) { x: Int }',
        "Boss is an administrator's profile, which has full access anyway.",
    ),
    "a profile twice": (
        'type A @grant(profile: "Member", allow: [READ]) @grant(profile: ¦"Member", allow: []) { x: Int }',
        'There is a @grant for "Member" here already.',
    ),
    "an action twice": (
        'type A @grant(profile: "Member", allow: [READ, ¦READ]) { x: Int }',
        "READ stands here already.",
    ),
    "no condition": (
        'type A @grant(profile: "Member", allow: [READ], where: ¦"") { x: Int }',
        "where is empty.",
    ),
    "nothing to narrow": (
        'type A { x: Int @grant(profile: ¦"Member", allow: [READ]) }',
        'A has no @grant for "Member", so there is nothing to narrow.',
    ),
    "more than the class": (
        (
            'type A @grant(profile: "Member", allow: [READ])\n'
            '{ x: Int @grant(profile: "Member", allow: [READ, ¦EDIT]) }'
        ),
        'A does not allow EDIT to "Member", so x cannot.',
    ),
    "the deletion of an attribute": (
        (
            'type A @grant(profile: "Member", allow: [DELETE])\n'
            '{ x: Int @grant(profile: "Member", allow: [¦DELETE]) }'
        ),
        "DELETE is for objects; an attribute is cleared by EDIT.",
    ),
    "writing a unique attribute unread": (
        'type A @unique(attributes: ["x"]) @grant(profile: "Member", allow: ¦[CREATE, DELETE]) { x: Int }',
        '"Member" may CREATE the unique A.x without READ, and so find out values by trying: add READ.',
    ),
    "writing an attribute unread that is unique with another": (
        (
            'type A @unique(attributes: ["x", "y"]) @grant(profile: "Member", allow: [READ, CREATE, EDIT]) '
            '{ x: Int y: Int @grant(profile: "Member", allow: ¦[CREATE, EDIT]) }'
        ),
        (
            '"Member" may CREATE and EDIT the unique A.y without READ, '
            "and so find out values by trying: add READ."
        ),
    ),
    "a warning without a name": (
        'type A @warning(name: ¦" ", condition: "x > 1", message: "m") { x: Int }',
        "name is empty.",
    ),
    "a warning without a condition": (
        'type A @warning(name: "n", condition: ¦"", message: "m") { x: Int }',
        "condition is empty.",
    ),
    "a warning without a message": (
        'type A @warning(name: "n", condition: "x > 1", message: ¦"") { x: Int }',
        "message is empty.",
    ),
    "two warnings of one name": (
        (
            'type A @warning(name: "n", condition: "x > 1", message: "m")\n'
            '@warning(name: ¦"n", condition: "x > 2", message: "m") { x: Int }'
        ),
        'A has a warning "n" already.',
    ),
}


@pytest.mark.parametrize(("written", "message"), CASES.values(), ids=CASES)
def test_invalid_grants_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written, message)


def test_a_grant_without_profiles_is_refused_with_advice(complains: Callable[..., None]) -> None:
    complains(
        'type A @grant(profile: ¦"Member", allow: [READ]) { x: Int }',
        'The model has no profile "Member"; write @profile(name: "…") beside @application.',
        head='extend schema @application(name: "Hr")\n',
    )


def test_a_grant_may_narrow_an_attribute_of_a_part(reads: Callable[[str], Model]) -> None:
    reads('type A { p: P @composition } type P { x: Int @grant(profile: "Member", allow: [READ]) }')


def test_a_role_may_allow_deletion(reads: Callable[[str], Model]) -> None:
    reads(
        'type A @grant(profile: "Member", allow: [DELETE]) '
        '{ p: P @composition @grant(profile: "Member", allow: [DELETE]) } type P { x: Int }'
    )


def test_a_model_without_profiles_has_an_administrator() -> None:
    model = read_model('extend schema @application(name: "Hr") type A { x: Int }', "m")
    assert model.administrator_profile() == "Administrator"
    assert list(model.profiles) == ["Administrator"]
