"""Who may lock and unlock what, and what locks tell of what is hidden."""

import pytest

from stratabase.domain.member import Caller
from tests.contract.engine.reference import ReferenceEngine
from tests.schema.grants.archive import CLERK, KEEPER, READER, Archive, locking
from tests.worlds import ADMINISTRATOR

OTHER = Caller("m2", "other", "Administrator")


@pytest.fixture
def archive() -> Archive:
    """Return requests to an empty archive."""
    return Archive(ReferenceEngine())


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_who_may_not_edit_may_not_reserve(archive: Archive, verb: str) -> None:
    id_, vault = archive.file(), archive.create("Vault", name="v")
    assert archive.issues(locking(verb, f"Dossier.{id_}"), READER) == [
        ("ENTITY_GRANT_EDIT", f"{verb}.locks.0")
    ]
    assert archive.issues(locking(verb, "Dossier.none"), READER)[0][0] == "ENTITY_GRANT_EDIT"
    assert archive.issues(locking(verb, f"Dossier.{id_}", f"Vault.{vault}"), CLERK) == [
        ("ENTITY_GRANT_EDIT", f"{verb}.locks.1")
    ]


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_what_is_hidden_is_not_there_to_be_reserved(archive: Archive, verb: str) -> None:
    hidden, seen = archive.file(level=9), archive.file()
    missing = [("ENTITY_NOT_FOUND", f"{verb}.locks.0._id")]
    assert archive.issues(locking(verb, f"Dossier.{hidden}", f"Dossier.{seen}"), CLERK) == missing
    assert archive.issues(locking(verb, "Dossier.none", f"Dossier.{seen}"), CLERK) == missing
    told = [archive.body(locking(verb, f"Dossier.{each}"), CLERK)["errors"][0] for each in (hidden, "none")]
    assert told[0]["message"] == told[1]["message"].replace("none", hidden)


def test_a_part_is_reserved_with_the_grant_of_its_whole(archive: Archive) -> None:
    ids = [archive.file(sheets=[{"weight": 1}], level=level) for level in (1, 9)]
    seen, hidden = (
        archive.get("Dossier", id_, "sheets { items { _id } }")["sheets"]["items"][0]["_id"] for id_ in ids
    )
    assert archive.ask(locking("lock", f"Sheet.{seen}"), CLERK) == {"locked": True}
    assert archive.ask(locking("unlock", f"Sheet.{seen}"), CLERK) == {"locked": False}
    assert archive.issues(locking("lock", f"Sheet.{hidden}"), CLERK)[0][0] == "ENTITY_NOT_FOUND"
    assert archive.issues(locking("lock", f"Sheet.{seen}"), READER)[0][0] == "ENTITY_GRANT_EDIT"


@pytest.mark.parametrize("verb", ["lock", "unlock"])
def test_a_part_is_reserved_with_the_grant_of_its_role_too(archive: Archive, verb: str) -> None:
    """Of seals, only the role says what a clerk may do, and of clips, that there are none for him."""
    id_ = archive.file(papers=[{"text": "a"}], clips=[{"text": "b"}])
    shown = archive.get("Dossier", id_, "papers { items { _id } } clips { items { _id } }")
    paper, clip = (shown[role]["items"][0]["_id"] for role in ("papers", "clips"))
    assert archive.issues(locking(verb, f"Paper.{paper}"), CLERK)[0][0] == "ROLE_GRANT_EDIT"
    assert archive.issues(locking(verb, f"Clip.{clip}"), CLERK) == [
        ("ENTITY_NOT_FOUND", f"{verb}.locks.0._id")
    ]


def test_a_lock_is_shown_to_who_sees_the_object(archive: Archive) -> None:
    """Also where its attributes are seen in part."""
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


def test_a_refusal_does_not_name_what_is_hidden(archive: Archive) -> None:
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
