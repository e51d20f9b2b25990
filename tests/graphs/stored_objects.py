"""The objects and roles that a store contains, and those that it should contain by the reference graph."""

from collections.abc import Iterable, Mapping
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, RoleStorage, storage_of
from stratabase.core.domain.query.page import ALL_IDS
from stratabase.core.model.model import Role
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from tests.graphs.reference_graph import ReferenceGraph

ObjectsByReference = Mapping[Reference, Mapping[str, Any]]


def stored_objects(
    reader: Reader, graph: ReferenceGraph, references: Iterable[Reference]
) -> ObjectsByReference:
    """Return the values and roles of the given objects as a reader finds them, without missing objects."""
    found = reader.read([*references])
    return {each.reference: _stored_values(reader, graph, each) for each in found if each is not None}


def expected_objects(graph: ReferenceGraph) -> ObjectsByReference:
    """Return what `stored_objects` should return for the reference graph."""
    return {
        reference: {name: value for name, value in values.items() if value is not None}
        | {
            role.name: led
            for role in _roles(graph, reference)
            if (led := expected_targets(graph, reference, role))
        }
        for reference, values in graph.objects.items()
    }


def _roles(graph: ReferenceGraph, reference: Reference) -> Iterable[Role]:
    return graph.model.classes[reference.class_name].roles.values()


def expected_targets(graph: ReferenceGraph, own: Reference, role: Role) -> list[str]:
    """Return the ids that a role leads to in the reference graph."""
    if role.whole:
        owners = (
            whole for (whole, name), ids in graph.parts.items() if name == role.opposite and own.id in ids
        )
        return [whole.id for whole in owners if whole.class_name == role.target]
    if role.composition:
        return graph.parts[own, role.name]
    return graph.led_to(own, role)


def _stored_values(reader: Reader, graph: ReferenceGraph, entity: Entity) -> Mapping[str, Any]:
    values = {name: value for name in ("name", "size") if (value := entity.state.get(name)) is not None}
    roles = {
        role.name: led
        for role in _roles(graph, entity.reference)
        if (led := _stored_role(reader, graph, entity, role))
    }
    return values | roles


def _stored_role(reader: Reader, graph: ReferenceGraph, own: Entity, role: Role) -> list[str]:
    """Return the ids of the existing objects that a role leads to."""
    if storage_of(graph.model, role) in {
        RoleStorage.OPPOSITE_KEY,
        RoleStorage.OPPOSITE_KEYS,
        RoleStorage.LINKS,
    }:
        (ids,) = run(
            reader.load_links(RoleName(own.reference.class_name, role.name), [own.reference.id], ALL_IDS)
        )
    else:
        kept: Any = own.state.get(role.name) or ()
        ids = (kept,) if isinstance(kept, str) else tuple(kept)
    there = reader.read([Reference(role.target, id_) for id_ in ids])
    return [entity.reference.id for entity in there if entity is not None]
