"""The items that a store must contain for a graph, computed naively."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.model.model import Model
from stratabase.core.store.engine.port import IndexKey, Item, Key
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import codec, keys, object_items
from tests.listing import listing_place
from tests.role_rules import Graph, is_counted, opposite_of, role_of, roles, target


def disagreements(model: Model, graph: Graph, items: Mapping[Key, Item]) -> list[str]:
    """Return how the items of a store differ from the heads, links, guards and counts of a graph."""
    guards = {**_guards(model, graph), **_unique_guards(model, graph)}
    links = dict.fromkeys(_links(model, graph))
    wanted = {**_heads(graph), **links, **guards, **dict(_past(model, graph))}
    found = {key: _content(item) for key, item in items.items() if not _is_kept_for_good(key)}
    return [
        *(f"{key} is missing" for key in wanted if key not in found),
        *(f"{key} is left over" for key in found if key not in wanted),
        *(
            f"{key} is {found[key]}, not {result}"
            for key, result in wanted.items()
            if key in found and found[key] != result
        ),
        *_miscounted(model, graph, items),
        *_misplaced(items),
    ]


def _is_kept_for_good(key: Key) -> bool:
    """Return whether a key belongs to no object: the registry, or a serial counter."""
    return key == keys.REGISTRY or key.partition.startswith("N#")


def _content(item: Item) -> Any:
    """Return the content of an item that is compared."""
    if (gone := object_items.read_tombstone(item)) is not None:
        return gone
    if item.key.sort.startswith(keys.VERSIONS):
        return {**codec.raw_state(item), **_times(item)}
    return item.attributes.get("holder", item.attributes.get("end"))


def _times(item: Item) -> dict[str, Any]:
    """Return the start and the end of a closed version, and the start of the one before it."""
    known = {name: item.attributes.get(name) for name in ("start", "end", "previousStart")}
    return {name: value for name, value in known.items() if value is not None and "end" in item.attributes}


def _heads(graph: Graph) -> dict[Key, Any]:
    return {
        keys.head(reference): {
            name: value
            for name, value in entity.state.items()
            if value is not None and not name.startswith("_version")
        }
        for reference, entity in graph.objects.items()
    }


def _past(model: Model, graph: Graph) -> Iterator[tuple[Key, Any]]:
    """Yield the expected items of the past: tombstones, closed versions, and links of former keys."""
    for reference, gone in graph.past.gone.items():
        yield keys.head(reference), gone
    for reference in graph.past.closed:
        result = [*graph.past.versions(reference, graph.objects)]
        for before, version, after in zip([None, *result], result, [*result[1:], None], strict=False):
            if version.end is not None:
                yield _closed(before, version)
                yield from _former(model, version, after)


def _closed(before: Entity | None, version: Entity) -> tuple[Key, Any]:
    previous = {} if before is None else {"previousStart": before.start}
    state = {name: value for name, value in version.state.items() if value is not None}
    plain = {name: value for name, value in state.items() if not name.startswith("_version")}
    times = {"start": version.start, "end": version.end, **previous}
    return keys.version(version.reference, version.start or 0), {**plain, **times}


def _former(model: Model, version: Entity, after: Entity | None) -> Iterator[tuple[Key, Any]]:
    """Yield the expected items for keys of a version that the next version no longer has."""
    for name, role in roles(model):
        opposite, id_ = opposite_of(model, name), version.state.get(name.role_name)
        if name.class_name != version.reference.class_name or not role.holds_key or opposite is None:
            continue
        went_on = after is not None and after.start == version.end and after.state.get(role.name) == id_
        if isinstance(id_, str) and not went_on:
            target = Reference(role.target, id_)
            yield keys.former_link(target, opposite.role_name, version.reference.id), version.end


def _links(model: Model, graph: Graph) -> Iterator[Key]:
    for _, opposite, holder, id_ in _keys(model, graph):
        if role_of(model, opposite).many:
            yield keys.link(Reference(opposite.class_name, id_), opposite.role_name, holder)
    for name, role in roles(model):
        if role.holds_key and role.required and role.opposite is None:
            for holder, id_ in _held_keys(name, graph):
                yield keys.link(Reference(role.target, id_), str(name), holder)
    for name, owner, other in graph.links:
        yield keys.link(Reference(name.class_name, owner), name.role_name, other)
        if opposite_of(model, name) is None and is_counted(model, name):
            yield keys.link(Reference(target(model, name), other), str(name), owner)


def _guards(model: Model, graph: Graph) -> dict[Key, Any]:
    return {
        keys.one_to_one_guard(name, id_): holder
        for name, opposite, holder, id_ in _keys(model, graph)
        if not role_of(model, opposite).many
    }


def _unique_guards(model: Model, graph: Graph) -> dict[Key, Any]:
    return {
        key: reference.id
        for reference, entity in graph.objects.items()
        for unique in model.classes[reference.class_name].uniques
        if (key := keys.guard(reference.class_name, unique, entity.state))
    }


def _keys(model: Model, graph: Graph) -> Iterator[tuple[RoleName, RoleName, str, str]]:
    """Yield the keys of roles with an opposite: role, opposite role, id of the holder, id of the target."""
    for name, role in roles(model):
        opposite = opposite_of(model, name)
        if role.holds_key and opposite:
            for holder, id_ in _held_keys(name, graph):
                yield name, opposite, holder, id_


def _held_keys(name: RoleName, graph: Graph) -> Iterator[tuple[str, str]]:
    """Yield the keys of a role: id of the holder, and id of the target."""
    for (class_name, holder), entity in graph.objects.items():
        id_ = entity.state.get(name.role_name)
        if class_name == name.class_name and isinstance(id_, str):
            yield holder, id_


def _miscounted(model: Model, graph: Graph, items: Mapping[Key, Item]) -> Iterator[str]:
    for reference in graph.objects:
        wanted, head = graph.counts(model, reference), items.get(keys.head(reference))
        counted = wanted if head is None else codec.counts(head)
        if reference in graph.past.restored:  # it is counted when that is first needed
            wanted = {role: number for role, number in wanted.items() if role in counted}
        if counted != wanted:
            yield f"{reference} counts {counted}, not {wanted}"


def _misplaced(items: Mapping[Key, Item]) -> Iterator[str]:
    """Return the items whose index entries are not those that the registry requires."""
    registry = parse_registry(items.get(keys.REGISTRY))
    for key, item in items.items():
        places: dict[str, IndexKey] = {}
        gone = object_items.read_tombstone(item)
        if gone is not None and (entry := registry.deleted.get(gone.reference.class_name)) is not None:
            partition = f"T#{gone.reference.class_name}#{entry.number}"
            places = {
                "index1": IndexKey(partition, gone.reference.id),
                "index2": IndexKey(partition, f"{gone.last_end:015}#{gone.reference.id}"),
            }
        if key.sort == keys.HEAD and gone is None:
            entity = codec.entity_of(item)
            paths = registry.paths(entity.reference.class_name)
            places = {
                keys.LISTING: listing_place(entity.reference),
                **object_items.index_places(entity, paths),
            }
        if item.places != places:
            yield f"{key} lies in {item.places}, not {places}"
