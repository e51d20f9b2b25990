"""A profile that lies within another one may do nothing that the other one may not do."""

from collections.abc import Callable
from pathlib import Path

import pytest

from stratabase.core.model.model import Model, lies_within
from stratabase.core.model.reading import lint_model_file, read_model
from tests.rows import each_row

HEAD = 'extend schema @application(name: "Hr") @profile(name: "Boss", administrator: true) '
TWO = f'{HEAD}@profile(name: "Manager") @profile(name: "Reporter", within: [¦"Manager"])\n'
READER = '@profile(name: "Manager", access: READ)'
CLASS = "type A { x: Int }"


def excess(what: str) -> str:
    return (
        f"Reporter is within Manager, but may do what Manager may not: {what}. Allow Manager to do this too, "
        "or remove it from Reporter, or remove Manager from within."
    )


NAMES = {
    "unknown": (
        '@profile(name: "Manager") @profile(name: "Reporter", within: [¦"Manger"])',
        'The model has no profile "Manger". It has Boss, Manager, and Reporter. Did you mean "Manager"?',
    ),
    "itself": (
        '@profile(name: "Manager", within: [¦"Manager"])',
        '"Manager" can\'t lie within itself. Remove it.',
    ),
    "twice": (
        '@profile(name: "Manager") @profile(name: "Reporter", within: ["Manager", ¦"Manager"])',
        '"Manager" is listed more than once. Remove one.',
    ),
    "cycle": (
        (
            '@profile(name: "A", within: ¦["C"]) @profile(name: "B", within: ["A"]) '
            '@profile(name: "C", within: ["B"])'
        ),
        "Profiles can't lie within each other: A -> C -> B -> A. Remove one within.",
    ),
    "administrator": (
        '@profile(name: "Manager") @profile(name: "Chief", administrator: true, within: [¦"Manager"])',
        'Chief is an administrator profile, which may do everything. "Manager" may not. Remove it.',
    ),
}


@each_row(("profiles", "message"), NAMES.values())
def test_within_names_other_profiles_without_a_cycle(
    complains: Callable[..., None], profiles: str, message: str
) -> None:
    complains(f"\n{CLASS}", message, head=HEAD + profiles)


EXCESSES = {
    "an action of a class": (
        (
            'type A @grant(profile: "Manager", allow: [READ]) '
            '@grant(profile: "Reporter", allow: [READ, EDIT, DELETE]) { x: Int }'
        ),
        "EDIT and DELETE A",
    ),
    "a class that the wider one may not use": (
        'type A @grant(profile: "Reporter", allow: [READ]) { x: Int }',
        "READ A",
    ),
    "all objects": (
        (
            'type A @grant(profile: "Manager", allow: [READ], where: "x > 1") '
            '@grant(profile: "Reporter", allow: [READ]) { x: Int }'
        ),
        "READ A",
    ),
    "an attribute": (
        (
            'type A @grant(profile: "Manager", allow: [READ]) @grant(profile: "Reporter", allow: [READ]) '
            '{ x: Int @grant(profile: "Manager", allow: []) y: Int }'
        ),
        "READ A.x",
    ),
    "an attribute of all objects": (
        (
            'type A @grant(profile: "Manager", allow: [READ]) @grant(profile: "Reporter", allow: [READ]) '
            '{ x: Int @grant(profile: "Manager", allow: [READ], where: "y == 1") y: Int }'
        ),
        "READ A.x",
    ),
    "a part": (
        (
            'type A @grant(profile: "Manager", allow: [READ]) @grant(profile: "Reporter", allow: [READ]) '
            '{ parts: [P!] @composition } type P @grant(profile: "Manager", allow: []) { x: Int }'
        ),
        "READ P",
    ),
    "members": (
        'type A { x: Int } extend type _User @grant(profile: "Reporter", allow: [READ])',
        "READ _User",
    ),
    "many": (
        "".join(f'type A{n} @grant(profile: "Reporter", allow: [READ]) {{ x: Int }} ' for n in range(7)),
        "READ A0; READ A1; READ A2; READ A3; READ A4; and 2 more",
    ),
}


@each_row(("classes", "found"), EXCESSES.values())
def test_a_narrower_profile_that_may_do_more_is_an_error(
    complains: Callable[..., None], classes: str, found: str
) -> None:
    complains(classes, excess(found), head=TWO)


def test_access_is_compared(complains: Callable[..., None]) -> None:
    head = f'{HEAD}{READER} @profile(name: "Reporter", access: FULL, within: [¦"Manager"])\n'
    complains(CLASS, excess("CREATE, EDIT, and DELETE A"), head=head)


