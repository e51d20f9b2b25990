"""Lint warnings of grants that compare member names as text."""

import pytest

from stratabase.model.reading import read_model
from stratabase.model.reading.lint import NameUse, uses_of_written_names

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
}
type Team @class(platform: [OWNED_BY]) {
  tasks: [Task!] @association(opposite: "team")
}
"""


def uses(where: str) -> list[NameUse]:
    """Return the uses of names in a condition."""
    return list(uses_of_written_names(read_model(MODEL % where, "work.graphql"), "Task", where))


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
