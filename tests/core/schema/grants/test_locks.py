"""Grants needed to lock and unlock, and what locks reveal about hidden objects."""

import json

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import BINDER, CLERK, KEEPER, READER, ArchiveApi, locking
from tests.fakes import ADMINISTRATOR

OTHER = Caller("m2", "other", "Administrator")


@pytest.fixture
def archive() -> ArchiveApi:
    """The API over an empty archive."""
    return ArchiveApi(ReferenceEngine())


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_a_lock_needs_the_grant_to_edit(archive: ArchiveApi, verb: str) -> None:
    id_, vault = archive.file(), archive.create("Vault", name="v")
    assert archive.issues(locking(verb, f"Dossier.{id_}"), READER) == [
        ("ENTITY_GRANT_EDIT", f"{verb}.locks.0")
    ]
    assert archive.issues(locking(verb, "Dossier.none"), READER)[0][0] == "ENTITY_GRANT_EDIT"
    assert archive.issues(locking(verb, f"Dossier.{id_}", f"Vault.{vault}"), CLERK) == [
        ("ENTITY_GRANT_EDIT", f"{verb}.locks.1")
    ]


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_a_hidden_object_cannot_be_locked(archive: ArchiveApi, verb: str) -> None:
    hidden, seen = archive.file(level=9), archive.file()
    missing = [("ENTITY_NOT_FOUND", f"{verb}.locks.0._id")]
    assert archive.issues(locking(verb, f"Dossier.{hidden}", f"Dossier.{seen}"), CLERK) == missing
    assert archive.issues(locking(verb, "Dossier.none", f"Dossier.{seen}"), CLERK) == missing
    result = [archive.body(locking(verb, f"Dossier.{each}"), CLERK)["errors"][0] for each in (hidden, "none")]
    assert result[0]["message"] == result[1]["message"].replace("none", hidden)


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_hidden_and_missing_objects_are_refused_in_the_same_way(archive: ArchiveApi, verb: str) -> None:
    hidden, held = archive.file(level=9), archive.file()
    archive.ask(locking("lock", f"Dossier.{held}"), OTHER)
    result = [
        json.dumps(archive.body(locking(verb, f"Dossier.{held}", f"Dossier.{id_}"), CLERK)).replace(id_, "?")
        for id_ in (hidden, "none")
    ]
    assert result[0] == result[1]


def test_locking_a_part_needs_the_grant_of_its_whole(archive: ArchiveApi) -> None:
    ids = [archive.file(sheets=[{"weight": 1}], level=level) for level in (1, 9)]
    seen, hidden = (
        archive.get("Dossier", id_, "sheets { items { _id } }")["sheets"]["items"][0]["_id"] for id_ in ids
    )
    assert archive.ask(locking("lock", f"Sheet.{seen}"), CLERK) == {"locked": True}
    assert archive.ask(locking("unlock", f"Sheet.{seen}"), CLERK) == {"locked": False}
    assert archive.issues(locking("lock", f"Sheet.{hidden}"), CLERK)[0][0] == "ENTITY_NOT_FOUND"
    assert archive.issues(locking("lock", f"Sheet.{seen}"), READER)[0][0] == "ENTITY_GRANT_EDIT"


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_locking_a_part_needs_the_grant_of_its_role(archive: ArchiveApi, verb: str) -> None:
    """For seals, only the role has a grant for clerks. For clips, clerks have no grant."""
    id_ = archive.file(papers=[{"text": "a"}], clips=[{"text": "b"}])
    shown = archive.get("Dossier", id_, "papers { items { _id } } clips { items { _id } }")
    paper, clip = (shown[role]["items"][0]["_id"] for role in ("papers", "clips"))
    assert archive.issues(locking(verb, f"Paper.{paper}"), CLERK)[0][0] == "ROLE_GRANT_EDIT"
    assert archive.issues(locking(verb, f"Clip.{clip}"), CLERK) == [
        ("ENTITY_NOT_FOUND", f"{verb}.locks.0._id")
    ]


def test_a_lock_is_visible_to_members_who_see_the_object(archive: ArchiveApi) -> None:
    """This also holds if some of its attributes are hidden."""
    id_ = archive.file(secret="s")
    archive.ask(locking("lock", f"Dossier.{id_}"), KEEPER)
    assert archive.get("Dossier", id_, "name _lock { lockedBy mine }", CLERK) == {
        "name": "a",
        "_lock": {"lockedBy": "keeper", "mine": False},
    }
    (issue,) = archive.issues(
        f'mutation {{ Dossier___update(data: {{_id: "{id_}", name: "b"}}) {{ _id }} }}', CLERK
    )
    assert issue[0] == "ENTITY_LOCK_PERSIST"


