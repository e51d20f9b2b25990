"""Warnings about the design of a valid model: parts, profiles and conditions, with exact texts."""

from pathlib import Path

from stratabase.core.model.reading import lint_model_file
from tests.rows import each_row

SCHEMA = 'extend schema @application(name: "Shop") @profile(name: "Boss", administrator: true)'
CLERK = f'{SCHEMA} @profile(name: "Clerk")\n'
CLERK_AT = CLERK.index('"Clerk"') + 1
NEITHER = (
    "The profile Clerk has no access and no @grant names it, so its members can do nothing. Add a "
    "@grant to each class that they may use. To let them do everything, add access: FULL to the profile."
)
NONE = (
    "The profile Clerk has access: NONE and no @grant names it, so its members can do nothing. Add a @grant "
    "to each class that they may use, or remove the profile."
)
NOTHING = (
    "No @grant of the profile Clerk on a class allows an action, so its members can do nothing. Allow "
    "actions in a @grant, or remove the profile."
)
TESTS_ALL = (
    "No @index or @unique covers what this condition compares, so a page of Pet for a member of the profile "
    "Clerk tests all its objects. "
)
NO_ATTRIBUTE = (
    "Compare an attribute of Pet, or one that to-one roles lead to, with a constant or a field of caller, "
    "and add an @index that begins with it."
)


def warnings(tmp_path: Path, model: str) -> list[tuple[int, int, str]]:
    file = tmp_path / "model.graphql"
    file.write_text(model)
    return [(one.line, one.column, one.message) for one in lint_model_file(file)]


def unversioned(whole: str, role: str, part: str) -> str:
    return (
        f"{whole} is versioned, but its parts {whole}.{role} are not: an earlier version of {whole} shows "
        f"them as they are now, without those that were deleted since. Add @class(versioned: true) to {part}."
    )


@each_row(
    ("model", "expected"),
    [
        (
            "type Box @class(versioned: true) {\n  lids: [Lid!] @composition\n}\ntype Lid { name: String }",
            [(3, 3, unversioned("Box", "lids", "Lid"))],
        ),
        (
            (
                "type Box @class(versioned: true) {\n  lid: Lid @composition\n  key: Lid @composition(whole: "
                '"by")\n}\ntype Lid { name: String }'
            ),
            [(3, 3, unversioned("Box", "lid", "Lid")), (4, 3, unversioned("Box", "key", "Lid"))],
        ),
        (
            (
                "type Box @class(versioned: true) { lid: Lid @composition }\n"
                "type Lid @class(versioned: true) { pin: Pin @composition }\ntype Pin { name: String }"
            ),
            [(3, 36, unversioned("Lid", "pin", "Pin"))],
        ),
        (
            (
                "type Box @class(versioned: true) { lid: Lid @composition }\n"
                "type Lid @class(versioned: true) { name: String }"
            ),
            [],
        ),
        ("type Box { lid: Lid @composition }\ntype Lid @class(versioned: true) { name: String }", []),
        ("type Box @class(versioned: true) { lid: Lid }\ntype Lid { name: String }", []),
    ],
)
def test_unversioned_parts_of_a_versioned_whole_are_reported(
    model: str, expected: list[tuple[int, int, str]], tmp_path: Path
) -> None:
    assert warnings(tmp_path, f"{SCHEMA}\n{model}") == expected


@each_row(
    ("classes", "expected"),
    [
        ("type Pet { name: String }", [NEITHER]),
        ('type Pet @grant(profile: "Clerk", allow: []) { name: String }', [NOTHING]),
        (
            (
                'type Pet @grant(profile: "Clerk", allow: []) '
                '{ name: String @grant(profile: "Clerk", allow: []) }'
            ),
            [NOTHING],
        ),
        (
            (
                'type Pet @grant(profile: "Clerk", allow: []) { name: String }\n'
                'type Cage @grant(profile: "Clerk", allow: [READ]) { size: Int }'
            ),
            [],
        ),
        ('type Pet @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) { name: String }', []),
    ],
)
def test_profiles_that_can_do_nothing_are_reported(classes: str, expected: list[str], tmp_path: Path) -> None:
    assert warnings(tmp_path, CLERK + classes) == [(1, CLERK_AT, message) for message in expected]


@each_row(
    ("access", "classes", "expected"),
    [
        ("NONE", "type Pet { name: String }", [NONE]),
        ("READ", "type Pet { name: String }", []),
        ("FULL", "type Pet { name: String }", []),
        ("FULL", 'type Pet @grant(profile: "Clerk", allow: []) { name: String }', [NOTHING]),
        ("READ", 'type Pet @grant(profile: "Clerk", allow: []) { name: String } type Cage { size: Int }', []),
    ],
)
def test_the_access_of_a_profile_counts(
    access: str, classes: str, expected: list[str], tmp_path: Path
) -> None:
    schema = f'{SCHEMA} @profile(name: "Clerk", access: {access})\n'
    assert warnings(tmp_path, schema + classes) == [(1, CLERK_AT, message) for message in expected]


