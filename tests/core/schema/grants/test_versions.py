"""Grants on versions: reading, comparing and restoring them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import BINDER, CLERK, KEEPER, READER, ArchiveApi
from tests.fakes import ADMINISTRATOR


@pytest.fixture(params=["dict", "sqlite"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArchiveApi]:
    """The API over an empty archive."""
    if request.param == "dict":
        yield ArchiveApi(ReferenceEngine())
        return
    engine = SqliteEngine(tmp_path / "store.db")
    yield ArchiveApi(engine)
    engine.close()


@pytest.fixture
def file(archive: ArchiveApi) -> str:
    """Return a file that was visible in second 1, hidden from second 2, and visible again from second 3."""
    id_ = archive.file(secret="s", note="n")
    archive.change("Dossier", id_, level=7, secret="t")
    archive.change("Dossier", id_, level=3, name="c", note="m")
    return id_


def names(archive: ArchiveApi, id_: str, options: str = "") -> list[str]:
    query = f'{{ Dossier___getVersionPage(_id: "{id_}"{options}) {{ items {{ name }} }} }}'
    return [item["name"] for item in archive.ask(query, CLERK)["items"]]


def test_versions_of_an_unreadable_class_are_refused(archive: ArchiveApi) -> None:
    id_ = archive.create("Vault", name="v")
    for call in (
        'getVersion(_id: "%s", atVersion: "01-01-2020 12:00:00.000") { name }',
        'getVersionPage(_id: "%s") { totalCount }',
        'getVersionDiff(_id: "%s", from: "01-01-2020 12:00:00.000", to: "01-01-2021 12:00:00.000") { from }',
    ):
        (issue,) = archive.issues(f"{{ Vault___{call % id_} }}", CLERK)
        assert issue[0] == "ENTITY_GRANT_READ"


def test_visibility_of_a_version_depends_on_its_own_values(archive: ArchiveApi, file: str) -> None:
    archive.change("Dossier", file, level=2)
    assert archive.version(file, 1, "name level note stamp") == {
        "name": "a",
        "level": 1,
        "note": "n",
        "stamp": None,
    }
    assert archive.version(file, 2, "name") is None
    assert archive.version(file, 3, "name note") == {"name": "c", "note": None}
    assert archive.version(file, 2, "name level", READER) == {"name": "a", "level": 7}


def test_an_unreadable_attribute_of_versions_is_null_with_one_issue(archive: ArchiveApi, file: str) -> None:
    query = f'{{ v: Dossier___getVersionPage(_id: "{file}") {{ items {{ name secret }} }} }}'
    for _ in range(3):
        body = archive.body(query, CLERK)
        items = body["data"]["v"]["items"]
        assert items
        assert all(item["name"] and item["secret"] is None for item in items)
        (error,) = body["errors"]
        assert error["extensions"]["issueType"] == "ATTRIBUTE_GRANT_READ"
        assert error["path"] == ["v", "items", "secret"]


def test_versions_cannot_be_found_by_an_unreadable_attribute(archive: ArchiveApi, file: str) -> None:
    options = "{filter_exp: \"secret == 's'\"}"
    query = f'{{ Dossier___getVersionPage(_id: "{file}", options: {options}) {{ hasNext }} }}'
    assert archive.issues(query, CLERK)[0][0] == "ATTRIBUTE_GRANT_READ"


def test_a_page_of_versions_omits_hidden_versions(archive: ArchiveApi, file: str) -> None:
    assert names(archive, file) == ["a", "c"]
    assert names(archive, file, ", options: {prev: 1}") == ["c"]
    assert names(archive, file, ", options: {next: 1, offset: 1}") == ["c"]
    assert names(archive, file, ", options: {orderBy: [name___DESC]}") == ["c", "a"]
    one = 'Dossier___getVersionPage(_id: "%s", options: {%s}) { hasNext hasPrev totalCount items { name } }'
    page = archive.ask(f"{{ {one % (file, 'next: 1')} }}", CLERK)
    assert page == {"hasNext": True, "hasPrev": False, "totalCount": 2, "items": [{"name": "a"}]}
    plain = (
        f'{{ Dossier___getVersionPage(_id: "{file}", options: {{next: 2}}) {{ hasNext items {{ name }} }} }}'
    )
    assert archive.ask(plain, CLERK)["hasNext"] is False
    assert archive.ask(plain, READER)["hasNext"] is True


def test_pages_of_versions_continue_past_hidden_versions(archive: ArchiveApi, file: str) -> None:
    page = "{ nextCursor items { name } }"
    query = f'{{ Dossier___getVersionPage(_id: "{file}", options: {{next: 1%s}}) {page} }}'
    first = archive.ask(query % "", CLERK)
    second = archive.ask(query % f', cursor: "{first["nextCursor"]}"', CLERK)
    assert [first["items"], second["items"]] == [[{"name": "a"}], [{"name": "c"}]]


def test_a_role_of_a_version_leads_to_objects_visible_as_of_then(archive: ArchiveApi) -> None:
    shelf = archive.create("Shelf", name="s")
    id_ = archive.file(shelf=shelf)
    archive.change("Shelf", shelf, locked_away=True)
    archive.change("Shelf", shelf, locked_away=False)
    assert archive.version(id_, 1, "shelf { name } label") == {"shelf": {"name": "s"}, "label": "a of s!"}
    assert archive.version(id_, 2, "shelf { name } label") == {"shelf": None, "label": "a of none!"}


def test_derived_attributes_order_and_filter_versions(archive: ArchiveApi) -> None:
    shelf = archive.create("Shelf", name="z")
    id_ = archive.file(sheets=[{"weight": 2}])
    archive.change("Dossier", id_, shelf={"set": shelf}, sheets={"create": [{"weight": 3}]})
    archive.change("Shelf", shelf, name="b")
    archive.change("Dossier", id_, level=2)
    items = f'{{ Dossier___getVersionPage(_id: "{id_}", options: {{%s}}) {{ items {{ label weight }} }} }}'
    labels = [("a of none!", 2), ("a of z!", 5), ("a of b!", 5)]
    for caller in (ADMINISTRATOR, CLERK):
        for options, expected in (
            ("", labels),
            ("orderBy: [label___ASC]", [labels[2], labels[0], labels[1]]),
            ("filter: {weight___gt: 2}", labels[1:]),
            ("filter_exp: \"label == 'a of z!'\"", labels[1:2]),
            ('filter_exp: "level == 2"', labels[2:]),
        ):
            found = archive.ask(items % options, caller)["items"]
            assert [(item["label"], item["weight"]) for item in found] == expected, options


def test_a_diff_omits_unreadable_attributes(archive: ArchiveApi, file: str) -> None:
    assert archive.diff(file, 1, 3) == {
        "name": ('"a"', '"c"', "ada", "03"),
        "level": ("1", "3", "ada", "03"),
    }
    assert archive.diff(file, 1, 3, READER)["secret"] == ('"s"', '"t"', "ada", "02")
    assert archive.diff(file, 2, 2) is None


def test_a_diff_with_a_hidden_version_compares_with_nothing(archive: ArchiveApi, file: str) -> None:
    assert archive.diff(file, 2, 3)["name"] == (None, '"c"', "ada", "03")


def test_a_diff_of_a_role_shows_only_visible_objects(archive: ArchiveApi) -> None:
    shelves = [archive.create("Shelf", name=name) for name in "xy"]
    archive.change("Shelf", shelves[1], locked_away=True)
    id_ = archive.file()
    archive.change("Dossier", id_, shelf={"set": shelves[0]})
    archive.change("Dossier", id_, shelf={"set": shelves[1]})
    assert archive.diff(id_, 2, 3)["shelf"][:2] == (None, f'"{shelves[0]}"')
    assert "shelf" not in archive.diff(id_, 2, 4)
    assert archive.diff(id_, 2, 4, ADMINISTRATOR)["shelf"][:2] == (None, f'"{shelves[1]}"')


def test_restoring_needs_the_grant_to_edit(archive: ArchiveApi, file: str) -> None:
    assert archive.issues(archive.restoration(file, 1), READER) == [
        ("ENTITY_GRANT_EDIT", "Dossier___restoreVersion.atVersion")
    ]
    assert archive.issues(archive.restoration("none", 1), READER)[0][0] == "ENTITY_GRANT_EDIT"


def test_restoring_needs_the_grants_of_everything_that_changes(archive: ArchiveApi) -> None:
    id_ = archive.file(secret="s", stamp="x")
    archive.change("Dossier", id_, name="b")
    archive.change("Dossier", id_, stamp="y")
    archive.change("Dossier", id_, secret="t")
    assert archive.ask(archive.restoration(id_, 3, "name"), BINDER) == {"name": "b"}
    assert archive.get("Dossier", id_, "secret") == {"secret": "s"}
    assert archive.issues(archive.restoration(id_, 2), BINDER) == [
        ("ATTRIBUTE_GRANT_EDIT", "Dossier___restoreVersion.atVersion", "stamp")
    ]
    other = archive.file()
    archive.change("Dossier", other, name="b")
    assert archive.ask(archive.restoration(other, 7, "name"), BINDER) == {"name": "a"}


def test_parts_are_restored_and_deleted_with_the_grants_of_their_composition(archive: ArchiveApi) -> None:
    id_ = archive.file(seals=[{"text": "a"}])
    (seal,) = archive.get("Dossier", id_, "seals { items { _id } }")["seals"]["items"]
    archive.change("Dossier", id_, seals={"update": [{**seal, "text": "b"}]})
    archive.change("Dossier", id_, seals={"create": [{"text": "c"}]})
    archive.change("Dossier", id_, seals={"delete": [seal["_id"]]})
    texts = "seals { items { text } }"
    for second, lacking in ((3, {"ROLE_GRANT_CREATE"}), (2, {"ROLE_GRANT_CREATE", "ROLE_GRANT_DELETE"})):
        issues = archive.issues(archive.restoration(id_, second), BINDER)
        assert {issue[0] for issue in issues} == lacking
        assert {issue[2] for issue in issues} == {"seals"}
    shown = archive.ask(archive.restoration(id_, 2, texts), KEEPER)
    assert shown == {"seals": {"items": [{"text": "b"}]}}
    assert archive.ask(archive.restoration(id_, 1, texts), BINDER) == {"seals": {"items": [{"text": "a"}]}}


def test_a_hidden_object_cannot_be_restored(archive: ArchiveApi, file: str) -> None:
    """Neither a version that is hidden, nor an object that is."""
    missing = ("ENTITY_NOT_FOUND", "Dossier___restoreVersion.atVersion")
    assert archive.issues(archive.restoration(file, 2), CLERK) == [missing]
    archive.change("Dossier", file, level=9)
    assert archive.issues(archive.restoration(file, 1), CLERK) == [missing]
    assert archive.issues(archive.restoration("none", 1), CLERK) == [missing]


def test_restoring_a_deleted_object_needs_the_grant_to_create(archive: ArchiveApi) -> None:
    id_ = archive.file(name="gone")
    archive.delete("Dossier", id_)
    result = archive.issues(archive.restoration(id_, 1), CLERK)
    assert result[0] == ("ENTITY_GRANT_CREATE", "Dossier___restoreVersion.atVersion")
    assert archive.ask(archive.restoration(id_, 1, "name"), KEEPER) == {"name": "gone"}


def test_a_hidden_target_of_a_version_is_omitted_silently(archive: ArchiveApi) -> None:
    """Forced or not: that it led to a shelf that is hidden by now is nothing that a binder may know."""
    shelf = archive.create("Shelf", name="s")
    id_ = archive.file(shelf=shelf)
    archive.change("Dossier", id_, shelf={"remove": True}, name="b")
    archive.change("Shelf", shelf, locked_away=True)
    assert archive.version(id_, 1, "shelf { name }", BINDER) == {"shelf": None}
    shown = archive.ask(archive.restoration(id_, 1, "name shelf { name }"), BINDER)
    assert shown == {"name": "a", "shelf": None}
    archive.change("Dossier", id_, name="b")
    shown = archive.ask(archive.restoration(id_, 1, "name shelf { name }", force=True), BINDER)
    assert shown == {"name": "a", "shelf": None}


@pytest.mark.parametrize("was_seen", [True, False])
def test_a_deleted_target_is_reported_if_the_version_shows_it(archive: ArchiveApi, was_seen: bool) -> None:
    """The last state of the target decides whether the caller may see it."""
    shelf = archive.create("Shelf", name="s")
    id_ = archive.file(shelf=shelf)
    archive.change("Dossier", id_, shelf={"remove": True}, name="b")
    if not was_seen:
        archive.change("Shelf", shelf, locked_away=True)
    archive.delete("Shelf", shelf)
    seen = archive.version(id_, 1, "shelf { _id }", BINDER)["shelf"]
    assert seen == ({"_id": shelf} if was_seen else None)
    body = archive.body(archive.restoration(id_, 1, "name"), BINDER)
    if was_seen:
        (error,) = body["errors"]
        assert error["extensions"]["issueLevel"] == "WARNING"
        assert error["message"] == (
            f'Dossier.shelf: Shelf "{shelf}" no longer exists. '
            "To continue without it, use forceWarnings: {dataValidation: true}."
        )
    else:
        assert body == {"data": {"Dossier___restoreVersion": {"name": "a"}}}


def test_a_restoration_checks_the_warnings_of_the_model(archive: ArchiveApi) -> None:
    """This includes the restoration of a deleted object. A forced one ignores the warnings."""
    id_ = archive.file(name="x", level=3)
    archive.change("Dossier", id_, level=4)
    archive.change("Dossier", id_, level=2)
    for gone in (False, True):
        if gone:
            archive.delete("Dossier", id_)
        (error,) = archive.body(archive.restoration(id_, 2))["errors"]
        assert error["message"] == "level 4 is watched"
        assert error["extensions"]["issueLevel"] == "WARNING"
        forced = archive.ask(archive.restoration(id_, 2, "level label", force=True))
        assert forced == {"level": 4, "label": "x of none!"}
        archive.change("Dossier", id_, level=2)