def test_a_refusal_does_not_name_hidden_objects(archive: ArchiveApi) -> None:
    """A shelf is in the way of nobody, but a tag on it is locked of which a clerk must not know."""
    shelf = archive.create("Shelf", name="s", tags=[{"text": "seen"}, {"text": "hidden"}])
    tags = archive.get("Shelf", shelf, "tags { items { _id } }")["tags"]["items"]
    query = f'mutation {{ Shelf___delete(_id: "{shelf}") {{ deleted }} }}'
    for tag, is_named in zip((each["_id"] for each in tags), (True, False), strict=True):
        archive.ask(locking("lock", f"Tag.{tag}"), OTHER)
        body = archive.body(query, CLERK)
        assert body["errors"][0]["extensions"]["issueType"] == "ENTITY_LOCK_PERSIST"
        assert (tag in str(body)) is is_named
        assert tag in str(archive.body(query, ADMINISTRATOR)["errors"])
        archive.ask(locking("unlock", f"Tag.{tag}"), OTHER)


def test_a_refusal_does_not_name_parts_that_only_their_role_hides(archive: ArchiveApi) -> None:
    """Parts that the request itself names are an exception."""
    id_ = archive.file(clips=[{"text": "c"}])
    (clip,) = archive.get("Dossier", id_, "clips { items { _id } }")["clips"]["items"]
    archive.ask(locking("lock", f"Clip.{clip['_id']}"), OTHER)
    update = 'mutation {{ Dossier___update(data: {{_id: "{}", clips: {{{}}}}}) {{ _id }} }}'
    one = f'{{filter: {{_id___eq: "{id_}"}}}}'
    requests = {
        f'mutation {{ Dossier___delete(_id: "{id_}") {{ deleted }} }}': False,
        f"mutation {{ Dossier___deleteBulk(options: {one}) {{ deleted }} }}": False,
        update.format(id_, "deleteAll: true"): False,
        update.format(id_, f'delete: ["{clip["_id"]}"]'): True,
        update.format(id_, f'update: [{{_id: "{clip["_id"]}", text: "d"}}]'): True,
    }
    for query, is_named in requests.items():
        errors = archive.body(query, BINDER)["errors"]
        assert errors[-1]["extensions"]["issueType"] == "ENTITY_LOCK_PERSIST"
        assert (clip["_id"] in str(errors)) is is_named, query


def test_a_refusal_by_a_grant_does_not_name_parts_that_must_not_be_read() -> None:
    text = """
      extend schema @application(name: "Archive") @profile(name: "Clerk")
        @profile(name: "Administrator", administrator: true)
      type Dossier @grant(profile: "Clerk", allow: [READ, CREATE, EDIT, DELETE]) {
        seals: [Seal!] @composition(whole: "file")
      }
      type Seal @class(exposed: true) @grant(profile: "Clerk", allow: [EDIT]) { text: String }
    """
    archive = ArchiveApi(ReferenceEngine(), read_model(text, "archive.graphql"))
    id_ = archive.create("Dossier", seals=[{"text": "a"}])
    (seal,) = archive.get("Dossier", id_, "seals { items { _id } }")["seals"]["items"]
    query = f'mutation {{ Dossier___update(data: {{_id: "{id_}", seals: {{deleteAll: true}}}}) {{ _id }} }}'
    (error,) = archive.body(query, CLERK)["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_GRANT_DELETE"
    assert seal["_id"] not in str(error)


def test_a_bulk_service_names_the_object_that_a_locked_part_blocks(archive: ArchiveApi) -> None:
    id_ = archive.file(sheets=[{"weight": 1}])
    (sheet,) = archive.get("Dossier", id_, "sheets { items { _id } }")["sheets"]["items"]
    archive.ask(locking("lock", f"Sheet.{sheet['_id']}"), OTHER)
    body = archive.body(
        "mutation { Dossier___deleteBulk(options: {filter: {_id___not___null: true}, next: 5}) { deleted } }"
    )
    assert body["errors"][1]["message"].startswith(
        f'Dossier "{id_}": Sheet "{sheet["_id"]}" is locked by other'
    )
    archive.ask(locking("unlock", f"Sheet.{sheet['_id']}"), OTHER)
    archive.ask(locking("lock", f"Dossier.{id_}"), OTHER)
    body = archive.body(
        "mutation { Dossier___deleteBulk(options: {filter: {_id___not___null: true}, next: 5}) { deleted } }"
    )
    assert body["errors"][1]["message"].startswith(f'Dossier "{id_}" is locked by other')
    assert body["errors"][1]["extensions"]["entityID"] == id_


def test_a_refusal_of_too_many_missing_objects_mentions_no_parts(archive: ArchiveApi) -> None:
    for verb in ("lock", "unlock"):
        query = locking(verb, *(f"Dossier.none{number}" for number in range(150)))
        (error,) = archive.body(query)["errors"]
        assert error["message"] == "locks: The request refers to 150 objects. The maximum is 100."
