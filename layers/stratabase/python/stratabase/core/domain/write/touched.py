"""The objects of a write on which conditions of other objects depend."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.change import Deletion, LinkMove, Modification, ObjectEffect
from stratabase.core.domain.objects.entity import Reference, opposite_name
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.model.dependencies import PathNode

PathPoint = tuple[PathNode, Reference]
"""An object, and a node of a condition at which paths lead to it."""


class TouchedObjects(NamedTuple):
    """What a write changes of the objects on which conditions depend."""

    points: Mapping[PathPoint, Path]
    """The objects of which a condition reads something else after the write, with places in the request.

    The condition of an object can change if a path from it leads to one of them, before or after the write.
    """
    new_targets: Sequence[Reference]
    """The objects to which roles on the paths begin to lead."""


def touched_objects(plan: WritePlan, nodes: Mapping[str, Sequence[PathNode]]) -> TouchedObjects:
    """Return what a write changes of the objects at nodes of conditions. `nodes`: by class."""
    points: dict[PathPoint, Path] = {}
    new_targets: dict[Reference, None] = {}
    for reference, effect in plan.index.objects.items():
        for node in nodes.get(reference.class_name, ()):
            if _is_touched(node, effect):
                points[node, reference] = plan.request.objects[reference].subject.path
                new_targets.update(dict.fromkeys(_new_targets(node, effect)))
    for move in plan.index.moves:
        owner = Reference(move.role.class_name, move.owner)
        for node in nodes.get(owner.class_name, ()):
            child = node.children.get(move.role.role_name)
            if child is not None and not plan.index.is_deleted(owner):
                points.setdefault((node, owner), _path_of(plan, owner, move))
                if move.begins:
                    new_targets[Reference(child.class_name, move.other)] = None
    return TouchedObjects(points, tuple(new_targets))


def _is_touched(node: PathNode, effect: ObjectEffect) -> bool:
    """Return whether a condition reads something else at a node because of an effect on an object there.

    An object that begins or ceases to exist does so for all that leads to it. A deleted object has no
    conditions of its own any more.
    """
    if not isinstance(effect, Modification):
        return node.parent is not None or not isinstance(effect, Deletion)
    before, after = effect.before.state, effect.after.state
    return any(before.get(name) != after.get(name) for name in node.names)


def _new_targets(node: PathNode, effect: ObjectEffect) -> Iterator[Reference]:
    """Yield the objects to which keys of an object begin to lead."""
    if effect.after is None:
        return
    for name, child in node.children.items():
        key = effect.after.state.get(name)
        is_new = effect.before is None or effect.before.state.get(name) != key
        if is_new and child.role is not None and child.role.holds_key and isinstance(key, str):
            yield Reference(child.class_name, key)


def _path_of(plan: WritePlan, owner: Reference, move: LinkMove) -> Path:
    """Return the place in the request that changes an association of an object."""
    request = plan.request
    if owner in request.objects:
        return request.objects[owner].subject.path
    opposite = opposite_name(request.role(move.role))
    assert opposite is not None, "an object whose role leads one way speaks for itself"
    other = request.objects[Reference(opposite.class_name, move.other)]
    return other.subject.path if other.is_deleted else other.role_path(opposite.role_name)
