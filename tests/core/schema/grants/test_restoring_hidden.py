"""Hidden values neither show in the outcome of a restoration nor are lost by it."""

import json
from typing import Any, NamedTuple

import pytest

from stratabase.core.model.model import Model
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.core.schema.grants.archive_models import ALL, NAMED_X, OTHERS, PLAIN, SEAL, SEALS, granted, model
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row


class Case(NamedTuple):
    """The values of a new dossier, and a change of a value that a clerk cannot see."""

    model: Model
    made: dict[str, Any]
    changed: dict[str, Any]


HIDDEN = {
    "an attribute": Case(model(f"secret: String {granted('[]')}"), {"secret": "a"}, {"secret": "b"}),
    "an attribute of some": Case(
        model(f"secret: String {granted('[READ, EDIT]', NAMED_X)}"), {"secret": "a"}, {"secret": "b"}
    ),
    "an attribute of some that is read only": Case(
        model(f"secret: String {granted('[READ]', OTHERS)}"), {"secret": "a"}, {"secret": "b"}
    ),
    "a key": Case(model(f"vault: Vault {granted('[]')}"), {"vault": "@"}, {"vault": {"remove": True}}),
    "a key to a class without grants": Case(
        model("vault: Vault"), {"vault": "@"}, {"vault": {"remove": True}}
    ),
    "parts": Case(
        model(f"{SEALS} {granted('[]')}", f"{SEAL} {{ text: String }}"),
        {"seals": [{"text": "a"}]},
        {"seals": {"deleteAll": True}},
    ),
    "parts of some": Case(
        model(f"{SEALS} {granted('[READ, EDIT, CREATE]', NAMED_X)}", f"{SEAL} {{ text: String }}"),
        {"seals": [{"text": "a"}]},
        {"seals": {"deleteAll": True}},
    ),
    "parts that are closed themselves": Case(
        model(SEALS, f"{SEAL} {granted('[]')} {{ text: String }}"),
        {"seals": [{"text": "a"}]},
        {"seals": {"deleteAll": True}},
    ),
    "parts of which an attribute is closed": Case(
        model(
            f"{SEALS} {granted('[CREATE, EDIT, DELETE]')}", f"{SEAL} {{ text: String {granted('[READ]')} }}"
        ),
        {"seals": [{"text": "a"}]},
        {"seals": {"deleteAll": True}},
    ),
    "parts of parts": Case(
        model(
            f"{SEALS} {granted('[CREATE, EDIT, DELETE]')}",
            f"{SEAL} {{ text: String  rings: [Ring!] @composition {granted('[EDIT]')} }}"
            "type Ring @class(versioned: true) { text: String }",
        ),
        {"seals": [{"text": "a", "rings": [{"text": "r"}]}]},
        {"seals": {"deleteAll": True}},
    ),
    "an attribute of parts": Case(
        model(SEALS, f"{SEAL} {{ text: String {granted('[]')} }}"),
        {"seals": [{"text": "a"}]},
        {"seals": {"update": [{"_id": "#", "text": "b"}]}},
    ),
}


def dossier(archive: ArchiveApi, case: Case, changed: dict[str, Any]) -> str:
    """Create a dossier with the name a in second 1 and the name b from second 2 on."""
    vault = archive.create("Vault", name="v")
    id_ = archive.create("Dossier", name="a", **_with(case.made, vault))
    seals = "seals { items { _id } }" if "seals" in case.made else "_id"
    seal = archive.get("Dossier", id_, seals).get("seals", {}).get("items") or [{}]
    archive.clock.instant += 1000
    archive.change("Dossier", id_, name="b", **_with(changed, vault, seal[0].get("_id", "")))
    archive.clock.instant += 1000
    return id_


def _with(values: dict[str, Any], vault: str, seal: str = "") -> dict[str, Any]:
    return dict(json.loads(json.dumps(values).replace("@", vault).replace("#", seal)))


