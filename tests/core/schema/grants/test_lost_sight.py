"""Objects and values that are hidden now are hidden in all versions."""

from typing import Any

import pytest

from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import BINDER, CLERK, ArchiveApi
from tests.fakes import ADMINISTRATOR


@pytest.fixture
def archive() -> ArchiveApi:
    """The API over an empty archive."""
    return ArchiveApi(ReferenceEngine())


def visible_versions(archive: ArchiveApi, id_: str) -> list[Any]:
    """Return what each service shows a binder of a file's version after one second."""
    options = 'options: {filter: {name___eq: "a"}}'
    page = f'{{ Dossier___getVersionPage(_id: "{id_}") {{ totalCount items {{ name }} }} }}'
    found = f'{{ Dossier___getVersionPage(_id: "{id_}", {options}) {{ items {{ name }} }} }}'
    seen = [
        archive.version(id_, 1, "name", BINDER),
        archive.ask(page, BINDER)["items"],
        archive.ask(found, BINDER)["items"],
        archive.diff(id_, 1, 2, BINDER),
    ]
    body = archive.body(archive.restoration(id_, 1, "name"), BINDER)
    issues = [error["extensions"]["issueType"] for error in body.get("errors", ())]
    return [*seen, issues or body["data"]["Dossier___restoreVersion"]]


NOTHING = [None, [], [], None, ["ENTITY_NOT_FOUND"]]


def test_a_hidden_object_shows_no_versions(archive: ArchiveApi) -> None:
    id_ = archive.file()
    archive.change("Dossier", id_, name="b", level=9)
    assert visible_versions(archive, id_) == NOTHING
    archive.change("Dossier", id_, level=1)
    assert visible_versions(archive, id_)[0] == {"name": "a"}


@pytest.mark.parametrize("level", [1, 9])
def test_the_last_version_of_a_deleted_object_decides_whether_it_is_visible(
    archive: ArchiveApi, level: int
) -> None:
    id_ = archive.file()
    archive.change("Dossier", id_, name="b", level=level)
    archive.delete("Dossier", id_)
    seen = visible_versions(archive, id_)
    if level == 9:
        assert seen == NOTHING
    else:
        a = {"name": "a"}
        assert seen[:3] == [a, [a, {"name": "b"}], [a]]
        assert seen[4] == a


def test_a_hidden_value_is_hidden_in_all_versions(archive: ArchiveApi) -> None:
    id_ = archive.file(note="n", level=1)
    archive.change("Dossier", id_, note="m")
    assert archive.version(id_, 1, "note") == {"note": "n"}
    assert archive.diff(id_, 1, 2)["note"][:2] == ('"n"', '"m"')
    archive.change("Dossier", id_, level=3)
    assert archive.version(id_, 1, "note level") == {"note": None, "level": 1}
    assert archive.diff(id_, 1, 2) == {}
    assert archive.version(id_, 1, "note", ADMINISTRATOR) == {"note": "n"}


@pytest.mark.parametrize("is_hidden", [True, False])
@pytest.mark.parametrize("is_gone", [True, False])
def test_a_role_of_a_version_leads_only_to_objects_that_are_visible_now(
    archive: ArchiveApi,
    is_hidden: bool,
    is_gone: bool,
) -> None:
    """For a deleted object, its last state decides."""
    shelf = archive.create("Shelf", name="s")
    id_ = archive.file(shelf=shelf)
    archive.change("Shelf", shelf, locked_away=is_hidden)
    if is_gone:
        archive.delete("Shelf", shelf)
    expected = (
        {"shelf": None, "label": "a of none!"} if is_hidden else {"shelf": {"name": "s"}, "label": "a of s!"}
    )
    assert archive.version(id_, 1, "shelf { name } label") == expected
    page = f'{{ Dossier___getVersionPage(_id: "{id_}") {{ items {{ shelf {{ name }} label }} }} }}'
    assert archive.ask(page, CLERK)["items"] == [expected]


def test_a_list_of_a_version_has_only_objects_that_are_visible_now(archive: ArchiveApi) -> None:
    shelf = archive.create("Shelf", name="s")
    ids = [archive.file(shelf=shelf, name=name) for name in "abc"]
    archive.change("Shelf", shelf, name="t")
    for id_, level in zip(ids, (9, 1, 1), strict=True):
        archive.change("Dossier", id_, level=level, shelf={"remove": True})
    archive.delete("Dossier", ids[2])
    query = (
        f'{{ Shelf___getVersion(_id: "{shelf}", atVersion: "01-01-2020 12:00:04.000") '
        "{ files { totalCount items { name } } } }"
    )
    assert archive.ask(query, CLERK)["files"] == {"totalCount": 2, "items": [{"name": "b"}, {"name": "c"}]}
    assert archive.ask(query)["files"]["totalCount"] == 3


def test_the_last_version_of_the_whole_decides_for_a_deleted_part(archive: ArchiveApi) -> None:
    id_ = archive.file(sheets=[{"weight": 1}])
    (sheet,) = archive.get("Dossier", id_, "sheets { items { _id } }")["sheets"]["items"]
    query = (
        f'{{ Sheet___getVersion(_id: "{sheet["_id"]}", atVersion: "01-01-2020 12:00:01.000") {{ weight }} }}'
    )
    assert archive.ask(query, CLERK) == {"weight": 1}
    archive.delete("Dossier", id_)
    assert archive.ask(query, CLERK) == {"weight": 1}
    archive.ask(archive.restoration(id_, 1), ADMINISTRATOR)
    archive.change("Dossier", id_, level=9)
    assert archive.ask(query, CLERK) is None
    archive.delete("Dossier", id_)
    assert archive.ask(query, CLERK) is None
