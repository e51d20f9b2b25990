"""Finds faults in the items of an engine: missing, superfluous or wrong items for its objects."""

from collections.abc import Iterator

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import Key
from stratabase.core.store.layout import codec, keys
from tests.core.store.engine_items import Items
from tests.core.store.graph_agreement import disagreements
from tests.role_rules import Graph, is_one_way, role_of, roles


def item_faults(model: Model, items: Items) -> list[str]:
    """Return descriptions of the items that are missing, superfluous or wrong for the heads in an engine."""
    return disagreements(model, graph_of(model, items), items)


def graph_of(model: Model, items: Items) -> Graph:
    """Return the graph that the heads and link items of an engine describe."""
    heads = (codec.entity_of(item) for key, item in items.items() if key.sort == keys.HEAD)
    graph = Graph({entity.reference: entity for entity in heads})
    for key in items:
        for name, owner, other in _links(model, key):
            is_there = Reference(role_of(model, name).target, other) in graph.objects
            if Reference(name.class_name, owner) in graph.objects and (is_there or is_one_way(model, name)):
                graph.link(model, name, owner, other)
    return graph


def _links(model: Model, key: Key) -> Iterator[tuple[RoleName, str, str]]:
    """Yield the link that a key stores, if the key is that of a link item."""
    for name, role in roles(model):
        opposite = role.opposite and model.classes[role.target].roles[role.opposite]
        prefix = keys.links(role.name)
        is_own = key.partition.startswith(f"{name.class_name}#") and key.sort.startswith(prefix)
        if role.many and is_own and (not opposite or opposite.many):
            yield name, keys.id_of(key), key.sort.removeprefix(prefix)
