"""Pages as of an instant and pages of deleted objects after the model has changed."""

from collections.abc import Iterable
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.evolution.backfill.drop import ClassErasure, Drop
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.evolving_api import EvolvingApi, written
from tests.fakes import ADMINISTRATOR

HEADING = """extend schema @application(name: "Test") @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk")
"""
CLERK = Caller("c1", "clerk", "Clerk")
ALL = '@grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE])'
SOME = ALL.replace("])", "], where: \"mail != 'hidden'\")")
TEAM = f'type Team {ALL} {{ name: String workers: [Worker!] @association(opposite: "team") }}'
LONE_TEAM = f"type Team {ALL} {{ name: String }}"
PLACE = "type Place @class(versioned: true, exposed: true) { street: String }"
WORKER = f"type Worker @class(versioned: true) {SOME}"
IN_TEAM = 'team: Team @association(opposite: "workers")'
PLACES = "places: [Place!] @composition"


def model(*fields: str, others: Iterable[str] = (), worker: str = WORKER) -> str:
    """Return the text of a model with workers."""
    return HEADING + "\n".join([f"{worker} {{ mail: String {' '.join(fields)} }}", *others])


OLD = model("age: String", IN_TEAM, PLACES, others=[TEAM, PLACE])
MODELS = {
    "to-many": (
        model('team: [Team!] @association(opposite: "workers")', PLACES, others=[TEAM, PLACE]),
        "team { items { name } } places { items { street } }",
    ),
    "no opposite": (model("team: Team @association", others=[LONE_TEAM]), "team { name }"),
    "no roles": (model("age: Int"), "age"),
    "required": (
        model("age: Int!", "more: Int!", f"{IN_TEAM.replace('Team', 'Team!')}", others=[TEAM]),
        "age more team { name }",
    ),
    "derived": (
        model('age: String @derived(expression: "concat(mail, team.name)")', IN_TEAM, others=[TEAM]),
        "age team { name }",
    ),
    "file": (model("age: File", IN_TEAM, others=[TEAM]), "age { name } team { name }"),
    "renamed": (
        model(
            'years: Int @renamed(from: "age")',
            'crew: Crew @renamed(from: "team") @association(opposite: "people")',
            others=[
                f"""type Crew @renamed(from: "Team") {ALL} {{
                title: String @renamed(from: "name")
                people: [Person!] @renamed(from: "workers") @association(opposite: "crew") }}"""
            ],
            worker=f'type Person @renamed(from: "Worker") @class(versioned: true) {SOME}',
        ),
        "years crew { title people { items { mail } } }",
    ),
    "parts without versions": (
        model(PLACES, others=["type Place { street: String }"]),
        "places { items { street } }",
    ),
    "no parts any more": (
        model(
            'places: [Place!] @association(opposite: "worker")',
            others=[
                f"""type Place @class(versioned: true) {ALL} {{
                street: String worker: Worker @association(opposite: "places") }}"""
            ],
        ),
        "places { items { street } }",
    ),
    "one part": (model("places: Place @composition", others=[PLACE]), "places { street }"),
    "versions of targets": (
        model(IN_TEAM, others=[TEAM.replace("Team", "Team @class(versioned: true)", 1)]),
        "team { name workers { items { mail } } }",
    ),
}
"""By what changes: the new model, and what to select of a worker."""
ALWAYS = {"to-many", "no roles", "renamed"}


class Staff:
    """Workers that were written under the old model."""

    def __init__(self, api: EvolvingApi) -> None:
        self.api = api
        self.instants = list[int]()
        self.deleted = list[tuple[str, int]]()
        """The deleted workers with their last instants, the latest deletion first."""
        team, other = api.create("Team", name="A"), api.create("Team", name="B")
        self.ids = []
        for number, age in enumerate(["5", "old", "7", "8"]):
            places = [{"street": "x"}, {"street": "y"}]
            self.ids.append(api.create("Worker", mail=f"m{number}", age=age, team=team, places=places))
            self._tick()
        for id_ in self.ids[:3]:
            assert not api.update("Worker", _id=id_, age="6", team={"set": other})
        assert not api.update("Worker", _id=self.ids[3], mail="hidden")
        self._tick()
        for id_ in self.ids[1:]:
            assert not api.delete("Worker", id_)
            self.deleted.insert(0, (id_, api.clock.instant - 1))
            self._tick()

    def _tick(self) -> None:
        self.instants.append(self.api.clock.instant + 500)
        self.api.clock.instant += 1000

    def check(self, class_: str, fields: str, caller: Caller) -> None:
        """Pages show what `getVersion` shows of each worker, or refuse for the same reason."""

        pages = f"""query($at: Datetime!) {{ it: {class_}___getPage(atVersion: $at, options: {{next: 9}}) {{
            totalCount items {{ {fields} }} }} }}"""
        versions = f"""query($id: ID!, $at: Datetime!) {{
            it: {class_}___getVersion(_id: $id, atVersion: $at) {{ {fields} }} }}"""

        def version(id_: str, at: int) -> Any:
            return self.ask(caller, versions, id=id_, at=written(at))

        for at in self.instants[::2]:
            page = self.ask(caller, pages, at=written(at))
            self._agree(page, [version(id_, at) for id_ in sorted(self.ids)])
            assert page == REFUSED or page["totalCount"] == len(page["items"])
        shown = f"object {{ {fields} }} deletedOn restorable"
        page = self.ask(caller, f"{{ it: {class_}___getDeletedPage {{ items {{ {shown} }} }} }}")
        if page != REFUSED:
            page = {"items": [each["object"] for each in page["items"]]}
        self._agree(page, [version(id_, at) for id_, at in self.deleted])

    def _agree(self, page: Any, found: list[Any]) -> None:
        if REFUSED in found:
            assert page == REFUSED
        else:
            assert page["items"] == [each for each in found if each is not None]

    def ask(self, caller: Caller, query: str, **variables: Any) -> Any:
        """Return what the field `it` answers, or REFUSED if the store doesn't know what a role led to."""
        body = self.api.body(query, caller, **variables)
        if "errors" in body:
            assert {error["extensions"]["issueType"] for error in body["errors"]} == {"ROLE_DOMAIN"}, body
            assert any(each in str(body) for each in ("reindex", "is known only for later versions"))
            return REFUSED
        return body["data"]["it"]