def test_administrators_can_do_everything_without_a_warning(tmp_path: Path) -> None:
    assert warnings(tmp_path, f"{SCHEMA}\ntype Pet {{ name: String }}") == []


PET = """\
type Pet {directives} @class(platform: [OWNED_BY, CREATED_ON])
  @grant(profile: "Clerk", allow: [{allow}], where: "{where}") {{
  name: String
  race: String
  age: Int
  sold: Boolean
  photo: File
  label: String @derived(expression: "name + race")
  cage: Cage
  home: Home @association(opposite: "pets")
  home_place: Int @derived(path: "home.place")
}}
type Home @index(attributes: ["place"]) @grant(profile: "Clerk", allow: [READ]) {{
  size: Int
  place: Int
  pets: [Pet!] @association(opposite: "home")
}}
type Cage @grant(profile: "Clerk", allow: [READ]) {{ size: Int }}
"""
INDEX = '@index(attributes: ["race", "age"]) @index(attributes: ["sold"]) @index(attributes: ["_ownedby"])'
TO_CAGE = (
    'Add @index(attributes: ["size"]) to Cage, and @index(attributes: ["cage"]) to Pet, or an opposite role '
    "to Pet.cage."
)
UNIQUE = '@unique(attributes: ["name", "race"])'


def pet(where: str, directives: str = "", allow: str = "READ") -> str:
    return CLERK + PET.format(where=where, directives=directives, allow=allow)


def to_index(name: str) -> str:
    return f'{TESTS_ALL}Add @index(attributes: ["{name}"]) to Pet.'


@each_row(
    ("where", "directives", "expected"),
    [
        ("name == 'Rex'", "", to_index("name")),
        ("name == 'Rex'", INDEX, to_index("name")),
        ("name == 'Rex'", UNIQUE, to_index("name")),
        ("'Rex' == name", "", to_index("name")),
        ("age > 3", INDEX, to_index("age")),
        ("name in ['Rex', caller.email]", "", to_index("name")),
        ("name.startsWith('R')", "", to_index("name")),
        ("!sold", "", to_index("sold")),
        (
            "_ownedby == caller.username",
            "",
            f"{to_index('_ownedby')[:-1]}, and filter pages by _ownedby too.",
        ),
        ("name == race", INDEX, TESTS_ALL + NO_ATTRIBUTE),
        ("race != 'cat'", INDEX, TESTS_ALL + NO_ATTRIBUTE),
        ("race == 'cat' || name == 'Rex'", INDEX, TESTS_ALL + NO_ATTRIBUTE),
        ("label == 'x'", INDEX, TESTS_ALL + NO_ATTRIBUTE),
        (
            "cage.size == 3",
            INDEX,
            TESTS_ALL + TO_CAGE,
        ),
        ("home.size == 3", INDEX, f'{TESTS_ALL}Add @index(attributes: ["size"]) to Home.'),
        ("home.place == 3", INDEX, None),
        ("home_place == 3 && name != 'Rex'", INDEX, None),
        ("race == 'cat' || race == 'dog'", INDEX, None),
        ("race > 'cat' || race == 'Ant'", INDEX, TESTS_ALL + NO_ATTRIBUTE),
        ("_createdon >= today()", INDEX, to_index("_createdon")),
        ("lower(race) == 'cat'", INDEX, TESTS_ALL + NO_ATTRIBUTE),
        ("race == 'cat'", INDEX, None),
        ("caller.email == race", INDEX, None),
        ("age > 3 && (name == 'Rex' && race == 'cat')", INDEX, None),
        ("race in ['cat', 'dog'] && isNull(name)", INDEX, None),
        ("race.startsWith('c')", INDEX, None),
        ("sold", INDEX, None),
        ("_ownedby == caller.username", INDEX, None),
        ("name == 'Rex' && race == 'cat'", UNIQUE, None),
        ("_id == caller.notes.trim()", "", None),
    ],
)
def test_a_condition_that_no_index_serves_is_reported(
    where: str, directives: str, expected: str | None, tmp_path: Path
) -> None:
    found = [each for each in warnings(tmp_path, pet(where, directives)) if "caller.notes" not in each[2]]
    assert found == ([] if expected is None else [(3, 50, expected)])


@each_row("allow", ["CREATE", "CREATE, EDIT, DELETE"])
def test_a_condition_that_limits_no_page_needs_no_index(allow: str, tmp_path: Path) -> None:
    assert warnings(tmp_path, pet("name == 'Rex'", allow=allow)) == []


@each_row("kind", ["SINGLETON", "FORM"])
def test_a_class_without_pages_needs_no_index(kind: str, tmp_path: Path) -> None:
    model = (
        f'{CLERK}type Pet @class(kind: {kind}) @grant(profile: "Clerk", allow: [READ], where: "age > 3") '
        "{ age: Int }"
    )
    assert warnings(tmp_path, model) == []


def unreadable(class_name: str, hidden: str) -> str:
    return (
        f"Members of the profile Clerk can read {class_name}, but not {hidden}, so the label of each object "
        "is null for them. Set the label of @class to what they can read."
    )


