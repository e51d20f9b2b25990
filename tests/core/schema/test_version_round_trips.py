"""Round trips of a page of versions do not depend on the number of versions."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.objects.entity import Moment
from stratabase.core.domain.query.read_budget import Consumption, round_trips
from stratabase.core.model.reading import read_model
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.parallel import ParallelMap, ThreadedMap, sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import MeteredEngine, record_consumption
from stratabase.core.store.indexes import registry_cache
from stratabase.core.store.repository import Repository
from tests.contract.engine.dynamodb import over_ministack
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.archive_api import CLERK, ArchiveApi
from tests.core.schema.graph_api import GraphApi
from tests.core.schema.versioned_api import FORMAT, VersionedApi
from tests.everything_model import EVERYTHING
from tests.fakes import ADMINISTRATOR
from tests.rows import each_row
from tests.soak import FULL

VERSIONS = 50
LETTERS = "abcdefghij"
SHELVES = read_model(
    f"""
    extend schema @application(name: "Archive")
      @profile(name: "Administrator", administrator: true) @profile(name: "Clerk")
    type Dossier @class(versioned: true) @grant(profile: "Clerk", allow: [READ], where: "shelf.open") {{
      name: String
      {" ".join(f"{letter}: String" for letter in LETTERS)}
      shelf: Shelf @association
    }}
    type Shelf @class(versioned: true) {{ open: Boolean }}
    """,
    "archive.graphql",
)
START = f'start: _versionStart(format: "{FORMAT}")'


def over_dict() -> Iterator[tuple[Engine, ParallelMap]]:
    yield ReferenceEngine(), sequential_map


def over_dynamodb() -> Iterator[tuple[Engine, ParallelMap]]:
    table, threads = over_ministack(), ThreadedMap(16)
    yield table, threads
    threads.close()
    table.close()


Over = Callable[[], Iterator[tuple[Engine, ParallelMap]]]
PLACES: list[Over] = [over_dict, over_dynamodb] if FULL else [over_dict]


@pytest.fixture(scope="module", params=PLACES, ids=lambda over: over.__name__)
def graph(request: pytest.FixtureRequest) -> Iterator["VersionedGraph"]:
    """The history that all tests share. The cached registry stays fresh."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry_cache, "MAX_AGE", 1e9)
        for engine, together in request.param():
            yield VersionedGraph(engine, together)


class VersionedGraph:
    """Ada with many versions, and related objects with many versions."""

    def __init__(self, engine: Engine, together: ParallelMap) -> None:
        graphs = GraphApi(Repository(MeteredEngine(engine), EVERYTHING, together))
        graphs.services = replace(graphs.services, measuring=record_consumption)
        graphs.executor = SchemaExecutor(graphs.services, _failed)
        self.api = VersionedApi(graphs)
        self._teams = [graphs.create("Team", name=f"team {number}") for number in range(3)]
        self._mentors = [self.api.person(last_name=f"mentor {number}") for number in range(3)]
        self.ada = self.api.person(last_name="ada")
        self._pupils = [self.api.person(last_name=f"pupil {number}") for number in range(4)]
        self._desk = graphs.create("Desk", number=1, owner=self.ada)
        self._projects = [
            graphs.create("Project", title=f"p{number}", members=[self.ada]) for number in range(3)
        ]
        for number in range(VERSIONS):
            self._go_on(number)
        for each in (*self._mentors, *self._pupils):
            self.api.update(each, last_name="now")

    def _go_on(self, number: int) -> None:
        """Update the other objects, and then Ada."""
        api, other, flips = self.api, number % 3, number // 4 % 2
        mentor = {"set": self._pupils[number % 4]}
        api.update(self._mentors[other], last_name=f"mentor of {number}", mentor=mentor)
        led = {"set": self._mentors[0] if flips else self.ada}
        api.update(self._pupils[number % 4], last_name=f"pupil of {number}", mentor=led)
        owner = {"set": self._mentors[0] if number % 2 else self.ada}
        api.graphs.update("Desk", "_id", _id=self._desk, owner=owner)
        api.update(
            self.ada,
            last_name=f"ada {number}",
            mentor={"set": self._mentors[other]},
            team={"set": self._teams[other]},
            phones={"create": [{"digits": f"{number}"}]},
            addresses={"create": [{"street": "Via Zamboni", "rooms": [{"name": f"room {number}"}]}]},
        )

    def page(
        self, selection: str, number: int, offset: int = 0
    ) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        """Return the newest versions, and the store requests that they took."""
        options = f"{{next: {number}, offset: {offset}, orderBy: [_versionStart___DESC]}}"
        query = (
            f'{{ Person___getVersionPage(_id: "{self.ada}", options: {options}, insight: LIGHT) '
            f"{{ items {{ {START} {selection} }} }} }}"
        )
        body = self.api.graphs.body(query)
        assert "errors" not in body, body["errors"]
        return body["data"]["Person___getVersionPage"]["items"], body["extensions"]["insight"]


