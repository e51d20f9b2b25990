"""Fetches everything of an object down to a depth, as plain dicts."""

from typing import Any

from stratabase.core.domain.objects.entity import Entity, RoleName
from stratabase.core.domain.query.fetch import Fetch, RoleFetch, ToMany, ToOne, View
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.model import Model, Role
from stratabase.core.operations.read.batched_reads import BatchedRead, run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.views import load_views

_SPOT = "role."


def view_of(reader: Reader, entity: Entity, depth: int) -> dict[str, Any] | None:
    """Return the view of an object with all its roles to a depth, or None if the reader hides the object."""
    return run(load_view(reader, entity, depth))


def load_view(reader: Reader, entity: Entity, depth: int) -> BatchedRead[dict[str, Any] | None]:
    """Do the same as `view_of`, as a batched read."""
    reader.add([entity])
    fetch = _everything(reader.model, entity.reference.class_name, depth)
    views = yield from load_views(reader, fetch, [entity])
    return _plain(views[0]) if views else None


def _everything(model: Model, class_name: str, depth: int) -> Fetch:
    roles = model.classes[class_name].roles.values() if depth else ()
    return Fetch({_SPOT + role.name: _role(model, class_name, role, depth - 1) for role in roles})


def _role(model: Model, class_name: str, role: Role, depth: int) -> RoleFetch:
    name, below = RoleName(class_name, role.name), _everything(model, role.target, depth)
    if not role.many:
        return ToOne(name, role, below)
    query = Query(role.target, Order(), window=Window(10_000))
    return ToMany(name, role, below, query, lambda _, views: list(views))


def _plain(view: View) -> dict[str, Any]:
    values = {name: view[name] for name in ("_id", "name", "size") if view.get(name) is not None}
    roles = {name.removeprefix(_SPOT): _views(led) for name, led in view.items() if name.startswith(_SPOT)}
    return {**values, **{name: views for name, views in roles.items() if views}}


def _views(led: Any) -> list[dict[str, Any]]:
    return [_plain(each) for each in (led if isinstance(led, list) else [led]) if each is not None]
