"""Lint warnings of grants that compare member names as text."""

from pathlib import Path

import pytest

from stratabase.core.model.reading import lint_model_file, read_model
from stratabase.core.model.reading.lint import (
    CallerNameUse,
    NameUse,
    uses_of_caller_name,
    uses_of_written_names,
)
from stratabase.core.model.users import with_users
from tests.rows import each_row

MODEL = """
extend schema @application(name: "Work") @profile(name: "Boss", administrator: true) @profile(name: "Member")

type Task @class(platform: [CREATED_BY, OWNED_BY]) @grant(profile: "Member", allow: [READ], where: "%s") {
  title: String
  done: Boolean
  owner: String @derived(expression: "_ownedby")
  mine: Boolean @derived(expression: "_ownedby == caller.username")
  lower: Boolean @derived(expression: "lower(_ownedby) == caller.username")
  chief: String @derived(path: "team._ownedby")
  team: Team @association(opposite: "tasks")
  helper: _User
  named: Boolean @derived(expression: "title == caller.username")
  team_named: Boolean @derived(path: "team.named")
}
type Team @class(platform: [OWNED_BY]) {
  tasks: [Task!] @association(opposite: "team")
  name: String
  named: Boolean @derived(expression: "!(caller.username != name)")
}
"""


def caller_uses(where: str) -> list[CallerNameUse]:
    """Return the uses of the caller's name in a condition."""
    model = with_users(read_model(MODEL % where, "work.graphql"))
    return list(uses_of_caller_name(model, "Task", where))


def uses(where: str) -> list[NameUse]:
    """Return the uses of names in a condition."""
    return list(uses_of_written_names(read_model(MODEL % where, "work.graphql"), "Task", where))


@each_row(
    "where",
    [
        "_ownedby == caller.username",
        "caller.username != team._ownedby && !done",
        "caller.username in [_ownedby, _createdby]",
        "caller.username in [_ownedby, title]",
        "_ownedby in [caller.username]",
        "_ownedby == _createdby",
        "firstNotNull(team._ownedby, _ownedby) == caller.username",
        "(done ? _ownedby : _createdby) == caller.username",
        "isNull(_ownedby) || has(_createdby)",
        "mine",
        "title == caller.username",
        "caller.username == 'admin'",
    ],
)
def test_comparisons_of_members_are_accepted(where: str) -> None:
    assert uses(where) == []


@each_row(
    ("where", "at", "path", "made_of"),
    [
        ("lower(_ownedby) == caller.username", 6, "_ownedby", ""),
        ("_ownedby == 'ada'", 0, "_ownedby", ""),
        ("caller.username == 'ada' || team._ownedby == title", 28, "team._ownedby", ""),
        ("_ownedby in ['ada', caller.username]", 0, "_ownedby", ""),
        ("_ownedby + '' == caller.username", 0, "_ownedby", ""),
        ("_ownedby < caller.username", 0, "_ownedby", ""),
        ("done ? _ownedby == title : done", 7, "_ownedby", ""),
        ("!_ownedby.startsWith('a')", 1, "_ownedby", ""),
        ("[_ownedby][0] == caller.username", 1, "_ownedby", ""),
        ("owner == caller.username", 0, "owner", "_ownedby"),
        ("chief == caller.username", 0, "chief", "team._ownedby"),
        ("lower", 0, "lower", "lower(_ownedby) == caller.username"),
    ],
)
def test_uses_of_a_member_name_as_text_are_reported(where: str, at: int, path: str, made_of: str) -> None:
    assert uses(where) == [NameUse(at, path, made_of)]


def test_a_use_of_a_name_has_a_readable_message() -> None:
    assert str(NameUse(0, "owner", "_ownedby")) == (
        "This condition might compare owner (derived from _ownedby) as text, and another member can later "
        "take that name. Compare the attribute that holds the name directly with caller.username, using ==, "
        "!=, or in."
    )
    assert str(NameUse(0, "team._ownedby")) == (
        "This condition might compare team._ownedby as text, and another member can later take that name. "
        "Compare team._ownedby directly with caller.username, using ==, !=, or in."
    )


@each_row(
    "where",
    [
        "_ownedby == caller.username",
        "mine || caller.username in [team._ownedby, _createdby]",
        "helper == caller.id",
        "caller.username == helper.username",
        "_ownedby_user.username != caller.username",
        "isNull(caller.username)",
        "title == caller.email",
    ],
)
def test_comparisons_of_the_caller_with_members_are_accepted(where: str) -> None:
    assert caller_uses(where) == []


@each_row(
    ("where", "at", "attribute"),
    [
        ("title == caller.username", 9, ""),
        ("caller.username == 'admin'", 0, ""),
        ("done || caller.username in ['a', 'b']", 8, ""),
        ("title.contains(caller.username)", 15, ""),
        ("_ownedby == lower(caller.username)", 18, ""),
        ("caller.username == helper.email", 0, ""),
        ("!named", 1, "named"),
        ("team.named", 0, "team.named"),
        ("team_named", 0, "team_named"),
    ],
)
def test_uses_of_the_caller_name_as_text_are_reported(where: str, at: int, attribute: str) -> None:
    assert caller_uses(where) == [CallerNameUse(at, attribute)]


def test_a_use_of_the_caller_name_has_a_readable_message() -> None:
    advice = (
        "a text with caller.username, and another member can later take that name. To connect objects with "
        "a member, use a role such as assignee: _User, and compare assignee == caller.id."
    )
    assert str(CallerNameUse(0)) == f"This condition compares {advice}"
    assert str(CallerNameUse(0, "a.b")) == f"a.b, which this condition uses, compares {advice}"


@pytest.mark.parametrize("directive", ["grant", "warning"])
def test_model_check_reports_names_in_grants_and_warnings(directive: str, tmp_path: Path) -> None:
    other = {
        "grant": '@grant(profile: "Member", allow: [READ], where: "title == caller.username")',
        "warning": '@warning(name: "w", condition: "title == caller.username", message: "m")',
    }[directive]
    file = tmp_path / "model.graphql"
    file.write_text(
        'extend schema @application(name: "Work") @profile(name: "Boss", administrator: true)\n'
        f'@profile(name: "Member", access: READ)\ntype Task {other} {{ title: String }}\n'
    )
    found = [each for each in lint_model_file(file) if "caller.username" in each.message]
    assert [(each.line, each.message) for each in found] == [(3, str(CallerNameUse(0)))]
