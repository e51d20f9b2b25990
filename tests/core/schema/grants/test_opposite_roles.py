"""Two roles of an association, one of which is hidden: each shows what its own grant says, and no more."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import ArchiveApi, at

CLERK = Caller("c1", "clerk", "Clerk")
HIDDEN = {"closed": "allow: []", "conditional": 'allow: [READ, EDIT], where: "isNull(hidden) || !hidden"'}
"""How the grant on the role `there` hides it in an object."""


class Kind(NamedTuple):
    """An association of a role `there` with a role `back`."""

    there: str
    back: str
    target: str = "Right"

    @property
    def leads_to_many(self) -> bool:
        """Whether `there` leads to many objects."""
        return self.there.startswith("[")

    @property
    def shows_one(self) -> bool:
        """Whether `back` leads to one object."""
        return not self.back.startswith("[")


KINDS = {
    "many to one": Kind("Right", "[Left!]"),
    "one to many": Kind("[Right!]", "Left"),
    "one to one, with the key": Kind("Right +holds", "Left"),
    "one to one, without the key": Kind("Right", "Left +holds"),
    "many to many": Kind("[Right!]", "[Left!]"),
    "many to one of the same class": Kind("Left", "[Left!]", "Left"),
    "one to one of the same class": Kind("Left +holds", "Left", "Left"),
    "one to one of the same class, without the key": Kind("Left", "Left +holds", "Left"),
}
ENGINES: dict[str, Callable[[Path], Engine]] = {
    "sqlite": SqliteEngine,
    "reference": lambda _: ReferenceEngine(),
}


def model(kind: Kind, hidden: str) -> Model:
    there, back = role("there", kind.there, "back"), role("back", kind.back, "there")
    derived = 'number: Int @derived(path: "back.name", aggregate: COUNT)'
    label = "name"
    if kind.shows_one:
        derived, label = 'told: String @derived(path: "back.name")', "concat(name, ' of ', back.name)"
    left = f'name: String!  hidden: Boolean  {there} @grant(profile: "Clerk", {hidden})'
    right = f"{back}  {derived}"
    granted = '@grant(profile: "Clerk", allow: [READ, CREATE, EDIT], where: "name != \'unseen\'")'
    head = f'@class(versioned: true, label: "{label}") {granted}'
    types = (
        f"type Left {head} {{ {left}  {right} }}"
        if kind.target == "Left"
        else f"type Left @class(versioned: true) {granted} {{ {left} }}\n"
        f"type Right {head} {{ name: String!  {right} }}"
    )
    schema = 'extend schema @application(name: "Sides") @profile(name: "Administrator", administrator: true)'
    return read_model(f'{schema} @profile(name: "Clerk")\n{types}', "sides.graphql")


def role(name: str, type_: str, opposite: str) -> str:
    holds = ", holds: true" if type_.endswith(" +holds") else ""
    return f'{name}: {type_.removesuffix(" +holds")} @association(opposite: "{opposite}"{holds})'


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture(params=HIDDEN)
def hidden(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Sides:
    """An object whose role `there` is hidden, one whose role is not, and where they lead."""

    def __init__(self, engine: Engine, kind: Kind, hidden: str) -> None:
        self.kind = kind
        self.api = ArchiveApi(engine, model(kind, HIDDEN[hidden]))
        self.is_closed = hidden == "closed"
        self.targets: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        for name in ("secret", "plain"):
            self.targets[name] = self.api.create(kind.target, name=f"to {name}")
            there = [self.targets[name]] if kind.leads_to_many else self.targets[name]
            self.owners[name] = self.api.create("Left", name=name, hidden=name == "secret", there=there)
        self.api.clock.instant += 1000

    def ask(self, query: str) -> Any:
        return self.api.ask(query, CLERK)

    @property
    def back(self) -> str:
        """The selection of the role `back`, and of what depends on it."""
        if self.kind.shows_one:
            return "name back { name } told _label"
        return "name back { items { name } totalCount } number _label"

    def shown(self, name: str, owner: str | None) -> Any:
        """Return what `back` must show of a target."""
        if self.kind.shows_one:
            label = f"to {name} of {owner}" if owner else None
            return {"name": f"to {name}", "back": owner and {"name": owner}, "told": owner, "_label": label}
        items = [{"name": owner}] if owner else []
        found = {"items": items, "totalCount": len(items)}
        return {"name": f"to {name}", "back": found, "number": len(items), "_label": f"to {name}"}


@pytest.fixture(params=ENGINES)
def sides(request: pytest.FixtureRequest, tmp_path: Path, kind: Kind, hidden: str) -> Iterator[Sides]:
    with closing(ENGINES[request.param](tmp_path / "store.db")) as engine:
        yield Sides(engine, kind, hidden)


def test_the_opposite_of_a_hidden_role_leads_to_the_object(sides: Sides) -> None:
    target, back = sides.kind.target, sides.back
    for name in ("secret", "plain"):
        id_, expected = sides.targets[name], sides.shown(name, name)
        for instant in ("", f', atVersion: "{at(1)}"'):
            assert sides.ask(f'{{ {target}___get(_id: "{id_}"{instant}) {{ {back} }} }}') == expected
        # A preview reads what is pending, too.
        preview = f'{target}___previewUpdate(data: {{_id: "{id_}", name: "to {name}"}})'
        assert sides.ask(f"{{ {preview} {{ {back} }} }}") == expected


@pytest.mark.parametrize("instant", ["", f', atVersion: "{at(1)}"'])
def test_pages_and_totals_know_the_object_by_the_opposite_role(sides: Sides, instant: str) -> None:
    target = sides.kind.target
    some = 'back: {name___eq: "secret"}' if sides.kind.shows_one else 'back___some: {name___eq: "secret"}'
    for condition in (some, 'told___eq: "secret"' if sides.kind.shows_one else some):
        options = f"options: {{filter: {{{condition}}}}}{instant}"
        found = sides.ask(f"{{ {target}___getPage({options}) {{ totalCount items {{ {sides.back} }} }} }}")
        assert found == {"totalCount": 1, "items": [sides.shown("secret", "secret")]}
    if sides.kind.shows_one:
        groups = "groups(by: [back]) { items { _keys { back { _id } } _count } }"
        options = f'options: {{filter: {{name___starts_with: "to "}}}}{instant}'
        found = sides.ask(f"{{ {target}___getPage({options}) {{ {groups} }} }}")["groups"]["items"]
        assert {(each["_keys"]["back"] or {}).get("_id") for each in found} == {*sides.owners.values()}


def test_a_deleted_object_shows_to_what_the_opposite_role_led(sides: Sides) -> None:
    sides.api.delete(sides.kind.target, sides.targets["secret"])
    query = f"{{ {sides.kind.target}___getDeletedPage {{ items {{ object {{ {sides.back} }} }} }} }}"
    # Only keys and lists of parts have versions.
    has_versions = sides.kind.shows_one or not sides.kind.leads_to_many
    expected = [{"object": sides.shown("secret", "secret" if has_versions else None)}]
    assert sides.ask(query)["items"] == sides.api.ask(query)["items"] == expected


def test_the_opposite_role_shows_no_hidden_object(sides: Sides) -> None:
    sides.api.change("Left", sides.owners["secret"], name="unseen")
    query = f'{{ {sides.kind.target}___get(_id: "{sides.targets["secret"]}") {{ {sides.back} }} }}'
    assert sides.ask(query) == sides.shown("secret", None)


def test_the_hidden_role_itself_tells_nothing(sides: Sides) -> None:
    many = sides.kind.leads_to_many
    there = "there { totalCount items { name } }" if many else "there { name }"
    nothing = {"totalCount": 0, "items": []} if many else None
    for instant in ("", f', atVersion: "{at(1)}"'):
        query = f'{{ Left___get(_id: "{sides.owners["secret"]}"{instant}) {{ {there} }} }}'
        body = sides.api.body(query, CLERK)
        assert body["data"]["Left___get"]["there"] == (None if sides.is_closed else nothing)
        assert ("errors" in body) == sides.is_closed
    condition = "there___some" if many else "there"
    query = f'{{ Left___getPage(options: {{filter: {{{condition}: {{name___eq: "x"}}}}}}) {{ totalCount }} }}'
    assert "ROLE_GRANT_READ" in str(sides.api.body(query, CLERK)["errors"])
    # A change of the link is not told by a diff of the object.
    sides.api.change("Left", sides.owners["secret"], there={"removeAll" if many else "remove": True})
    diff = f'Left___getVersionDiff(_id: "{sides.owners["secret"]}", from: "{at(1)}", to: "{at(9)}")'
    assert sides.ask(f"{{ {diff} {{ changes {{ name }} }} }}") == {"changes": []}
