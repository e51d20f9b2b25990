"""A restoration reveals nothing about the targets of unreadable roles or about hidden parts."""

from typing import Any

from stratabase.core.model.model import Model
from stratabase.core.model.reading import read_model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.core.schema.grants.archive_models import ALL, NAMED_X, PLAIN, SEAL, SEALS, granted, model
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row

UNREAD = "[CREATE, EDIT]"
PROFILES = """
extend schema @application(name: "Archive")
  @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
"""
SHELF = 'shelf: Shelf @association(opposite: "files")'


def shelf(files: str, allow: str = "[READ, EDIT]") -> str:
    own = f"type Shelf @class(versioned: true) {granted(allow)}"
    return f'{own} {{ name: String  files: [Dossier!] @association(opposite: "shelf") {files} }}'


def unread(level: str) -> Model:
    """Return a model in which a clerk may write dossiers, but may not read them."""
    dossier = f"type Dossier @class(versioned: true) {granted(UNREAD)} {{ name: String  {level}  {SHELF} }}"
    return read_model(f"{PROFILES} {dossier} {shelf('')}", "archive.graphql")


def answer(archive: ArchiveApi, id_: str, second: int = 0) -> dict[str, Any]:
    """Return the response to a clerk who restores a dossier."""
    return archive.body(archive.restoration(id_, second), CLERK)


@each_row(
    "files",
    [granted("[]"), granted("[READ, EDIT]", NAMED_X), granted("[EDIT]", NAMED_X)],
)
def test_the_other_side_of_an_unread_key_counts_as_changed(files: str) -> None:
    answers = []
    for is_changed in (False, True):
        archive = ArchiveApi(ReferenceEngine(), model(f"{SHELF} {granted(UNREAD)}", shelf(files)))
        one, other = (archive.create("Shelf", name="s") for _ in range(2))
        id_ = archive.create("Dossier", name="a", shelf=one)
        archive.clock.instant += 1000
        archive.change("Dossier", id_, name="b", shelf={"set": other if is_changed else one})
        answers.append(answer(archive, id_))
    assert answers[0] == answers[1]
    (error,) = answers[0]["errors"]
    assert error["extensions"]["issueType"] == "ROLE_GRANT_EDIT"
    assert error["extensions"]["entityID"] is None


def test_the_opposite_of_a_conditionally_readable_key_is_not_named() -> None:
    key = f"level: Int {SHELF} {granted('[READ, EDIT]', 'level < 5')}"
    archive = ArchiveApi(ReferenceEngine(), model(key, shelf(granted("[READ, EDIT]", NAMED_X))))
    one, other = (archive.create("Shelf", name="s") for _ in range(2))
    id_ = archive.create("Dossier", name="a", level=7, shelf=one)
    archive.clock.instant += 1000
    archive.change("Dossier", id_, name="b", shelf={"set": other})
    result = str(answer(archive, id_))
    assert "ROLE_GRANT_EDIT" in result
    assert one not in result
    assert other not in result


def test_a_member_who_may_only_write_learns_no_former_values() -> None:
    """Neither what they led to, nor a value that is not right any more."""
    archive = ArchiveApi(ReferenceEngine(), unread("level: Int"))
    gone = archive.create("Shelf", name="s")
    id_ = archive.create("Dossier", name="a", level=1234, shelf=gone)
    archive.clock.instant += 1000
    archive.change("Dossier", id_, level=1, shelf={"remove": True})
    archive.delete("Shelf", gone)
    archive.go_on(unread('level: Int @domain(max: "9")'))
    (error,) = answer(archive, id_)["errors"]
    assert error["extensions"]["issueType"] == "ATTRIBUTE_RANGE"
    assert "1234" not in str(error)
    archive.go_on(unread("level: Int"))
    assert answer(archive, id_)["data"] == {"Dossier___restoreVersion": {"_id": id_}}


def test_the_former_target_of_an_unread_key_is_not_named() -> None:
    key = f'next: Dossier @association(opposite: "last", holds: true) {granted(UNREAD)}'
    archive = ArchiveApi(ReferenceEngine(), model(f'{key} last: Dossier @association(opposite: "next")'))
    target, other = (archive.create("Dossier", name=name) for name in ("target", "other"))
    id_ = archive.create("Dossier", name="a", next=target)
    archive.clock.instant += 1000
    archive.change("Dossier", id_, next={"remove": True})
    archive.change("Dossier", other, next={"set": target})
    (error,) = answer(archive, id_)["errors"]
    assert error["extensions"]["issueType"] == "ROLE_CARDINALITY"
    assert target not in str(error)


def test_parts_of_an_unreadable_class_count_as_changed_if_some_are_writable() -> None:
    answers = []
    for text in ("x", "y"):
        own = granted("[CREATE, EDIT, DELETE]", "text != 'x'")
        archive = ArchiveApi(ReferenceEngine(), model(SEALS, f"{SEAL} {own} {{ text: String }}"))
        id_ = archive.create("Dossier", name="a", seals=[{"text": "x"}])
        (seal,) = archive.get("Dossier", id_, "seals { items { _id } }")["seals"]["items"]
        archive.clock.instant += 1000
        archive.change("Dossier", id_, name="b", seals={"update": [{**seal, "text": text}]})
        answers.append(answer(archive, id_))
    assert answers[0] == answers[1]
    issues = {error["extensions"]["issueType"] for error in answers[0]["errors"]}
    assert issues == {"ENTITY_GRANT_CREATE", "ENTITY_GRANT_EDIT", "ENTITY_GRANT_DELETE"}
    assert {error["extensions"]["entityID"] for error in answers[0]["errors"]} == {None}


def test_a_hidden_part_deleted_before_its_whole_is_not_restored() -> None:
    archive = ArchiveApi(ReferenceEngine(), model(SEALS, f"{SEAL} {granted(ALL, PLAIN)} {{ text: String }}"))
    id_ = archive.create("Dossier", name="a", seals=[{"text": "hidden"}, {"text": "hidden"}])
    there = archive.get("Dossier", id_, "seals { items { _id } }")["seals"]["items"]
    archive.clock.instant += 1000
    archive.change("Dossier", id_, seals={"delete": [there[0]["_id"]]})
    archive.delete("Dossier", id_)
    assert "errors" not in answer(archive, id_)
    assert archive.get("Dossier", id_, "seals { items { _id } }", ADMINISTRATOR) == {
        "seals": {"items": there[1:]}
    }


@each_row("required", ["", "!"])
@each_row("person", [granted("[READ]", "name != 'hidden'"), granted("[READ]"), ""])
def test_hidden_parts_are_restored_with_their_references(required: str, person: str) -> None:
    """This does not depend on what the caller may see or change."""
    seal = f"{SEAL} {granted(ALL, PLAIN)}"
    back = f'seals: [Seal!] @association(opposite: "owner") {granted("[READ]") if person else ""}'
    owner = f'{{ text: String  owner: Person{required} @association(opposite: "seals") }}'
    classes = f"{seal} {owner} type Person {person} {{ name: String  {back} }}"
    archive = ArchiveApi(ReferenceEngine(), model(SEALS, classes))
    one = archive.create("Person", name="hidden")
    id_ = archive.create("Dossier", name="a", seals=[{"text": "hidden", "owner": one}])
    archive.clock.instant += 1000
    archive.delete("Dossier", id_)
    assert "errors" not in answer(archive, id_)
    shown = archive.get("Dossier", id_, "seals { items { text owner { name } } }")["seals"]["items"]
    assert shown == [{"text": "hidden", "owner": {"name": "hidden"}}]
