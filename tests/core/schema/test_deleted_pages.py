"""Pages of deleted objects, over the store."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.query.read_budget import Consumption, ReadBudget
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.contract.versions.versioned_objects import VersionedObjects
from tests.core.schema.grants.archive_api import ArchiveApi
from tests.core.schema.graph_api import GraphApi
from tests.core.schema.versioned_api import VersionedApi
from tests.core.store.cost import Cost, cost_of
from tests.everything_model import EVERYTHING

_QUERY = "query($o: Person___DeletedPageOptions) { Person___getDeletedPage(options: $o) { %s } }"
_NAMES = "items { object { last_name } } nextCursor prevCursor hasNext hasPrev"


class DeletedApi(VersionedApi):
    """Also reads pages of deleted persons."""

    def deleted(self, selection: str = _NAMES, **options: Any) -> Any:
        """Return the selected fields of a page of deleted persons."""
        return self.graphs.ask(_QUERY % selection, o=options or None)

    def deleted_names(self, **options: Any) -> list[str]:
        """Return the names of the deleted persons on a page."""
        return [item["object"]["last_name"] for item in self.deleted(**options)["items"]]


@pytest.fixture
def api() -> DeletedApi:
    return DeletedApi(GraphApi(Repository(ReferenceEngine(), EVERYTHING)))


@pytest.fixture
def gone(api: DeletedApi) -> list[str]:
    """Return persons a, b, c, d and e, of which all were deleted, one second after the other."""
    ids = [api.person(last_name=name) for name in "abcde"]
    for id_ in ids:
        api.delete(id_)
    return ids


def test_the_latest_deletion_comes_first(api: DeletedApi, gone: list[str]) -> None:
    assert api.deleted_names() == ["e", "d", "c", "b", "a"]
    assert len(gone) == 5
    assert api.deleted("hasNext hasPrev") == {"hasNext": False, "hasPrev": False}


def test_an_item_says_when_it_was_deleted_and_shows_the_last_version(api: DeletedApi) -> None:
    id_ = api.person(last_name="a")
    api.update(id_, last_name="b")
    api.delete(id_)
    fields = 'object { _id last_name _revision } deletedOn(format: "ss") deletedBy restorable'
    (item,) = api.deleted(f"items {{ {fields} }}")["items"]
    assert item == {
        "object": {"_id": id_, "last_name": "b", "_revision": None},
        "deletedOn": f"{api.clock.instant // 1000 % 60:02}",
        "deletedBy": None,  # this service has no members
        "restorable": False,  # a person requires phones, which have no versions
    }


def test_a_restored_object_is_no_longer_listed_and_is_listed_again_after_the_next_deletion() -> None:
    archive = ArchiveApi(ReferenceEngine())
    ids = [archive.file(name=name) for name in "ab"]
    for id_ in ids:
        archive.delete("Dossier", id_)
    query = "{ Dossier___getDeletedPage { items { object { name } } } }"
    assert [each["object"]["name"] for each in archive.ask(query)["items"]] == ["b", "a"]
    assert archive.body(archive.restoration(ids[0], 2))["data"]["Dossier___restoreVersion"]
    assert [each["object"]["name"] for each in archive.ask(query)["items"]] == ["b"]
    archive.delete("Dossier", ids[0])
    assert [each["object"]["name"] for each in archive.ask(query)["items"]] == ["a", "b"]


def test_pages_forward_and_backward(api: DeletedApi, gone: list[str]) -> None:
    assert len(gone) == 5
    first = api.deleted(next=2)
    assert [each["object"]["last_name"] for each in first["items"]] == ["e", "d"]
    assert (first["hasNext"], first["hasPrev"]) == (True, False)
    second = api.deleted(next=2, cursor=first["nextCursor"])
    assert [each["object"]["last_name"] for each in second["items"]] == ["c", "b"]
    assert (second["hasNext"], second["hasPrev"]) == (True, True)
    back = api.deleted(prev=2, cursor=second["prevCursor"])
    assert [each["object"]["last_name"] for each in back["items"]] == ["e", "d"]
    assert (back["hasNext"], back["hasPrev"]) == (True, False)
    last = api.deleted(prev=2)
    assert [each["object"]["last_name"] for each in last["items"]] == ["b", "a"]
    assert (last["hasNext"], last["hasPrev"]) == (False, True)


def test_a_filter_tests_the_last_versions(api: DeletedApi, gone: list[str]) -> None:
    assert len(gone) == 5
    page = api.deleted(filter={"last_name___in": ["a", "c", "d"]}, next=2)
    assert [each["object"]["last_name"] for each in page["items"]] == ["d", "c"]
    assert page["hasNext"]
    rest = api.deleted(filter={"last_name___in": ["a", "c", "d"]}, cursor=page["nextCursor"])
    assert [each["object"]["last_name"] for each in rest["items"]] == ["a"]


def test_the_first_page_of_many_deleted_objects_costs_what_it_costs_of_few() -> None:
    few, many = _cost(20), _cost(300)
    assert few == many
    assert (few.trips, few.written) == (3, 0)


def _cost(number: int) -> Cost:
    """Return the cost of a page of 10 of this many deleted objects."""
    engine = ReferenceEngine()
    objects = VersionedObjects(Repository(engine, EVERYTHING))
    for each in range(number):
        objects.create("Person", f"p{each}", last_name="a")
        objects.delete("Person", f"p{each}")
    consumed: list[Consumption] = []
    metered = MeteredEngine(engine, lambda: consumed.append)
    api = DeletedApi(GraphApi(Repository(metered, EVERYTHING)))
    api.deleted("hasNext")  # reads the registry
    consumed.clear()
    assert len(api.deleted_names()) == 10
    return cost_of(consumed)


def test_a_filter_that_passes_over_too_many_objects_is_refused(api: DeletedApi, gone: list[str]) -> None:
    del gone
    services = replace(api.graphs.services, new_budget=lambda: ReadBudget(1_200, 1, clock=lambda: 0.0))
    api.graphs.serve(services)
    assert api.deleted_names(next=1) == ["e"]
    options = {"filter": {"last_name___eq": "a"}}
    (error,) = api.graphs.body(_QUERY % "hasNext", o=options)["errors"]
    assert error["extensions"]["issueType"] == "MALFORMED_REQUEST"
    assert "Omit filter." in error["message"]


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({"next": 1, "prev": 1}, "options.prev"),
        ({"next": -1}, "options.next"),
        ({"next": 10_001}, "options.next"),
        ({"cursor": "x"}, "options.cursor"),
        ({"filter": {"team": {"name___eq": "x"}}}, "options.filter"),
    ],
)
def test_wrong_options_are_refused(api: DeletedApi, options: dict[str, Any], path: str) -> None:
    (issue,) = api.graphs.issues(_QUERY % "hasNext", o=options)
    assert issue[0] == "MALFORMED_REQUEST"
    assert issue[1].startswith(f"Person___getDeletedPage.{path}"), issue
