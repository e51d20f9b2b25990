"""A naive model of fetches by the sentences of the contract: object by object, role by role."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.fetch import Associables, Fetch, RoleFetch, ToOne
from stratabase.core.domain.query.page import Query
from tests.core.domain.query import naive
from tests.everything_model import EVERYTHING, EverythingObjects
from tests.role_rules import is_linked


class ExpectedView(NamedTuple):
    """The expected content of a page; None for fields that were not requested."""

    views: list[Any]
    total_count: int | None
    has_next: bool | None
    has_prev: bool | None


def view(objects: EverythingObjects, fetch: Fetch, entity: Entity) -> dict[str, Any]:
    """Return the view of an object."""
    found = {place: _value(objects, wanted, entity) for place, wanted in fetch.roles.items()}
    return {**entity.state, **found}


def _value(objects: EverythingObjects, wanted: RoleFetch, owner: Entity) -> Any:
    if isinstance(wanted, ToOne):
        found = list(_led_to(objects, wanted.name, owner))
        return view(objects, wanted.fetch, found[0]) if found else None
    if isinstance(wanted, Associables):
        return _page(objects, wanted, list(_associables(objects, wanted, owner)))
    return _page(objects, wanted, list(_led_to(objects, wanted.name, owner)))


def _page(objects: EverythingObjects, wanted: Any, found: list[Entity]) -> ExpectedView:
    query: Query = wanted.query
    class_ = EVERYTHING.classes[wanted.role.target]
    by_id = {entity.reference.id: entity for entity in found}
    seen = naive.page([each.state for each in found], query.filter, query.order, query.window, class_)
    views = [view(objects, wanted.fetch, by_id[id_]) for id_ in seen.ids]
    return ExpectedView(
        views if query.fields.items else [],
        seen.total_count if query.fields.total_count else None,
        seen.has_next if query.fields.has_next else None,
        seen.has_prev if query.fields.has_prev else None,
    )


def there(objects: EverythingObjects, class_name: str, id_: Any) -> Entity | None:
    """Return an object if it exists. A part exists while its whole exists."""
    (entity,) = objects.read([Reference(class_name, id_)])
    for role in EVERYTHING.classes[class_name].roles.values() if entity else ():
        whole = entity.state.get(role.name) if entity and role.whole else None
        if whole is not None and there(objects, role.target, whole) is None:
            return None
    return entity


def _led_to(objects: EverythingObjects, name: RoleName, owner: Entity) -> Iterator[Entity]:
    role = EVERYTHING.classes[name.class_name].roles[name.role_name]
    ids: Any = owner.state.get(name.role_name)
    if is_linked(role):
        (ids,) = objects.linked(name, [owner.reference.id])
    for id_ in [ids] if isinstance(ids, str) else ids or ():
        entity = there(objects, role.target, id_)
        if entity is not None:
            yield entity


def _associables(objects: EverythingObjects, wanted: Associables, owner: Entity) -> Iterator[Entity]:
    target = EVERYTHING.classes[wanted.role.target]
    back = target.roles[wanted.role.opposite] if wanted.role.opposite else None
    exclusive = back is not None and not back.many and not wanted.role.many
    for reference in list(objects.objects):
        if reference.class_name != target.name or there(objects, *reference) is None:
            continue
        entity = objects.objects[reference]
        partners = list(_led_to(objects, RoleName(target.name, back.name), entity)) if back else []
        if not exclusive or all(partner.reference == owner.reference for partner in partners):
            yield entity
