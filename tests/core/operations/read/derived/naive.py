"""A naive derivation of attributes: object by object and path by path."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Context, Decimal, localcontext
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.derived import role_filters
from stratabase.core.domain.query.fetch import Associables, Fetch, RoleFetch, ToOne
from stratabase.core.domain.query.filter import Filter
from stratabase.core.domain.query.page import Query
from stratabase.core.model.model import Model
from stratabase.values.formats.decimals import canonical_decimal
from tests.core.domain.query import naive
from tests.core.operations.read.derived.derived_specs import DerivedSpec
from tests.core.operations.read.naive import ExpectedView
from tests.fakes import DictEntities
from tests.role_rules import is_linked

THERE = object()
"""The value of an object itself, at the end of a path that is a role."""


class NaiveDerivation:
    """The objects of a model and the specifications of its derived attributes."""

    def __init__(
        self, model: Model, result: Mapping[tuple[str, str], DerivedSpec], entities: DictEntities
    ) -> None:
        self.model = model
        self._told = result
        self._entities = entities

    def values(self, entity: Entity) -> dict[str, Any]:
        """Return all derived attributes of an object in their stored form."""
        class_name = entity.reference.class_name
        names = [name for owner, name in self._told if owner == class_name]
        return {name: _stored(self.value(entity, name)) for name in names}

    def state(self, entity: Entity, filter_: Filter | None) -> dict[str, Any]:
        """Return the state in which a filter tests an object: with the results of its role filters."""
        results = {
            condition.mark: any(
                naive.matches(
                    condition.part,
                    self.state(target, condition.part),
                    self.model.classes[target.reference.class_name],
                )
                for target in self.led_to(entity, condition.role.role_name)
            )
            for condition in role_filters(filter_)
        }
        return {**entity.state, **self.values(entity), **results}

    def all_of(self, class_name: str) -> list[Entity]:
        """Return the existing objects of a class."""
        found = (each for ref, each in self._entities.objects.items() if ref.class_name == class_name)
        return [each for each in found if self.there(each.reference)]

    def view(self, fetch: Fetch, entity: Entity) -> dict[str, Any]:
        """Return what a fetch returns for an object, except for the keys of its roles."""
        names = {"_id", "name", "size", "price"}
        kept = {name: value for name, value in entity.state.items() if name in names}
        derived = {name: _stored(self.value(entity, name)) for name in fetch.derived}
        return kept | derived | {spot: self._shown(role, entity) for spot, role in fetch.roles.items()}

    def _shown(self, wanted: RoleFetch, owner: Entity) -> Any:
        if isinstance(wanted, ToOne):
            found = list(self.led_to(owner, wanted.name.role_name))
            return self.view(wanted.fetch, found[0]) if found else None
        if isinstance(wanted, Associables):
            return self.page(wanted.query, wanted.fetch, self._associables(wanted, owner))
        return self.page(wanted.query, wanted.fetch, self.led_to(owner, wanted.name.role_name))

    def page(self, query: Query, fetch: Fetch, found: Iterable[Entity]) -> ExpectedView:
        """Return the page that answers a query on these objects."""
        by_id = {each.reference.id: each for each in found}
        states = [self.state(each, query.filter) for each in by_id.values()]
        class_ = self.model.classes[query.class_name]
        seen = naive.page(states, query.filter, query.order, query.window, class_)
        return ExpectedView(
            [self.view(fetch, by_id[id_]) for id_ in seen.ids] if query.fields.items else [],
            seen.total_count if query.fields.total_count else None,
            seen.has_next if query.fields.has_next else None,
            seen.has_prev if query.fields.has_prev else None,
        )

    def _associables(self, wanted: Associables, owner: Entity) -> Iterator[Entity]:
        opposite = wanted.role.opposite
        back = self.model.classes[wanted.role.target].roles[opposite] if opposite else None
        for entity in self.all_of(wanted.role.target):
            is_exclusive = back is not None and not back.many and not wanted.role.many
            partners = list(self.led_to(entity, back.name)) if back and is_exclusive else []
            if all(partner.reference == owner.reference for partner in partners):
                yield entity

    def value(self, entity: Entity, name: str) -> Any:
        """Return the value of an attribute: a number, a text, a truth."""
        result = self._told.get((entity.reference.class_name, name))
        if result is None:
            return self._kept(entity, name)
        found = [list(self._ends(entity, path)) for path in result.paths]
        with localcontext(Context(prec=400)):
            value = result.meaning(*found)
        return Context(prec=38).plus(value) if isinstance(value, Decimal) else value

    def _kept(self, entity: Entity, name: str) -> Any:
        stored = entity.state.get(name)
        is_real = self.model.classes[entity.reference.class_name].attributes[name].type.name == "Real"
        return Decimal(str(stored)) if is_real and stored is not None else stored

    def _ends(self, entity: Entity, path: tuple[str, ...]) -> Iterator[Any]:
        first, *others = path
        if first not in self.model.classes[entity.reference.class_name].roles:
            yield self.value(entity, first)
            return
        for each in self.led_to(entity, first):
            if others:
                yield from self._ends(each, tuple(others))
            else:
                yield THERE

    def led_to(self, owner: Entity, name: str) -> Iterator[Entity]:
        """Yield the existing objects that a role leads to."""
        class_name = owner.reference.class_name
        role = self.model.classes[class_name].roles[name]
        ids: Any = owner.state.get(name)
        if is_linked(role):
            (ids,) = self._entities.linked(RoleName(class_name, name), [owner.reference.id])
        for id_ in [ids] if isinstance(ids, str) else ids or ():
            entity = self.there(Reference(role.target, id_))
            if entity is not None:
                yield entity

    def there(self, reference: Reference) -> Entity | None:
        """Return an object if it exists. A part exists while its whole exists."""
        (entity,) = self._entities.read([reference])
        for role in self.model.classes[reference.class_name].roles.values() if entity else ():
            whole = entity.state.get(role.name) if entity and role.whole else None
            if whole is not None and self.there(Reference(role.target, str(whole))) is None:
                return None
        return entity


def _stored(value: Any) -> Any:
    return canonical_decimal(value) if isinstance(value, Decimal) else value
