"""Random commands on a graph, with a copy of all objects after each, as the expected versions."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.derived import Computed
from stratabase.core.domain.query.order import Order, OrderTerm, position_of
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.write.commands import Delete
from stratabase.core.model.model import Class
from stratabase.core.operations.context import Services
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.past_reader import PastReader
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.versions import VersionReader, get_version
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.services import delete, restore, save
from stratabase.core.store.indexes.registry import lists_deleted
from tests.core.domain.query import naive
from tests.fakes import ADMINISTRATOR, FrozenClock, request_of
from tests.graphs.as_of_graph import AsOfGraph
from tests.graphs.nested_views import load_view, view_of
from tests.graphs.random_commands import RandomCommands
from tests.graphs.read_graph import read_graph
from tests.graphs.reference_graph import ReferenceGraph
from tests.graphs.role_filters import holds, random_role_filter

DEPTH = 2


class RecordedHistory:
    """Runs random requests, advances the clock before each, and records the graph after each."""

    def __init__(self, services: Services, clock: FrozenClock, chance: Random) -> None:
        self._services = services
        self._clock = clock
        self._chance = chance
        self.pages: list[tuple[Instant, ReferenceGraph]] = [(clock.now(), ReferenceGraph(services.model))]
        self.restored = 0
        self.role_filters = Counter[bool]()
        """How many role filters had each result."""

    @property
    def current(self) -> ReferenceGraph:
        """The present graph."""
        return self.pages[-1][1]

    def run_request(self) -> None:
        """Run a random request, which may be refused, and record the graph."""
        self._clock.instant += self._chance.choice([2, 1000])
        try:
            if self._chance.random() < 0.25:
                self._restore()
            else:
                self._write()
        except Refused:
            assert self._look().content() == self.current.content()
        self.pages.append((self._clock.now(), self._look()))

    def read_from(self, entities: EntityRepository) -> None:
        """Use other entities for all later reads and writes."""
        self._services = replace(self._services, entities=entities)

    def graph_as_of(self, instant: Instant) -> ReferenceGraph:
        """Return the recorded graph as of an instant."""
        return [graph for began, graph in self.pages if began <= instant][-1]

    def instants(self) -> set[Instant]:
        """Return the instants of all changes, each with the milliseconds before and after it."""
        return {began + beside for began, _ in self.pages[1:] for beside in (-1, 0, 1)}

    def references(self) -> set[Reference]:
        """Return the references of all objects that ever existed."""
        return {reference for _, graph in self.pages for reference in graph.objects}

    def check(self, instant: Instant) -> None:
        """Assert that reads as of an instant return the recorded versioned objects."""
        past = AsOfGraph(self.graph_as_of(instant), self.current, self._links)
        request = request_of(self._services.model, self._services.entities)
        for reference in filter(past.is_versioned, self.references()):
            entity = get_version(request, reference, instant)
            found = entity and view_of(Reader(request, instant), entity, DEPTH)
            expected = past.view(reference, DEPTH) if past.is_there(reference) else None
            assert found == expected, (reference, instant, found, expected)
            if entity is not None and found is not None:
                self._check_role_filter(past, entity, instant)
        for class_ in self._services.model.classes.values():
            if lists_deleted(class_):
                self._check_page(past, class_, instant)

    def _check_page(self, past: AsOfGraph, class_: Class, instant: Instant) -> None:
        """Assert that a random page of a class as of an instant is that of the recorded graph."""
        chance = self._chance
        references = [each for each in self.references() if each.class_name == class_.name]
        there = {each.id: {"_id": each.id, **past.state(each)} for each in references if past.is_there(each)}
        values = sorted({name for state in there.values() for name in state} & class_.attributes.keys())
        names = chance.sample(values, min(len(values), chance.choice([0, 0, 1])))
        terms = [OrderTerm(each, chance.random() < 0.5) for each in (*names, "_id")]
        window = Window(chance.randint(0, 3), chance.random() < 0.5, chance.choice([0, 0, 0, 1]))
        if there and chance.random() < 0.7:
            start = position_of(there[chance.choice([*there])], Order(tuple(terms)))
            window = replace(window, start=start, inclusive=chance.random() < 0.3)
        fields = PageFields(True, chance.random() < 0.3, has_next=True, has_prev=True)
        query = Query(class_.name, Order(tuple(terms)), None, window, fields)
        expected = naive.page([*there.values()], None, query.order, window, class_)
        found = PastReader(request_of(self._services.model, self._services.entities), instant).page(query)
        assert tuple(each.reference.id for each in found.items) == tuple(expected.ids), (query, instant)
        assert (found.has_next, found.has_prev) == (expected.has_next, expected.has_prev), (query, instant)
        assert not fields.total_count or found.total_count == expected.total_count

    def _check_role_filter(self, past: AsOfGraph, entity: Entity, instant: Instant) -> None:
        """Assert that a random test of a role of an object has the result of the recorded graph."""
        model, reference = self._services.model, entity.reference
        condition = random_role_filter(self._chance, model, reference.class_name)
        if condition is None:
            return
        reader = Reader(request_of(model, self._services.entities), instant)
        reader.add([entity])
        computed = Computed(roles=(condition,))
        (found,) = run(reader.with_computed(reference.class_name, [entity], computed))
        expected = holds(model, past.state, past.led_to, reference, condition)
        assert found.state[condition.mark] is expected, (reference, instant, condition)
        self.role_filters[expected] += 1

    def check_pages(self) -> None:
        """Assert that reading all versions of an object at once returns their recorded views."""
        for reference in filter(
            AsOfGraph(self.current, self.current, self._links).is_versioned, self.references()
        ):
            versions = [*self._services.entities.versions(reference)]
            request = request_of(self._services.model, self._services.entities)
            result = VersionReader(request).each(versions, partial(load_view, depth=DEPTH))
            for began, found in zip((each.start for each in versions), result, strict=True):
                assert began is not None
                past = AsOfGraph(self.graph_as_of(began), self.current, self._links)
                expected = past.view(reference, DEPTH) if past.is_there(reference) else None
                assert found == expected, (reference, began, found, expected)

    def _links(self, role: RoleName, owner: str) -> Sequence[str]:
        return self._services.entities.linked(role, [owner])[0]

    def _look(self) -> ReferenceGraph:
        return read_graph(self._services.entities, self._services.model)

    def _write(self) -> None:
        command = RandomCommands(self.current, self._chance).command()
        if isinstance(command, Delete):
            delete(self._services, command, ADMINISTRATOR)
        else:
            save(self._services, command, ADMINISTRATOR)

    def _restore(self) -> None:
        """Restore a random versioned object as of a recorded instant."""
        classes = self._services.model.classes
        known = sorted(each for each in self.references() if not classes[each.class_name].part)
        known = [each for each in known if classes[each.class_name].versioned]
        if not known:
            return
        reference = self._chance.choice(known)
        began, then = self._chance.choice(self.pages)
        restore(self._services, reference, [began], ADMINISTRATOR, WriteOptions(force=True))
        self.restored += 1
        self._check_restored(reference, then)

    def _check_restored(self, reference: Reference, then: ReferenceGraph) -> None:
        """Assert that an object and its versioned parts have their recorded states."""
        now = self._look()
        assert now.objects[reference] == then.objects[reference]
        for role in self._services.class_(reference.class_name).roles.values():
            parts = then.parts[reference, role.name] if role.composition else []
            if role.composition and self._services.class_(role.target).versioned:
                assert now.parts[reference, role.name] == parts
                for id_ in parts:
                    self._check_restored(Reference(role.target, id_), then)
