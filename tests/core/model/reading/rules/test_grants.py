"""Grants name profiles of the model and allow applicable permissions; warnings have messages."""

from collections.abc import Callable

from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from tests.rows import each_row

CASES = {
    "an unknown profile": (
        'type A @grant(profile: ¦"Membr", allow: [READ]) { x: Int }',
        'The model has no profile "Membr". It has Boss and Member. Did you mean "Member"?',
    ),
    "more than the class": (
        (
            'type A @grant(profile: "Member", allow: [READ])\n'
            '{ x: Int @grant(profile: "Member", allow: [READ, ¦EDIT]) }'
        ),
        "A doesn't allow EDIT for \"Member\", so x can't allow it.",
    ),
    "writing an attribute unread that is unique with another": (
        (
            'type A @unique(attributes: ["x", "y"]) @grant(profile: "Member", allow: [READ, CREATE, EDIT]) '
            '{ x: Int y: Int @grant(profile: "Member", allow: ¦[CREATE, EDIT]) }'
        ),
        (
            '"Member" can CREATE and EDIT the unique A.y without READ, '
            "so members can discover existing values by trial and error. Add READ."
        ),
    ),
    "writing a unique role unread": (
        (
            'type A @unique(attributes: ["b", "x"]) @grant(profile: "Member", allow: [READ, CREATE, EDIT]) '
            '{ x: Int b: B @grant(profile: "Member", allow: ¦[EDIT]) } '
            'type B @grant(profile: "Member", allow: [READ]) { x: Int }'
        ),
        (
            '"Member" can EDIT the unique A.b without READ, '
            "so members can discover existing values by trial and error. Add READ."
        ),
    ),
    "writing parts unread that are unique in their whole": (
        (
            'type A @grant(profile: "Member", allow: [READ, CREATE, EDIT]) '
            '{ x: Int parts: [P!] @composition @grant(profile: "Member", allow: ¦[CREATE, EDIT]) } '
            'type P @unique(attributes: ["a_", "x"]) { x: Int }'
        ),
        (
            '"Member" can EDIT A.parts, whose parts have the unique P.a_, without READ, '
            "so members can discover existing values by trial and error. Add READ."
        ),
    ),
}


@each_row(("written", "message"), CASES.values())
def test_invalid_grants_are_refused(complains: Callable[..., None], written: str, message: str) -> None:
    complains(written, message)


def test_a_grant_without_profiles_is_refused_with_advice(complains: Callable[..., None]) -> None:
    complains(
        'type A @grant(profile: ¦"Member", allow: [READ]) { x: Int }',
        'The model has no profile "Member". Add @profile(name: "…") after @application.',
        head='extend schema @application(name: "Hr")\n',
    )


def test_a_grant_may_narrow_an_attribute_of_a_part(reads: Callable[[str], Model]) -> None:
    reads('type A { p: P @composition } type P { x: Int @grant(profile: "Member", allow: [READ]) }')


def _head(access: str) -> str:
    return (
        'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true) '
        f'@profile(name: "Member", access: {access})\n'
    )


def test_a_grant_on_an_attribute_narrows_the_access_of_the_profile(
    complains: Callable[..., None],
) -> None:
    read_model(_head("FULL") + 'type A { x: Int @grant(profile: "Member", allow: [READ, EDIT]) }', "m")
    complains(
        'type A { x: Int @grant(profile: "Member", allow: [READ, ¦EDIT]) }',
        '"Member" has access: READ to A, not EDIT, so x can\'t allow it.',
        head=_head("READ"),
    )


def test_writing_a_unique_attribute_unread_is_refused_under_access_too(
    complains: Callable[..., None],
) -> None:
    complains(
        'type A @unique(attributes: ["x"]) { x: Int @grant(profile: "Member", allow: ¦[EDIT]) }',
        (
            '"Member" can EDIT the unique A.x without READ, so members can discover existing values by trial '
            "and error. Add READ."
        ),
        head=_head("FULL"),
    )


def test_a_role_may_allow_deletion(reads: Callable[[str], Model]) -> None:
    reads(
        'type A @grant(profile: "Member", allow: [DELETE]) '
        '{ p: P @composition @grant(profile: "Member", allow: [DELETE]) } type P { x: Int }'
    )


def test_a_model_without_profiles_has_an_administrator() -> None:
    model = read_model('extend schema @application(name: "Hr") type A { x: Int }', "m")
    assert model.administrator_profile() == "Administrator"
    assert list(model.profiles) == ["Administrator"]
