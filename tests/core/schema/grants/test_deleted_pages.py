"""Pages of deleted objects: what callers with different rights see, and what the pages never tell."""

from functools import partial
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.query.read_budget import Consumption
from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.repository import Repository
from stratabase.members.member import Member
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import BINDER, CLERK, KEEPER, READER, ArchiveApi
from tests.core.schema.users_api import ANNA, GUS, OLLY, ROOT, UsersApi
from tests.core.store.cost import Cost, cost_of
from tests.fakes import ADMINISTRATOR, NOON
from tests.rows import each_row

_FIELDS = "items { object { name secret } restorable } nextCursor prevCursor hasNext hasPrev"


@pytest.fixture
def archive() -> ArchiveApi:
    return ArchiveApi(ReferenceEngine())


def deleted(archive: ArchiveApi, caller: Caller, options: str = "", fields: str = _FIELDS) -> Any:
    """Return a page of deleted files."""
    given = f"(options: {{{options}}})" if options else ""
    return archive.ask(f"{{ Dossier___getDeletedPage{given} {{ {fields} }} }}", caller)


def names(archive: ArchiveApi, caller: Caller, options: str = "") -> list[str]:
    return [
        item["object"]["name"]
        for item in deleted(archive, caller, options, "items { object { name } }")["items"]
    ]


def test_the_last_version_decides_who_sees_a_deleted_object(archive: ArchiveApi) -> None:
    open_, hidden = archive.file(name="open"), archive.file(name="hidden")
    archive.change("Dossier", hidden, level=7)
    for id_ in (open_, hidden):
        archive.delete("Dossier", id_)
    assert names(archive, CLERK) == ["open"]
    assert names(archive, READER) == names(archive, ADMINISTRATOR) == ["hidden", "open"]


def test_a_page_is_the_same_with_and_without_hidden_objects(archive: ArchiveApi) -> None:
    other = ArchiveApi(ReferenceEngine())
    for number in range(6):
        for api in (archive, other):
            level = 9 if api is archive and number % 2 else 1
            if api is archive or number % 2 == 0:
                id_ = api.file(name=f"n{number}", level=level, secret="s")
                api.delete("Dossier", id_)
    fields = "items { object { name } restorable } hasNext hasPrev"
    for options in ("", "next: 1", "next: 2", "next: 3", "prev: 1", "prev: 2"):
        one, two = (deleted(api, CLERK, options, fields) for api in (archive, other))
        assert one == two
    assert len(deleted(archive, READER)["items"]) == 6


def test_conditions_of_grants_make_a_page_no_dearer() -> None:
    consumed: list[Consumption] = []
    archive = ArchiveApi(MeteredEngine(ReferenceEngine(), lambda: consumed.append))
    for number in range(10):
        archive.delete("Dossier", archive.file(name=f"n{number}"))
    costs = []
    for caller in (ADMINISTRATOR, CLERK, READER):
        names(archive, caller)  # reads the registry
        consumed.clear()
        archive.body("{ Dossier___getDeletedPage { items { object { name } } } }", caller)
        costs.append(cost_of(consumed))
    assert costs == [Cost(3, 0.5 + 10 + 10, 0)] * 3


def test_hidden_values_stay_hidden(archive: ArchiveApi) -> None:
    archive.delete("Dossier", archive.file(name="a", secret="s", note="n", level=3))
    query = "{ Dossier___getDeletedPage { items { object { name secret note } } } }"
    body = archive.body(query, CLERK)
    (item,) = body["data"]["Dossier___getDeletedPage"]["items"]
    assert item["object"] == {"name": "a", "secret": None, "note": None}
    (refused,) = archive.issues(
        '{ Dossier___getDeletedPage(options: {filter: {secret___eq: "s"}}) { hasNext } }', CLERK
    )
    assert refused[0] == "ATTRIBUTE_GRANT_READ"


@pytest.mark.parametrize("state", [{}, {"secret": "s"}, {"note": "n"}, {"sheets": [{"weight": 1}]}])
def test_restorable_agrees_with_restoring(archive: ArchiveApi, state: dict[str, Any]) -> None:
    id_, said = archive.file(**state), dict[str, bool]()
    for caller in (CLERK, READER, KEEPER, BINDER, ADMINISTRATOR):
        archive.delete("Dossier", id_)
        last = (archive.clock.instant - NOON) // 1000 - 1
        (item,) = deleted(archive, caller, fields="items { restorable }")["items"]
        said[caller.username] = item["restorable"]
        body = archive.body(archive.restoration(id_, last, force=True), caller)
        assert item["restorable"] is ("errors" not in body), (caller.username, body)
        if "errors" in body:
            archive.body(archive.restoration(id_, last, force=True))
    assert {*said.values()} == {True, False}