FITTING = {
    "the same": (
        'type A @grant(profile: "Manager", allow: [READ]) '
        '@grant(profile: "Reporter", allow: [READ]) { x: Int }'
    ),
    "the same condition": (
        'type A @grant(profile: "Manager", allow: [READ], where: "x > 1") '
        '@grant(profile: "Reporter", allow: [READ], where: "x > 1") { x: Int }'
    ),
    "fewer objects": (
        'type A @grant(profile: "Manager", allow: [READ]) '
        '@grant(profile: "Reporter", allow: [READ], where: "x > 1") { x: Int }'
    ),
    "an attribute that neither may read": (
        'type A @grant(profile: "Manager", allow: [READ]) @grant(profile: "Reporter", allow: [READ]) '
        '{ x: Int @grant(profile: "Manager", allow: []) @grant(profile: "Reporter", allow: []) y: Int }'
    ),
    "an attribute of the objects that it may read": (
        'type A @grant(profile: "Manager", allow: [READ]) '
        '@grant(profile: "Reporter", allow: [READ], where: "y == 1") '
        '{ x: Int @grant(profile: "Manager", allow: [READ], where: "y == 1") y: Int }'
    ),
    "parts that follow": (
        'type A @grant(profile: "Manager", allow: [READ]) @grant(profile: "Reporter", allow: [READ]) '
        "{ parts: [P!] @composition } type P { x: Int more: [P!] @composition }"
    ),
}


def read(classes: str, head: str = TWO) -> Model:
    return read_model(head.replace("¦", "") + classes, "model.graphql")


def warnings(tmp_path: Path, classes: str) -> list[str]:
    file = tmp_path / "model.graphql"
    file.write_text(TWO.replace("¦", "") + classes)
    return [each.message for each in lint_model_file(file) if "different conditions" in each.message]


@each_row("classes", FITTING.values())
def test_a_narrower_profile_may_do_as_much_or_less(classes: str, tmp_path: Path) -> None:
    assert read(classes).profiles["Reporter"].within == ("Manager",)
    assert warnings(tmp_path, classes) == []


UNKNOWN = {
    "of a class": (
        (
            'type A @grant(profile: "Manager", allow: [READ], where: "x > 1") '
            '@grant(profile: "Reporter", allow: [READ], where: "x > 2") { x: Int }'
        ),
        "READ A",
    ),
    "of an attribute": (
        (
            'type A @grant(profile: "Manager", allow: [READ]) @grant(profile: "Reporter", allow: [READ]) '
            '{ x: Int @grant(profile: "Manager", allow: [READ], where: "y == 1") '
            '@grant(profile: "Reporter", allow: [READ], where: "y == 2") y: Int }'
        ),
        "READ A.x",
    ),
    "of the profile": (
        "".join(
            f'type A @grant(profile: "Manager", allow: [READ], where: "{where}") '
            f'@grant(profile: "Reporter", allow: [READ], where: "{where}") {{ x: String }}'
            for where in ("x == caller.profile",)
        ),
        "READ A",
    ),
}


@each_row(("classes", "found"), UNKNOWN.values())
def test_conditions_that_cannot_be_compared_are_a_warning(classes: str, found: str, tmp_path: Path) -> None:
    assert read(classes)
    expected = (
        f"The grants of Reporter and Manager have different conditions for {found}. Check that Manager may "
        "do all that Reporter may do, or give both the same condition."
    )
    assert warnings(tmp_path, classes) == [expected]


def test_every_profile_fits_an_administrator_profile() -> None:
    profiles = '@profile(name: "Reporter", access: FULL, within: ["Boss"])\n'
    assert read(CLASS, HEAD + profiles).profiles["Reporter"].within == ("Boss",)


CHAIN = (
    f'{HEAD}@profile(name: "Manager") @profile(name: "Reporter", within: ["Manager"]) '
    '@profile(name: "Trainee", within: ["Reporter"])\n'
)


@pytest.mark.parametrize(
    ("narrower", "wider", "expected"),
    [
        ("Reporter", "Manager", True),
        ("Trainee", "Manager", True),
        ("Manager", "Reporter", False),
        ("Manager", "Manager", False),
        ("Manager", "Boss", False),
        ("Nobody", "Manager", False),
        ("Reporter", "Nobody", False),
    ],
)
def test_a_profile_lies_within_others_over_several_steps(narrower: str, wider: str, expected: bool) -> None:
    assert lies_within(read(CLASS, CHAIN).profiles, narrower, wider) is expected
