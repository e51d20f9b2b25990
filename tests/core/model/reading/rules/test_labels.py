"""Labels are made of stored values that are the same for everyone at any time."""

from collections.abc import Callable

from stratabase.core.model.model import Model
from tests.rows import each_row

FOR_ALL = "A label is the same for everyone at any time, so it can't use"
WORLD = """
type Team { name: String  size: Int  logo: File  members: [Team!]  lead: Team  user: _User
  full: String @derived(expression: "name") }
"""
CASES = {
    "nothing": ('type A @class(label: ¦" ") { x: Int }', "label can't be empty."),
    "an unknown name": (
        'type A @class(label: "¦nam + team.¦nmae") { name: String team: Team }',
        'A has no attribute or role "nam". Did you mean "name"?',
        'Team has no attribute or role "nmae". Did you mean "name"?',
    ),
    "the caller": (
        'type A @class(label: "name + ¦caller.username + ¦caller.x + string(¦caller)") { name: String }',
        *[f"{FOR_ALL} caller."] * 3,
    ),
    "the time": (
        'type A @class(label: "concat(¦now(), ¦today(), year(¦today()))") { name: String }',
        f"{FOR_ALL} now().",
        *[f"{FOR_ALL} today()."] * 2,
    ),
    "derived attributes": (
        'type A @class(label: "¦d + team.¦full") { d: String @derived(expression: "\'x\'") team: Team }',
        "A.d is derived. A label can use only stored attributes.",
        "Team.full is derived. A label can use only stored attributes.",
    ),
    "roles to many": (
        'type A @class(label: "string(size(¦teams)) + team.¦members.name") { teams: [Team!] team: Team }',
        "A.teams leads to many objects. A label can use only roles that lead to one.",
        "Team.members leads to many objects. A label can use only roles that lead to one.",
    ),
    "a list": (
        'type A @class(label: "¦[name, name]") { name: String }',
        "This is a list of String, but a label must be one value. Make it a text.",
    ),
    "a role": (
        'type A @class(label: "¦team") { team: Team }',
        "A role leads to an object, not to a value. Add one of its attributes, or use isNull(x).",
    ),
    "a file": (
        'type A @class(label: "¦team.logo") { team: Team }',
        "A file can't be used as a value. To test whether it is missing, use isNull(x).",
    ),
    "half an expression": (
        'type A @class(label: "name +¦") { name: String }',
        "The expression is incomplete. Add a value at its end.",
    ),
    "another name": (
        'type A @class(¦lable: "name") { name: String }',
        (
            '@class has no argument "lable". It takes kind, versioned, platform, exposed, label, and group. '
            'Did you mean "label"?'
        ),
    ),
}
VALID = (
    "name",
    " _id ",
    "count",
    "concat(day, ' ', team.lead.name, ' ', isNull(team.logo), ' ', _createdby)",
    "team.user.username + ' ' + caller",
    "a_.name + (kind == 'BIG' ? '!' : '')",
)


@each_row("case", CASES.values())
def test_invalid_labels_are_refused(complains: Callable[..., None], case: tuple[str, ...]) -> None:
    written, *messages = case
    complains(written + WORLD, *messages)


@each_row("label", VALID)
def test_labels_can_use_stored_attributes_and_roles_to_one(reads: Callable[[str], Model], label: str) -> None:
    fields = "name: String count: Int day: Date kind: Kind caller: String team: Team"
    text = f'type B @class(platform: [CREATED_BY], label: "{label}") {{ {fields} }}'
    model = reads(text + "enum Kind { BIG } type A { name: String bs: [B!] @composition }" + WORLD)
    assert model.classes["B"].label == label


def test_the_default_label_is_the_first_unique_attribute_in_the_order_of_the_class(
    reads: Callable[[str], Model],
) -> None:
    model = reads("""
    type A @unique(attributes: ["c"]) @unique(attributes: ["b"]) @unique(attributes: ["a", "b"])
      @unique(attributes: ["r"]) { r: B  a: String!  b: Int  c: String! }
    type B { a: String  b: Text!  c: Int!  d: String!  e: String! }
    type C { a: String  b: Text! }
    """)
    labels = [each.label_attribute for each in model.classes.values()]
    assert [each and each.name for each in labels] == ["b", "d", None]