def test_objects_of_bulk_deletions_and_many_parts_are_listed(archive: ArchiveApi) -> None:
    ids = [archive.file(name=name, sheets=[{"weight": 1}] * 60) for name in "ab"]
    for id_ in ids:
        archive.change("Dossier", id_, sheets={"create": [{"weight": 2}] * 60})
    bulk = 'Dossier___deleteBulk(options: {filter: {name___in: ["a", "b"]}}) { deleted }'
    assert archive.ask(f"mutation {{ {bulk} }}") == {"deleted": 2}
    assert sorted(names(archive, ADMINISTRATOR)) == ["a", "b"]
    sheets = archive.ask("{ Sheet___getDeletedPage(options: {next: 500}) { items { object { weight } } } }")
    assert len(sheets["items"]) == 240


def test_a_deleted_part_is_seen_with_its_whole_as_it_was_last(archive: ArchiveApi) -> None:
    shown, hidden = (
        archive.file(name=name, sheets=[{"weight": each}]) for each, name in ((1, "a"), (2, "b"))
    )
    archive.change("Dossier", hidden, level=7)
    for id_ in (shown, hidden):
        archive.delete("Dossier", id_)
    page = "{ Sheet___getDeletedPage { items { object { weight } } hasNext } }"
    assert [each["object"]["weight"] for each in archive.ask(page, READER)["items"]] == [2, 1]
    assert archive.ask(page, CLERK) == {"items": [{"object": {"weight": 1}}], "hasNext": False}


LETTERS = """
extend schema @application(name: "Desk") @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk") @profile(name: "Guest") @profile(name: "Boss", access: FULL)
extend type _User @grant(profile: "Clerk", allow: [READ], where: "profile != 'Administrator'")
  @grant(profile: "Boss", allow: [READ])
type Plain @class(versioned: true)
  @grant(profile: "Clerk", allow: [READ]) @grant(profile: "Guest", allow: [READ]) { text: String }
type Signed @class(versioned: true, platform: [LAST_MODIFIED_BY])
  @grant(profile: "Clerk", allow: [READ]) @grant(profile: "Guest", allow: [READ]) { text: String }
"""
"""Clerks read some members, bosses all, guests none. All read who last modified a Signed letter."""


@each_row(
    ("class_name", "member", "shown"),
    [
        ("Plain", ROOT, "root"),
        ("Plain", OLLY, "root"),
        ("Plain", ANNA, None),
        ("Plain", GUS, None),
        ("Signed", ROOT, "root"),
        ("Signed", ANNA, "root"),
        ("Signed", GUS, "root"),
    ],
)
def test_who_deleted_is_told_to_those_who_may_know_it(
    class_name: str, member: Member, shown: str | None
) -> None:
    model = read_model(LETTERS, "letters")
    api = UsersApi(partial(Repository, ReferenceEngine(), model), model)
    created = api.ask(f'mutation {{ {class_name}___create(data: {{text: "a"}}) {{ _id }} }}')
    api.clock.instant += 1000
    api.ask(f'mutation {{ {class_name}___delete(_id: "{created["_id"]}") {{ deleted }} }}')
    page = f"{{ {class_name}___getDeletedPage {{ items {{ object {{ text }} deletedBy }} }} }}"
    assert api.ask(page, member)["items"] == [{"object": {"text": "a"}, "deletedBy": shown}]
    api.remove(ROOT)
    assert api.ask(page, member)["items"] == [{"object": {"text": "a"}, "deletedBy": None}]


def test_an_unreadable_class_is_refused(archive: ArchiveApi) -> None:
    (issue,) = archive.issues("{ Vault___getDeletedPage { hasNext } }", CLERK)
    assert issue[0] == "ENTITY_GRANT_READ"


def test_parts_are_not_restorable_by_themselves(archive: ArchiveApi) -> None:
    id_ = archive.file(name="a", sheets=[{"weight": 3}])
    archive.delete("Dossier", id_)
    query = "{ Sheet___getDeletedPage { items { object { weight } restorable } } }"
    assert archive.ask(query)["items"] == [{"object": {"weight": 3}, "restorable": False}]
    fields = "items { object { sheets { items { weight } } weight } restorable }"
    (item,) = deleted(archive, ADMINISTRATOR, fields=fields)["items"]
    assert item == {"object": {"sheets": {"items": [{"weight": 3}]}, "weight": 3}, "restorable": True}