REFUSED = "refused"


@pytest.mark.parametrize(
    "name",
    [pytest.param(each, marks=() if each in ALWAYS else pytest.mark.thorough) for each in MODELS],
)
def test_pages_show_what_versions_show(name: str) -> None:
    api = EvolvingApi(ReferenceEngine(), OLD)
    staff = Staff(api)
    new, fields = MODELS[name]
    class_ = "Person" if "type Person" in new else "Worker"
    for built in (False, True):
        api.serve(new)
        for caller in (ADMINISTRATOR, CLERK):
            staff.check(class_, f"_id mail {fields}", caller)
        if not built:
            api.reindex()
    page = f"{{ it: {class_}___getDeletedPage {{ items {{ object {{ mail }} }} }} }}"
    assert [len(staff.ask(each, page)["items"]) for each in (ADMINISTRATOR, CLERK)] == [3, 2]


def pages(api: EvolvingApi, at: int) -> list[list[str]]:
    """Return the names of things as of an instant, and of deleted ones."""
    past = api.ask(f'{{ Thing___getPage(atVersion: "{written(at)}") {{ items {{ name }} }} }}')
    deleted = api.ask("{ Thing___getDeletedPage { items { object { name } } } }")
    return [[each["name"] for each in past["items"]], [each["object"]["name"] for each in deleted["items"]]]


VERSIONED, WITHOUT = (
    f"type Thing @class(versioned: {each}) {{ name: String }}" for each in ("true", "false")
)


def test_a_class_that_becomes_versioned_shows_what_was_written_since_the_last_change() -> None:
    api = EvolvingApi(ReferenceEngine(), WITHOUT)
    kept, gone = (api.create("Thing", name=name) for name in ("kept", "gone"))
    api.clock.instant += 1000
    assert not api.update("Thing", _id=kept, name="changed")
    assert not api.delete("Thing", gone)
    changed = api.clock.instant
    api.serve(VERSIONED)
    unbuilt = '{ Thing___getPage(atVersion: "2020-01-01T12:00:00Z") { items { _id } } }'
    for query in (unbuilt, "{ Thing___getDeletedPage { hasNext } }"):
        (error,) = api.body(query)["errors"]
        assert "stratabase reindex" in error["extensions"]["userMessage"]
    api.reindex()
    api.serve(VERSIONED)
    assert pages(api, changed - 1) == [[], []]
    assert pages(api, changed) == [["changed"], []]

    api.clock.instant += 1000
    assert not api.delete("Thing", kept)
    assert pages(api, changed) == [["changed"], ["changed"]]


def test_a_class_that_is_not_versioned_for_a_while_keeps_its_deleted_objects() -> None:
    api = EvolvingApi(ReferenceEngine(), VERSIONED)
    first, second = (api.create("Thing", name=name) for name in ("first", "second"))
    created = api.clock.instant
    api.clock.instant += 1000
    assert not api.delete("Thing", first)
    api.serve(WITHOUT)
    assert not api.delete("Thing", second)  # for good
    api.serve(VERSIONED)
    assert pages(api, created) == [["first"], ["first"]]


def test_a_class_that_was_dropped_has_no_past() -> None:
    engine = ReferenceEngine()
    api = EvolvingApi(engine, VERSIONED)
    gone, _ = (api.create("Thing", name=name) for name in ("gone", "left"))
    created = api.clock.instant
    api.clock.instant += 1000
    assert not api.delete("Thing", gone)
    api.serve("type Other { name: String }")
    erasure = Drop(engine, api.model, ClassErasure("Thing"), local=True, sleep=lambda _: None)
    assert erasure.run().is_clean
    api.serve(VERSIONED)
    assert pages(api, created) == [[], []]
    api.create("Thing", name="new")
    assert pages(api, api.clock.instant) == [["new"], []]
