"""Reads a reference graph from a store: all objects, and one side of each association."""

from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, RoleStorage, storage_of
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.model import Model, Role
from stratabase.core.operations.ports import EntityRepository
from tests.fakes import unlimited_budget
from tests.graphs.reference_graph import ReferenceGraph


def read_graph(entities: EntityRepository, model: Model) -> ReferenceGraph:
    """Return the graph that a store holds."""
    found = [
        entity
        for class_ in model.classes.values()
        if class_.is_stored
        for entity in entities.page(
            Query(class_.name, Order(), window=Window(10_000)), unlimited_budget()
        ).items
    ]
    graph = ReferenceGraph(model, {entity.reference: _values(entity) for entity in found})
    for entity in found:
        for role in model.classes[entity.reference.class_name].roles.values():
            _add_role(entities, graph, entity, role)
    return graph


def _values(entity: Entity) -> dict[str, Any]:
    return {name: entity.state[name] for name in ("name", "size") if entity.state.get(name) is not None}


def _add_role(entities: EntityRepository, graph: ReferenceGraph, entity: Entity, role: Role) -> None:
    own, kept, way = entity.reference, entity.state.get(role.name), storage_of(graph.model, role)
    name = RoleName(own.class_name, role.name)
    if way is RoleStorage.PARTS:
        graph.parts[own, role.name] = (
            [kept] if isinstance(kept, str) else list(kept) if isinstance(kept, list) else []
        )
    elif way is RoleStorage.OWN_KEY and isinstance(kept, str):
        if Reference(role.target, kept) in graph.objects:
            graph.pairs[name].add((own.id, kept))
        else:
            graph.broken_keys[own, role.name] = kept
    elif way is RoleStorage.LINKS and graph.side(own.class_name, role).name == name:
        (ids,) = entities.linked(name, [own.id])
        there = (id_ for id_ in ids if Reference(role.target, id_) in graph.objects)
        graph.pairs[name] |= {(own.id, id_) for id_ in there}