@pytest.mark.parametrize("case", HIDDEN.values(), ids=HIDDEN)
def test_restoring_a_hidden_value_is_refused_whether_it_changed_or_not(case: Case) -> None:
    answers = []
    for changed in ({}, case.changed):
        archive = ArchiveApi(ReferenceEngine(), case.model)
        id_ = dossier(archive, case, changed)
        answers.append(archive.body(archive.restoration(id_, 0, force=True), CLERK))
        assert archive.version(id_, 9, "name", ADMINISTRATOR) == {"name": "b"}
        archive.ask(archive.restoration(id_, 0), ADMINISTRATOR)
    assert answers[0] == answers[1]
    assert {error["extensions"]["issueType"].split("_")[1] for error in answers[0]["errors"]} == {"GRANT"}


def test_a_member_who_may_only_write_a_value_restores_it_unseen() -> None:
    case = Case(model(f"secret: String {granted('[EDIT]')}"), {"secret": "a"}, {"secret": "b"})
    for changed in ({}, case.changed):
        archive = ArchiveApi(ReferenceEngine(), case.model)
        id_ = dossier(archive, case, changed)
        assert archive.ask(archive.restoration(id_, 0, "_id"), CLERK) == {"_id": id_}
        assert archive.get("Dossier", id_, "secret") == {"secret": "a"}


@each_row("own", ["", granted("[CREATE, EDIT, DELETE]")])
def test_write_only_parts_are_restored_unseen(own: str) -> None:
    where = "" if own else granted("[CREATE, EDIT, DELETE]")
    case = Case(
        model(f"{SEALS} {where}", f"{SEAL} {own} {{ text: String }}"),
        {"seals": [{"text": "a"}]},
        {"seals": {"deleteAll": True}},
    )
    for changed in ({}, case.changed):
        archive = ArchiveApi(ReferenceEngine(), case.model)
        id_ = dossier(archive, case, changed)
        assert archive.ask(archive.restoration(id_, 0, "_id"), CLERK) == {"_id": id_}
        shown = archive.get("Dossier", id_, "name seals { items { text } }")
        assert shown == {"name": "a", "seals": {"items": [{"text": "a"}]}}


def test_parts_of_parts_are_restored_with_the_grant_of_their_composition() -> None:
    """This also holds if the part between them does not change."""
    rings = f"rings: [Ring!] @composition {granted('[READ]')}"
    ring = "type Ring @class(versioned: true) { text: String }"
    archive = ArchiveApi(ReferenceEngine(), model(SEALS, f"{SEAL} {{ {rings} }} {ring}"))
    id_ = archive.create("Dossier", seals=[{"rings": [{"text": "a"}]}])
    shown = "seals { items { _id rings { items { _id text } } } }"
    (seal,) = archive.get("Dossier", id_, shown)["seals"]["items"]
    archive.clock.instant += 1000
    (one,) = seal["rings"]["items"]
    other = {"update": [{"_id": seal["_id"], "rings": {"update": [{**one, "text": "b"}]}}]}
    archive.change("Dossier", id_, name="b", seals=other)
    result = archive.issues(archive.restoration(id_, 0), CLERK)
    assert [(issue[0], *issue[2:]) for issue in result] == [("ROLE_GRANT_EDIT", "rings")]
    archive.change("Dossier", id_, name="c")
    assert archive.ask(archive.restoration(id_, 3, "name"), CLERK) == {"name": "b"}


def test_an_issue_about_a_hidden_value_does_not_reveal_it() -> None:
    """To who may write it, and not read it."""
    archive = ArchiveApi(ReferenceEngine(), model(f"secret: Int {granted('[EDIT]')}"))
    id_ = archive.create("Dossier", secret=1234)
    archive.clock.instant += 1000
    archive.change("Dossier", id_, secret=1)
    archive.go_on(model(f'secret: Int @domain(max: "9") {granted("[EDIT]")}'))
    for caller, is_told in ((CLERK, False), (ADMINISTRATOR, True)):
        (error,) = archive.body(archive.restoration(id_, 0), caller)["errors"]
        assert error["extensions"]["issueType"] == "ATTRIBUTE_RANGE"
        assert ("9" in error["message"]) is is_told
        assert "1234" not in str(error) or is_told