def _failed(error: BaseException, _: str) -> None:
    raise error


LINKS = 1
HEADS = 1
"""For objects that have not changed since, or that keep no versions."""
AS_OF = HEADS + 1
"""For objects as of instants: their heads at once, and a range for each that has changed since."""
SELECTIONS: dict[str, tuple[str, int]] = {
    "nothing": ("last_name", 0),
    "to one": ("mentor { last_name }", AS_OF),
    "to one, and on from there": ("mentor { last_name mentor { last_name height } }", 2 * AS_OF),
    "to one that keeps no versions": ("team { name }", HEADS),
    "and back from there": ("team { members { items { last_name } } }", HEADS + LINKS),
    "to many, by keys of then": ("pupils { items { last_name } }", LINKS + AS_OF),
    "to many twice": (
        "mentor { pupils { items { last_name pupils { items { last_name } } } } }",
        AS_OF + 2 * (LINKS + AS_OF),
    ),
    "a page of them, found at the third look": (
        "pupils(options: {next: 1, orderBy: [_id___DESC]}) { items { last_name } }",
        LINKS + 3 * AS_OF,
    ),
    "the partner of then": ("desk { number owner { last_name } }", HEADS + HEADS + LINKS + AS_OF),
    "many to many": ("projects { items { title } }", LINKS + HEADS),
    "many to many and back": ("projects { items { members { items { last_name } } } }", 2 * LINKS + HEADS),
    "parts": ("phones { totalCount items { digits } }", HEADS),
    "parts of parts": ("addresses { totalCount items { street rooms { items { name } } } }", 2 * HEADS),
    "derived values": ("lead_name pupil_count mentor_born first_colour", 4),
}


@each_row(("selection", "trips"), SELECTIONS.values())
def test_round_trips_of_a_page_of_versions_depend_on_its_depth(
    graph: VersionedGraph, selection: str, trips: int
) -> None:
    for number, offset in ((5, 20), (VERSIONS, 0)):
        found, insight = graph.page(selection, number, offset)
        assert len(found) == number
        assert insight["roundTrips"] == 1 + trips, number


@each_row("selection", [each for each, _ in SELECTIONS.values()])
def test_each_version_of_a_page_equals_the_version_read_alone(graph: VersionedGraph, selection: str) -> None:
    assert compared(graph, selection) > 1 or "projects" in selection


def compared(graph: VersionedGraph, selection: str) -> int:
    """Assert that versions in a page equal each version alone. Return how many versions are distinct."""
    found, _ = graph.page(selection, VERSIONS)
    for version in found[::5]:
        alone = graph.api.version(graph.ada, version["start"], f"{START} {selection}")
        assert alone == version
    return len({str({**each, "start": None}) for each in found})