GRANT = '@grant(profile: "Clerk", allow: [READ])'
HIDDEN = '@grant(profile: "Clerk", allow: [])'


@each_row(
    ("classes", "expected"),
    [
        (f"type Pet {GRANT} {{\n  name: String! {HIDDEN}\n}}", [(2, 6, unreadable("Pet", "Pet.name"))]),
        (
            f'type Pet @unique(attributes: ["tag"]) {GRANT} {{ name: String!  tag: Int {HIDDEN} }}',
            [(2, 6, unreadable("Pet", "Pet.tag"))],
        ),
        (
            (
                f'type Pet @class(label: "concat(name, owner.name, owner.age)") {GRANT} '
                f"{{ name: String  owner: Owner }}\ntype Owner {HIDDEN} {{ name: String!  age: Int }}"
            ),
            [(2, 24, unreadable("Pet", "Owner.age and Owner.name"))],
        ),
        # Parts follow their whole.
        (
            f"type Pet {GRANT} {{ toys: [Toy!] @composition }}\ntype Toy {{ name: String! {HIDDEN} }}",
            [(3, 6, unreadable("Toy", "Toy.name"))],
        ),
        (
            (
                f"type Pet {GRANT} {{ toys: [Toy!] @composition }}\n"
                f"type Toy {{ name: String! {HIDDEN}  toys: [Toy!] @composition }}"
            ),
            [(3, 6, unreadable("Toy", "Toy.name"))],
        ),
        # What a condition hides in some objects is null only there.
        (
            (
                f"type Pet {GRANT} {{ age: Int  name: String! "
                '@grant(profile: "Clerk", allow: [READ], where: "age > 1") }'
            ),
            [],
        ),
        (f"type Pet {GRANT} {{ age: Int {HIDDEN} }}", []),
        (f'type Pet @grant(profile: "Clerk", allow: [CREATE]) {{ name: String! {HIDDEN} }}', []),
        (f'type Pet @class(label: "tag") {GRANT} {{ name: String! {HIDDEN}  tag: Int }}', []),
        (f"type Pet @class(kind: FORM) {GRANT} {{ name: String! {HIDDEN} }}", []),
    ],
)
def test_labels_that_a_profile_can_not_read_are_reported(
    classes: str, expected: list[tuple[int, int, str]], tmp_path: Path
) -> None:
    assert warnings(tmp_path, CLERK + classes) == expected


def same_links(name: str, opposite: str, how: str = "") -> str:
    text = (
        f"can read {name} of only some objects, but {opposite} shows the links of the others."
        if how
        else f"can't read {name}, but {opposite} shows the same links."
    )
    return (
        f"Members of the profile Clerk {text} To hide the links there too, add "
        f'@grant(profile: "Clerk", allow: []) to {opposite}. To keep showing them, add a @grant there that '
        "allows READ."
    )


FROM_PETS = f'type Pet {GRANT} {{ tag: Int\n  owner: Owner @association(opposite: "pets")'
TO_PETS = f'type Owner {GRANT} {{ name: String\n  pets: [Pet!] @association(opposite: "owner")'
SOME = '@grant(profile: "Clerk", allow: [READ], where: "tag > 1")'


@each_row(
    ("classes", "expected"),
    [
        (f"{FROM_PETS} {HIDDEN} }}\n{TO_PETS} }}", [(3, 79, same_links("Pet.owner", "Owner.pets"))]),
        (f"{FROM_PETS} {SOME} }}\n{TO_PETS} }}", [(3, 94, same_links("Pet.owner", "Owner.pets", "some"))]),
        # Which side stores the key doesn't matter.
        (f"{FROM_PETS} }}\n{TO_PETS} {HIDDEN} }}", [(5, 80, same_links("Owner.pets", "Pet.owner"))]),
        # A grant on the opposite says what is meant.
        (f"{FROM_PETS} {HIDDEN} }}\n{TO_PETS} {GRANT} }}", []),
        (f"{FROM_PETS} {HIDDEN} }}\n{TO_PETS} {HIDDEN} }}", []),
        (f"{FROM_PETS} {GRANT} }}\n{TO_PETS} }}", []),
        # Nothing shows the links of a class that is closed, of one-way roles, and of parts.
        (f"{FROM_PETS} {HIDDEN} }}\n{TO_PETS.replace(GRANT, '')} }}", []),
        (f"{FROM_PETS.replace('READ', 'CREATE')} {HIDDEN} }}\n{TO_PETS} }}", []),
        (f"type Pet {GRANT} {{ owner: Owner {HIDDEN} }}\ntype Owner {GRANT} {{ name: String }}", []),
        (f"type Pet {GRANT} {{ toys: [Toy!] @composition {HIDDEN} }}\ntype Toy {{ name: String }}", []),
    ],
)
def test_roles_whose_opposites_show_the_same_links_are_reported(
    classes: str, expected: list[tuple[int, int, str]], tmp_path: Path
) -> None:
    found = warnings(tmp_path, CLERK + classes)
    assert [each for each in found if "links" in each[2]] == expected
