"""Objects with all their roles: as a fetch returns them, and as the reference graph has them."""

from collections.abc import Mapping, Sequence
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.fetch import Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Page, Query, Window
from stratabase.core.model.model import Model, Role
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import read_views
from tests.fakes import request_of
from tests.graphs.reference_graph import ReferenceGraph
from tests.graphs.stored_objects import expected_targets

ViewValues = Mapping[str, Any]
DEPTH = 2


def views(
    stored: EntityRepository, model: Model, class_name: str, entities: Sequence[Entity]
) -> list[ViewValues]:
    """Return what a fetch returns for objects of a class, with their roles down to a fixed depth."""
    reader = Reader(request_of(model, stored), render=_face)
    return [_plainly(view) for view in read_views(reader, _fetch(model, class_name, DEPTH), entities)]


def expected_views(graph: ReferenceGraph, references: Sequence[Reference]) -> list[ViewValues]:
    """Return what `views` should return for objects of the reference graph."""
    return [_view(graph, reference, DEPTH) for reference in references]


def _face(entity: Entity) -> Mapping[str, Any]:
    values = {name: entity.state.get(name) for name in ("name", "size")}
    return {"_id": entity.reference.id, **values}


def _fetch(model: Model, class_name: str, depth: int) -> Fetch:
    roles = model.classes[class_name].roles.values() if depth else ()
    return Fetch({role.name: _role(model, RoleName(class_name, role.name), role, depth) for role in roles})


def _role(model: Model, name: RoleName, role: Role, depth: int) -> RoleFetch:
    below = _fetch(model, role.target, depth - 1)
    if not role.many:
        return ToOne(name, role, below)
    return ToMany(name, role, below, Query(role.target, Order.of(()), window=Window(1000)), _shown)


def _shown(_: Page, views: Sequence[View]) -> Sequence[View]:
    return views


def _plainly(view: View) -> ViewValues:
    """Return a view as plain dicts and lists. Call it last, because loading fills views in place."""
    return {name: _plain_value(value) for name, value in view.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _plainly(value)
    return [_plainly(each) for each in value] if isinstance(value, list) else value


def _view(graph: ReferenceGraph, own: Reference, depth: int) -> ViewValues:
    values = {name: graph.objects[own].get(name) for name in ("name", "size")}
    roles = graph.model.classes[own.class_name].roles.values() if depth else ()
    return {"_id": own.id, **values, **{role.name: _led_to(graph, own, role, depth) for role in roles}}


def _led_to(graph: ReferenceGraph, own: Reference, role: Role, depth: int) -> Any:
    ids = sorted(expected_targets(graph, own, role))
    found = [_view(graph, Reference(role.target, id_), depth - 1) for id_ in ids]
    if role.many:
        return found
    return found[0] if found else None
