"""Lint warnings of valid models."""

import json
from pathlib import Path

import pytest

from stratabase.core.model.reading import InvalidModel, lint_model_file
from tests.repository import ROOT

HEAD = """\
extend schema
  @application(name: "Shop")
  @profile(name: "Boss", administrator: true)
  @profile(name: "Clerk")
"""
ADVICE = (
    "so they can control what this grant allows. Compare caller.id or caller.profile, which only "
    "administrators set, or caller.email, which members must confirm."
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


OF_DESIGN = ("The profile Clerk has no access", "No @index or @unique")
"""How the warnings begin that `test_lint_of_design` tests. The models here may get them too."""


def found(tmp_path: Path, model: str) -> list[tuple[int, int, str]]:
    file = tmp_path / "model.graphql"
    file.write_text(HEAD + model)
    return [
        (one.line, one.column, one.message)
        for one in lint_model_file(file)
        if not one.message.startswith(OF_DESIGN)
    ]


def grant(where: str) -> str:
    return f'type Pet @grant(profile: "Clerk", allow: [READ], where: "{where}") {{ name: String! }}\n'


@pytest.mark.parametrize("field", ["notes", "language", "timeZone", "dateFormat", "timeFormat"])
def test_a_grant_by_a_field_that_members_set_is_reported(field: str, tmp_path: Path) -> None:
    message = f"Members can set caller.{field} themselves, {ADVICE}"
    assert found(tmp_path, grant(f"name == caller.{field}")) == [(5, 66, message)]


@pytest.mark.parametrize("field", ["id", "email", "profile"])
def test_a_grant_by_a_field_that_members_cannot_set_is_accepted(field: str, tmp_path: Path) -> None:
    assert found(tmp_path, grant(f"name == caller.{field}")) == []
    assert found(tmp_path, grant(f"name == caller.{field} && name != 'caller.notes'")) == []


def test_every_use_is_reported_at_its_place(tmp_path: Path) -> None:
    where = "isNull(caller.notes) ? true : ['a', caller.language].exists(x, x == caller.notes)"
    places = [where.index("caller.notes"), where.index("caller.language"), where.rindex("caller.notes")]
    begins = grant(where).index(where) + 1
    assert [(line, column) for line, column, _ in found(tmp_path, grant(where))] == [
        (5, begins + place) for place in places
    ]


def test_grants_of_attributes_are_checked(tmp_path: Path) -> None:
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
def test_a_grant_by_an_attribute_derived_from_such_a_field_is_reported(
    where: str, reads: str, tmp_path: Path
) -> None:
    (one,) = found(tmp_path, DERIVED.format(where=where))
    assert one[2] == f"{reads}, which members can set themselves, {ADVICE}"


def test_a_grant_by_an_attribute_derived_from_other_values_is_accepted(tmp_path: Path) -> None:
    assert found(tmp_path, DERIVED.format(where="count == 2 && cage.size == caller.email")) == []


def test_warnings_and_derived_attributes_may_read_such_fields(tmp_path: Path) -> None:
    model = """\
type Pet @warning(name: "odd", condition: "name == caller.notes", message: "Odd.") {
  name: String!
  mine: Boolean @derived(expression: "name == caller.notes")
}
"""
    assert found(tmp_path, model) == []


def test_an_invalid_model_is_not_linted(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel):
        found(tmp_path, "type Pet { name: Strin }")


def test_the_sample_has_no_warnings() -> None:
    assert lint_model_file(ROOT / "layers/model/model.graphql") == ()


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
def test_a_pattern_with_ascii_only_classes_is_reported(tmp_path: Path, pattern: str, words: str) -> None:
    """In Python's patterns, these classes match letters of any script."""
    model = f'type Pet {{\n  name: String @domain(pattern: ["x", {json.dumps(pattern)}])\n}}\n'
    assert found(tmp_path, model) == [(6, 39, f"{words} {ASCII}")]


@pytest.mark.parametrize(
    "pattern", [r"[\p{L}\p{N}_]+", r"\d+\s", r"\\w", r"\Q\w\E", "[A-Za-z0-9_]+", r"\pL\p{Greek}", "wW"]
)
def test_a_pattern_with_explicit_classes_is_accepted(tmp_path: Path, pattern: str) -> None:
    model = f"type Pet {{ name: String @domain(pattern: [{json.dumps(pattern)}]) }}\n"
    assert found(tmp_path, model) == []


SEEN = "2020-02-01T10:00:00.000Z"


def test_a_day_that_is_not_in_iso_8601_is_reported(tmp_path: Path) -> None:
    model = """type Pet {
  born: Date @default(value: "01/02/2020") @domain(min: "2000-01-01", max: "31/12/2030")
  seen: Datetime @default(value: "01/02/2020 10:00")
  at: Time @default(value: "10:00")
}
"""
    assert found(tmp_path, model) == [
        (6, 30, 'value: "01/02/2020" means 2020-02-01. Write it in ISO 8601: "2020-02-01".'),
        (6, 76, 'max: "31/12/2030" means 2030-12-31. Write it in ISO 8601: "2030-12-31".'),
        (
            7,
            34,
            f'value: "01/02/2020 10:00" means {SEEN}. Write it in ISO 8601: "{SEEN}".',
        ),
    ]


def test_days_in_iso_8601_are_accepted(tmp_path: Path) -> None:
    model = """type Pet {
  born: Date @default(value: "2020-02-01")
  seen: Datetime @domain(min: "2020-02-01T10:00:00Z", max: "2030-02-01T10:00:00.000+01:00")
}
"""
    assert found(tmp_path, model) == []
