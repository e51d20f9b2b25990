"""The company's items in an engine, and services over an engine with predictable IDs and times."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from stratabase.core.domain.objects.change import Change, Creation, Effect, LinkCreation, Modification
from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Model
from stratabase.core.operations.context import Services
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import Items, all_items
from tests.core.store.graph_agreement import disagreements
from tests.fakes import fake_services
from tests.graphs.company import COMPANY
from tests.graphs.write_cases import scenario
from tests.role_rules import Graph

_TOGETHER = 15
"""How many effects one commit has. Each effect takes at most six actions."""


def services_over(engine: Engine, model: Model) -> Services:
    """Return services with empty caches. Their ids, including those of commits, are id1, id2 …"""
    services, _, _ = fake_services(model)
    return replace(services, entities=Repository(engine, model))


@cache
def company_items() -> Items:
    """Return the items of an engine that contains the company."""
    engine, graph = ReferenceEngine(), scenario().entities.graph
    store_graph(engine, COMPANY, graph)
    items = all_items(engine)
    assert disagreements(COMPANY, graph, items) == []
    return items


def store_graph(engine: Engine, model: Model, graph: Graph) -> None:
    """Write a graph to an engine: first the objects without keys, then the keys, then the links."""
    entities = Repository(engine, model)
    entities.unbuilt()  # the registry is written before
    bare = {each.reference: _without_keys(model, each) for each in graph.objects.values()}
    _commit(entities, "made", 0, [Creation(each) for each in bare.values()])
    found = {each.reference: each for each in entities.read([*bare]) if each is not None}
    keyed = [
        Modification(found[reference], replace(whole, commit_ids=found[reference].commit_ids))
        for reference, whole in graph.objects.items()
        if whole.state != bare[reference].state
    ]
    _commit(entities, "keyed", 1, keyed)
    _commit(entities, "linked", 2, [*_each_once(model, graph)])


def _without_keys(model: Model, entity: Entity) -> Entity:
    roles = model.classes[entity.reference.class_name].roles
    kept = {
        name: value for name, value in entity.state.items() if name not in roles or not roles[name].holds_key
    }
    return Entity(entity.reference, kept)


def _each_once(model: Model, graph: Graph) -> Iterator[LinkCreation]:
    """Yield one link creation for each association, from one of its sides."""
    for role, owner, other in sorted(graph.links):
        opposite = model.classes[role.class_name].roles[role.role_name].opposite
        target = model.classes[role.class_name].roles[role.role_name].target
        if opposite is None or (role.class_name, role.role_name) <= (target, opposite):
            yield LinkCreation(role, owner, other)


def _commit(entities: Repository, name: str, instant: Instant, effects: Sequence[Effect]) -> None:
    for first in range(0, len(effects), _TOGETHER):
        some = tuple(effects[first : first + _TOGETHER])
        entities.commit(Change(f"{name} {first}", instant, some))