def test_a_store_that_confuses_instants_of_a_batch_is_detected(
    graph: VersionedGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_of, linked = Repository.as_of, Repository.linked

    def of_one(entities: Any, moments: Any, *value: Any) -> Any:
        return as_of(entities, [Moment(moment.reference, moments[0].at) for moment in moments], *value)

    def led_at_one(entities: Any, role: Any, ids: Any, *range_: Any, at: Any = None, **value: Any) -> Any:
        return linked(entities, role, ids, *range_, at=at and [at[0]] * len(ids), **value)

    for name, faulty, selection in (
        ("as_of", of_one, "mentor { last_name }"),
        ("linked", led_at_one, "pupils { items { last_name } }"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(Repository, name, faulty)
            with pytest.raises(AssertionError):
                compared(graph, selection)


def test_objects_shared_by_several_versions_are_read_once(graph: VersionedGraph) -> None:
    """This includes their heads and links."""
    few, many = (graph.page("team { name } projects { items { title } }", each)[1] for each in (5, VERSIONS))
    own = [graph.page("last_name", each)[1]["items"] for each in (5, VERSIONS)]
    assert many["items"] - own[1] == few["items"] - own[0]


@pytest.mark.parametrize(
    "asked",
    ["{ items { name } }", "{ items { name shelf { name } } totalCount }", "{ items { label } }"],
)
@pytest.mark.parametrize("order", ["_versionStart___ASC", "label___DESC"])
def test_round_trips_do_not_grow_with_the_number_of_hidden_versions(
    monkeypatch: pytest.MonkeyPatch, asked: str, order: str
) -> None:
    monkeypatch.setattr(registry_cache, "MAX_AGE", 1e9)
    archives = [_archive(number) for number in (5, VERSIONS)]
    trips = [_trips(*archive, asked, order) for archive in archives]
    assert trips[0] == trips[1]


def test_hidden_versions_are_skipped_in_growing_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of one that follows many of these waits little longer than where few are hidden."""
    monkeypatch.setattr(registry_cache, "MAX_AGE", 1e9)
    few, many = (_trips(*_hidden(number), "{ items { name } }", size=1) for number in (5, 160))
    assert many <= few + 10


def test_round_trips_of_a_diff_do_not_grow_with_changed_attributes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """This also holds if grants must be evaluated for each version."""
    monkeypatch.setattr(registry_cache, "MAX_AGE", 1e9)
    trips = []
    for number in (2, len(LETTERS)):
        archive = ArchiveApi(MeteredEngine(ReferenceEngine()), SHELVES)
        shelf = archive.create("Shelf", ADMINISTRATOR, open=True)
        file = archive.create("Dossier", ADMINISTRATOR, shelf=shelf)
        for letter in LETTERS[:number]:
            archive.change("Dossier", file, **{letter: letter})
        result: list[Consumption] = []
        with record_consumption(result.append):
            changes = archive.diff(file, 0, number)
        assert [change[3] for change in changes.values()] == [f"{each:02}" for each in range(1, number + 1)]
        trips.append(round_trips(result))
    assert trips[0] == trips[1]


def _hidden(number: int) -> tuple[ArchiveApi, str]:
    """Return an archive with a file that was on a closed shelf in many versions, and then on an open one."""
    archive = ArchiveApi(MeteredEngine(ReferenceEngine()), SHELVES)
    closed, opened = (archive.create("Shelf", ADMINISTRATOR, open=is_open) for is_open in (False, True))
    file = archive.create("Dossier", ADMINISTRATOR, name="n", shelf=closed)
    for step in range(1, number):
        archive.change("Dossier", file, name=f"n{step}")
    archive.change("Dossier", file, shelf={"set": opened})
    return archive, file


def _archive(number: int) -> tuple[ArchiveApi, str]:
    """Return an archive with a file that has a number of versions."""
    archive = ArchiveApi(MeteredEngine(ReferenceEngine()))
    shelves = [archive.create("Shelf", ADMINISTRATOR, name=name) for name in "xy"]
    file = archive.file(shelf=shelves[0])
    for step in range(1, number):
        archive.change("Dossier", file, name=f"n{step}", level=1 + step % 3, shelf={"set": shelves[step % 2]})
    return archive, file


def _trips(
    archive: ArchiveApi, file: str, asked: str, order: str = "_versionStart___ASC", size: int = VERSIONS
) -> int:
    """Return how many consecutive round trips a clerk's request takes."""
    result: list[Consumption] = []
    options = f"options: {{next: {size}, orderBy: [{order}]}}"
    with record_consumption(result.append):
        body = archive.body(f'{{ Dossier___getVersionPage(_id: "{file}", {options}) {asked} }}', CLERK)
    assert body["data"]["Dossier___getVersionPage"]["items"]
    return round_trips(result)
