"""Models with every kind of association, and short methods that write objects of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType
from typing import Any

import pytest

from stratabase.core.domain.objects.change import (
    Change,
    Creation,
    Deletion,
    Effect,
    LinkCreation,
    LinkDeletion,
    Modification,
)
from stratabase.core.domain.objects.commit_refusals import IntegrityViolation, RoleViolation
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.model.model import Class, ClassKind, Model, Role, Unique
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.indexes.entries import BuildState
from stratabase.core.store.indexes.registry import Registry
from stratabase.core.store.repository import Repository
from tests.fakes import unlimited_budget
from tests.models import attribute, model

_numbers: Iterator[int] = count(1)


def class_with(
    name: str, *roles: Role, kind: ClassKind = ClassKind.ORDINARY, uniques: tuple[Unique, ...] = ()
) -> Class:
    """Return a class whose objects have a name and these roles."""
    return Class(
        name,
        kind,
        attributes=MappingProxyType({"name": attribute("name", "String")}),
        roles=MappingProxyType({role.name: role for role in roles}),
        uniques=uniques,
    )


def key(name: str, target: str, opposite: str | None = None, *, required: bool = False) -> Role:
    """Return a to-one role whose key its class holds."""
    return Role(name, target, required=required, opposite=opposite, holds_key=True)


def one(name: str, target: str, opposite: str, *, required: bool = False) -> Role:
    """Return the side of a one-to-one association that holds no key."""
    return Role(name, target, required=required, opposite=opposite)


def many(name: str, target: str, opposite: str | None = None, *, required: bool = False) -> Role:
    """Return a to-many role."""
    return Role(name, target, many=True, required=required, opposite=opposite)


def parts(name: str, target: str, back: str, *, to_many: bool = True) -> Role:
    """Return a composition."""
    return Role(name, target, many=to_many, opposite=back, composition=True)


def whole(name: str, target: str, opposite: str) -> Role:
    """Return the role of a part to its whole."""
    return Role(name, target, opposite=opposite, required=True, whole=True)


KINDS: Mapping[str, tuple[Role, Role | None]] = {
    "key": (key("to", "B"), None),
    "required key": (key("to", "B", required=True), None),
    "key and list": (key("to", "B", "of"), many("of", "A", "to")),
    "required key and list": (key("to", "B", "of", required=True), many("of", "A", "to")),
    "key and required list": (key("to", "B", "of"), many("of", "A", "to", required=True)),
    "both required": (key("to", "B", "of", required=True), many("of", "A", "to", required=True)),
    "one to one": (key("to", "B", "of"), one("of", "A", "to")),
    "one to one, key required": (key("to", "B", "of", required=True), one("of", "A", "to")),
    "one to one, other required": (key("to", "B", "of"), one("of", "A", "to", required=True)),
    "one to one, both required": (
        key("to", "B", "of", required=True),
        one("of", "A", "to", required=True),
    ),
    "list one way": (many("to", "B"), None),
    "required list one way": (many("to", "B", required=True), None),
    "many to many": (many("to", "B", "of"), many("of", "A", "to")),
    "many to many, one required": (many("to", "B", "of", required=True), many("of", "A", "to")),
    "many to many, both required": (
        many("to", "B", "of", required=True),
        many("of", "A", "to", required=True),
    ),
}
"""The role of A, and the opposite of B if there is one."""


def associated(kind: str, *, within: bool = False) -> Model:
    """Return a model with one association from A to B, or from A to A if it is `within` A."""
    to, of = KINDS[kind]
    if within:
        return model(class_with("A", _led(to, "A"), *([of] if of else [])))
    return model(class_with("A", to), class_with("B", *([of] if of else [])))


def _led(role: Role, target: str) -> Role:
    return Role(role.name, target, role.many, role.required, role.opposite, holds_key=role.holds_key)


def everything() -> Model:
    """Return a model with all kinds of associations, some of them within one class."""
    own, others = list[Role](), list[Role]()
    for number, (to, of) in enumerate(KINDS.values()):
        target = "A" if number % 3 == 2 else "B"
        back = None if of is None else f"of{number}"
        own.append(Role(f"to{number}", target, to.many, to.required, back, holds_key=to.holds_key))
        if of is not None:
            opposite = Role(f"of{number}", "A", of.many, of.required, f"to{number}")
            (own if target == "A" else others).append(opposite)
    return model(class_with("A", *own), class_with("B", *others))


def remembering(model_: Model, *names: str) -> Model:
    """Return a model in which some classes keep versions."""
    return model(*(replace(each, versioned=each.name in names) for each in model_.classes.values()))


def _renamed(model_: Model, end: str) -> Model:
    """Return a copy of a model in which a suffix is added to the names of all classes."""

    def renamed(role: Role) -> Role:
        return replace(role, target=f"{role.target}{end}")

    classes = (
        replace(
            class_,
            name=f"{class_.name}{end}",
            roles=MappingProxyType({name: renamed(role) for name, role in class_.roles.items()}),
        )
        for class_ in model_.classes.values()
    )
    return model(*classes)


class Objects:
    """Short methods that write and read objects of a model in a store.

    The classes get unique names in the store, so that several tests can share an engine.
    """

    def __init__(self, engine: Engine, model_: Model, end: str | None = None) -> None:
        """Open a store. `end` is the suffix of the class names, which is new by default."""
        self.engine = engine
        self.told = model_
        self.outcomes: Sequence[bool] = ()
        """The outcome of each caller in a race: whether it succeeded."""
        self._end = str(next(_numbers)) if end is None else end
        self.model = _renamed(model_, self._end)
        self.entities = Repository(engine, self.model)

    def under(self, model_: Model) -> "Objects":
        """Return the same objects under another model, as a new process sees them."""
        return Objects(self.engine, model_, self._end)

    def as_built(self) -> "Objects":
        """Mark the required roles as READY without building them. Counts are then made on first use."""

        def ready(registry: Registry) -> Registry:
            for name, roles in registry.roles.items():
                registry = registry.with_roles(
                    name, tuple(one.with_state(BuildState.READY, 0) for one in roles)
                )
            return registry

        registry_cache = self.entities._store.registry
        registry_cache.registry()
        registry_cache.update(ready)
        registry_cache.invalidate()
        return self

    def reference(self, class_name: str, id_: str) -> Reference:
        return Reference(f"{class_name}{self._end}", id_)

    def role(self, class_name: str, role_name: str) -> RoleName:
        return RoleName(f"{class_name}{self._end}", role_name)

    def find(self, class_name: str, id_: str) -> Entity | None:
        """Return an object, or None if it does not exist."""
        return self.entities.read([self.reference(class_name, id_)])[0]

    def get(self, class_name: str, id_: str) -> Entity:
        """Return an existing object."""
        entity = self.find(class_name, id_)
        assert entity is not None, f"there is no {class_name} {id_}"
        return entity

    def commit(self, *effects: Effect, commit_id: str | None = None) -> None:
        """Commit effects as one change."""
        self.entities.commit(change(*effects, commit_id=commit_id))

    def refused(self, *effects: Effect) -> set[RoleViolation]:
        """Return the violations of role rules. Assert that a dry run and the commit report the same."""
        with pytest.raises(IntegrityViolation) as rehearsed:
            self.entities.dry_run(change(*effects))
        with pytest.raises(IntegrityViolation) as refusal:
            self.commit(*effects)
        assert set(refusal.value.violations) == set(rehearsed.value.violations)
        return set(refusal.value.violations)

    def creation(self, class_name: str, id_: str, **state: Any) -> Creation:
        return Creation(Entity(self.reference(class_name, id_), {"_id": id_, **state}))

    def create(self, class_name: str, *ids: str, **state: Any) -> None:
        self.commit(*(self.creation(class_name, id_, **state) for id_ in ids))

    def update(self, class_name: str, id_: str, **changes: Any) -> Modification:
        """Return the modification of an object in its present state. None removes a value."""
        before = self.get(class_name, id_)
        state = {name: value for name, value in {**before.state, **changes}.items() if value is not None}
        return Modification(before, Entity(before.reference, state, before.commit_ids))

    def deletion(self, class_name: str, id_: str) -> Deletion:
        """Return the deletion of an object in its present state."""
        return Deletion(self.get(class_name, id_))

    def delete(self, class_name: str, id_: str) -> None:
        self.commit(self.deletion(class_name, id_))

    def linking(self, class_name: str, role: str, owner: str, *others: str) -> list[LinkCreation]:
        """Return the creations of links from an object."""
        return [LinkCreation(self.role(class_name, role), owner, other) for other in others]

    def unlinking(self, class_name: str, role: str, owner: str, *others: str) -> list[LinkDeletion]:
        """Return the deletions of links from an object."""
        return [LinkDeletion(self.role(class_name, role), owner, other) for other in others]

    def page(self, class_name: str) -> Sequence[Entity]:
        """Return up to 100 objects of a class."""
        query = Query(self.reference(class_name, "").class_name, Order.of(()), window=Window(size=100))
        return self.entities.page(query, unlimited_budget()).items

    def linked(self, class_name: str, role: str, id_: str, **range_: Any) -> str:
        """Return the ids that a role leads to, separated by blanks."""
        return " ".join(self.entities.linked(self.role(class_name, role), [id_], **range_)[0])


def change(*effects: Effect, commit_id: str | None = None) -> Change:
    """Return a change with these effects."""
    return Change(commit_id or f"graph{next(_numbers)}", 0, effects)