def test_restored_values_that_were_hidden_stay_hidden() -> None:
    """The version has a locked shelf. A clerk cannot restore it, although the shelf is open now."""
    shelf = f"type Shelf @class(versioned: true) {granted(ALL)} {{ open: Boolean }}"
    note = f"note: String {granted('[READ, EDIT]', 'shelf.open')}"
    archive = ArchiveApi(ReferenceEngine(), model(f"{note} shelf: Shelf", shelf))
    kept = archive.create("Shelf", open=False)
    id_ = archive.create("Dossier", name="a", note="n", shelf=kept)
    archive.clock.instant += 1000
    archive.change("Shelf", kept, open=True)
    archive.change("Dossier", id_, note=None)
    assert archive.version(id_, 0, "note") == {"note": None}
    result = archive.issues(archive.restoration(id_, 0), CLERK)
    assert result == [("ATTRIBUTE_GRANT_EDIT", "Dossier___restoreVersion.atVersion", "note")]
    assert archive.ask(archive.restoration(id_, 2, "note"), CLERK) == {"note": "n"}


class SealedDossier(ArchiveApi):
    """A dossier with a seal that a clerk sees and a hidden one."""

    def __init__(self) -> None:
        seal = f"{SEAL} {granted(ALL, PLAIN)} {{ text: String }}"
        super().__init__(ReferenceEngine(), model(SEALS, seal))
        self.id = self.create("Dossier", name="a", seals=[{"text": "seen"}, {"text": "hidden"}])
        self.clock.instant += 1000
        self.seen, self.hidden = (item["_id"] for item in self.seals())

    def seals(self, caller: Any = ADMINISTRATOR) -> list[dict[str, str]]:
        """Return the seals that a caller sees."""
        found = self.get("Dossier", self.id, "seals { items { _id text } }", caller)["seals"]["items"]
        return list(found)

    def restored(self, second: int) -> None:
        """Restore the dossier as a clerk."""
        self.ask(self.restoration(self.id, second), CLERK)


def test_a_restoration_keeps_hidden_parts() -> None:
    family = SealedDossier()
    family.change("Dossier", family.id, name="b", seals={"delete": [family.seen]})
    family.change("Dossier", family.id, seals={"create": [{"text": "hidden"}]})
    family.restored(1)
    assert [item["text"] for item in family.seals()] == ["seen", "hidden", "hidden"]
    assert [item["_id"] for item in family.seals(CLERK)] == [family.seen]


def test_deleted_hidden_parts_stay_deleted() -> None:
    """The response does not mention them."""
    family = SealedDossier()
    family.change("Dossier", family.id, name="b", seals={"delete": [family.hidden]})
    family.restored(1)
    assert [item["_id"] for item in family.seals()] == [family.seen]
    assert family.get("Dossier", family.id, "name") == {"name": "a"}


def test_hidden_parts_are_restored_with_their_whole() -> None:
    """They were deleted with the whole, so their grants do not matter."""
    family = SealedDossier()
    family.delete("Dossier", family.id)
    family.restored(1)
    assert [item["_id"] for item in family.seals()] == [family.seen, family.hidden]
    assert [item["_id"] for item in family.seals(CLERK)] == [family.seen]


def test_a_restoration_without_visible_changes_creates_no_version() -> None:
    """Hidden values and their order cause no version."""
    family = SealedDossier()
    family.change("Dossier", family.id, seals={"create": [{"text": "more"}]})
    before = family.get("Dossier", family.id, "_versionStart")
    family.restored(2)
    assert family.get("Dossier", family.id, "_versionStart") == before
