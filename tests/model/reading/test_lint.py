"""What is right in a model, and worth a second look."""

import json
from pathlib import Path

import pytest

from stratabase.model.reading import InvalidModel, lint_model_file

HEAD = """\
extend schema
  @application(name: "Shop")
  @profile(name: "Boss", administrator: true)
  @profile(name: "Clerk")
"""
ADVICE = (
    "so they decide what this allows. Compare caller.id, username, or profile, which only "
    "administrators set, or email, which members must confirm."
)
DERIVED = """
type Pet @grant(profile: "Clerk", allow: [READ], where: "{where}") {{
  name: String!
  mine: Boolean @derived(expression: "name == caller.notes && caller.language == 'it'")
  also: Boolean @derived(expression: "!mine")
  cage: Cage @association
  label: String @derived(path: "cage.label")
  count: Int @derived(expression: "1 + 1")
}}
type Cage {{ size: String!  label: String @derived(expression: "size + caller.dateFormat") }}
"""


def found(tmp_path: Path, model: str) -> list[tuple[int, int, str]]:
    file = tmp_path / "model.graphql"
    file.write_text(HEAD + model)
    return [(one.line, one.column, one.message) for one in lint_model_file(file)]


def grant(where: str) -> str:
    return f'type Pet @grant(profile: "Clerk", allow: [READ], where: "{where}") {{ name: String! }}\n'


@pytest.mark.parametrize("field", ["notes", "language", "timeZone", "dateFormat", "timeFormat"])
def test_what_members_set_themselves(field: str, tmp_path: Path) -> None:
    message = f"Members can set caller.{field} themselves, {ADVICE}"
    assert found(tmp_path, grant(f"name == caller.{field}")) == [(5, 66, message)]


@pytest.mark.parametrize("field", ["id", "username", "email", "profile"])
def test_what_they_cannot(field: str, tmp_path: Path) -> None:
    assert found(tmp_path, grant(f"name == caller.{field}")) == []
    assert found(tmp_path, grant(f"name == caller.{field} && name != 'caller.notes'")) == []


def test_each_place_is_told_wherever_it_stands(tmp_path: Path) -> None:
    where = "isNull(caller.notes) ? true : ['a', caller.language].exists(x, x == caller.notes)"
    places = [where.index("caller.notes"), where.index("caller.language"), where.rindex("caller.notes")]
    begins = grant(where).index(where) + 1
    assert [(line, column) for line, column, _ in found(tmp_path, grant(where))] == [
        (5, begins + place) for place in places
    ]


def test_grants_of_attributes_are_looked_at_too(tmp_path: Path) -> None:
    model = """\
type Pet @grant(profile: "Clerk", allow: [READ]) {
  name: String! @grant(profile: "Clerk", allow: [READ], where: "name == caller.notes")
}
"""
    assert [(line, column) for line, column, _ in found(tmp_path, model)] == [(6, 73)]


@pytest.mark.parametrize(
    ("where", "reads"),
    [
        ("mine", "mine is derived from caller.notes and caller.language"),
        ("also", "also is derived from caller.notes and caller.language"),
        ("cage.label == 'x'", "cage.label is derived from caller.dateFormat"),
        ("label == 'x'", "label is derived from caller.dateFormat"),
    ],
)
def test_what_is_derived_from_them(where: str, reads: str, tmp_path: Path) -> None:
    (one,) = found(tmp_path, DERIVED.format(where=where))
    assert one[2] == f"{reads}, which members can set themselves, {ADVICE}"


def test_what_is_derived_from_other_things(tmp_path: Path) -> None:
    assert found(tmp_path, DERIVED.format(where="count == 2 && cage.size == caller.username")) == []


def test_other_conditions_may_read_them(tmp_path: Path) -> None:
    model = """\
type Pet @warning(name: "odd", condition: "name == caller.notes", message: "Odd.") {
  name: String!
  mine: Boolean @derived(expression: "name == caller.notes")
}
"""
    assert found(tmp_path, model) == []


def test_a_model_with_mistakes_is_not_looked_at(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel):
        found(tmp_path, "type Pet { name: Strin }")


def test_the_sample_and_the_models_of_the_tests_are_quiet() -> None:
    root = Path(__file__).parents[3]
    for model in ("layers/model/model.graphql", "tests/schema/models/everything.graphql"):
        assert lint_model_file(root / model) == ()


ASCII = (
    r"only ASCII letters (RE2). Write [\p{L}\p{N}_] for a word character of any script, or [A-Za-z0-9_] "
    "for ASCII."
)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"\w+", r"\w matches"),
        (r"[\w .-]+", r"\w matches"),
        (r"[^\W\d_]+", r"\W matches"),
        (r"a\b.*\B\w", r"\w, \b, and \B match"),
    ],
)
def test_a_pattern_that_admits_ascii_only(tmp_path: Path, pattern: str, words: str) -> None:
    """Python's patterns took letters of any script for these: whoever comes from there should know."""
    model = f'type Pet {{\n  name: String @domain(pattern: ["x", {json.dumps(pattern)}])\n}}\n'
    assert found(tmp_path, model) == [(6, 39, f"{words} {ASCII}")]


@pytest.mark.parametrize(
    "pattern", [r"[\p{L}\p{N}_]+", r"\d+\s", r"\\w", r"\Q\w\E", "[A-Za-z0-9_]+", r"\pL\p{Greek}", "wW"]
)
def test_a_pattern_that_says_what_it_admits(tmp_path: Path, pattern: str) -> None:
    model = f"type Pet {{ name: String @domain(pattern: [{json.dumps(pattern)}]) }}\n"
    assert found(tmp_path, model) == []
