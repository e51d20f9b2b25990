"""Conditions compare member names in objects with the caller by identity."""

from typing import Any

from stratabase.core.model.member_names import MEMBER_IDS, NOBODY
from stratabase.core.model.model_expressions import ModelSymbols, evaluation_context
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import Stored
from stratabase.values.cel.environment import Environment
from stratabase.values.cel.expression import compile_expression
from stratabase.values.cel.scope import Scope
from tests.rows import each_row

MODEL = read_model(
    """
    extend schema @application(name: "Work")

    type Task @class(platform: [CREATED_BY, OWNED_BY]) {
      title: String
      team: Team @association(opposite: "tasks")
    }
    type Team @class(platform: [OWNED_BY]) {
      name: String
      tasks: [Task!] @association(opposite: "team")
    }
    """,
    "work.graphql",
)
CALLER = evaluation_context({"id": "m1", "username": "ada"})
OWN: dict[str, Stored] = {
    "_id": "t1",
    "title": "ada",
    "_createdby": "bob",
    "_ownedby": "name of before",
    MEMBER_IDS: {"name of before": "m1", "bob": "m2"},
}
ANOTHERS: dict[str, Stored] = {**OWN, "_createdby": "ada", "_ownedby": "ada", MEMBER_IDS: {"ada": "m2"}}
NOBODYS: dict[str, Stored] = {**ANOTHERS, MEMBER_IDS: {"ada": NOBODY}}


def value(text: str, state: dict[str, Stored]) -> Any:
    """Return the value of an expression for a task whose team has the same owner."""
    expression = compile_expression(text, Scope(ModelSymbols(MODEL), "Task"))
    return expression.evaluate(Environment(state, CALLER, {("team",): state}))


BY_ID = (
    "_ownedby == caller.username",
    "caller.username == _ownedby",
    "!(_ownedby != caller.username)",
    "!(caller.username != _ownedby)",
    "_ownedby in [caller.username]",
    "_ownedby in ['x', caller.username]",
    "caller.username in [_ownedby]",
    "caller.username in [_createdby, _ownedby]",
    "caller.username in [_createdby] + [_ownedby]",
    "team._ownedby == caller.username",
    "caller.username in [team._ownedby, 'x']",
    "firstNotNull(team._ownedby, _createdby) == caller.username",
    "(isNull(title) ? _createdby : _ownedby) == caller.username",
    "[_ownedby, _createdby].exists(x, x == caller.username)",
    "[_ownedby] == [caller.username]",
)


@each_row("text", BY_ID)
def test_the_owner_is_compared_by_member_id_and_not_by_name(text: str) -> None:
    assert value(text, OWN) is True
    assert value(text, ANOTHERS) is False
    assert value(text, NOBODYS) is False


@each_row(
    ("text", "state", "expected"),
    [
        ("lower(_ownedby) == caller.username", ANOTHERS, True),
        ("lower(_ownedby) == caller.username", OWN, False),
        ("_ownedby == 'name of before'", OWN, True),
        ("_ownedby == 'ada'", NOBODYS, True),
        ("_ownedby in ['ada', 'bob']", ANOTHERS, True),
        ("_ownedby == title", ANOTHERS, True),
        ("title == caller.username", OWN, True),
        ("_ownedby + '' == caller.username", ANOTHERS, True),
        ("_ownedby < 'b'", ANOTHERS, True),
        ("caller.username == 'ada'", OWN, True),
        ("_ownedby.startsWith('name')", OWN, True),
    ],
)
def test_other_uses_of_the_owner_compare_the_stored_name(
    text: str, state: dict[str, Stored], expected: bool
) -> None:
    assert value(text, state) is expected


def test_two_attributes_are_equal_if_they_refer_to_one_member() -> None:
    assert value("_ownedby == _createdby", {**OWN, MEMBER_IDS: {"name of before": "1", "bob": "1"}}) is True
    ids: Stored = {"ada": {"_createdby": "1", "_ownedby": "2"}}
    assert value("_ownedby == _createdby", {**ANOTHERS, MEMBER_IDS: ids}) is False


def test_the_result_of_an_expression_is_a_plain_str() -> None:
    for text in ("_ownedby", "caller.username", "isNull(title) ? title : _ownedby"):
        assert type(value(text, OWN)) is str
