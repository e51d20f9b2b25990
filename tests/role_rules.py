"""The rules of roles and uniqueness over plain dicts, computed naively.

The oracle for what a store does with links, counts and guards.
"""

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from stratabase.core.domain.objects.change import Change, LinkCreation, Restoration, reference_of
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyAssociated,
    RequiredRoleEmpty,
    RoleViolation,
    TargetNotFound,
)
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.model.model import Class, ClassKind, Model, Role, Unique
from tests.core.domain.query.naive import folded
from tests.version_rules import Past, dated


@dataclass
class Graph:
    """Objects, and the links of associations without a key."""

    objects: dict[Reference, Entity] = field(default_factory=dict)
    links: set[tuple[RoleName, str, str]] = field(default_factory=set)
    past: Past = field(default_factory=Past)

    def after(self, change: Change, model: Model) -> "Graph":
        """Return the graph after a change, without checking the rules of the model."""
        graph = Graph(dict(self.objects), set(self.links), self.past.after(change, self.objects, model))
        for effect in change.object_effects():
            if effect.after is None:
                del graph.objects[effect.before.reference]
                graph.drop(effect.before.reference, model)
            else:
                reference = effect.after.reference
                earlier = effect.tombstone if isinstance(effect, Restoration) else effect.before
                commit_ids = (*(earlier.commit_ids if earlier else ()), change.commit_id)[-8:]
                stamp = getattr(self.objects.get(reference), "claimed", None)
                written = Entity(reference, effect.after.state, commit_ids, claimed=stamp)
                graph.objects[reference] = dated(written, model, change.instant)
        for link in change.link_effects():
            act = graph.links.add if isinstance(link, LinkCreation) else graph.links.discard
            for end in ends(model, link.role, link.owner, link.other):
                act(end)
        return graph

    def link(self, model: Model, role: RoleName, owner: str, other: str) -> None:
        """Add a link, as each side of the association sees it."""
        self.links.update(ends(model, role, owner, other))

    def drop(self, gone: Reference, model: Model) -> None:
        """Remove a deleted object's own links, and the links to it that its own roles can find."""
        self.links = {
            (role, owner, other)
            for role, owner, other in self.links
            if Reference(role.class_name, owner) != gone
            and (Reference(target(model, role), other) != gone or is_one_way(model, role))
        }

    def leading_to_gone(self, change: Change, model: Model) -> set[tuple[RoleName, str, str]]:
        """Return the links from remaining objects to objects that a change deletes."""
        gone = {reference_of(effect) for effect in change.object_effects() if effect.after is None}
        return {
            (role, owner, other)
            for role, owner, other in self.links
            if Reference(target(model, role), other) in gone and Reference(role.class_name, owner) not in gone
        }

    def led_to(self, model: Model, role: RoleName, id_: str, at: Instant | None = None) -> list[str]:
        """Return the sorted ids of the objects that a role leads to, whether or not they exist.

        `at`: the instant to look at, for roles whose keys are in versioned objects. Other roles ignore it.
        """
        if not is_linked(role_of(model, role)):
            raise ValueError(f"What {role} leads to stands in the object itself.")
        opposite = opposite_of(model, role)
        if opposite is not None and role_of(model, opposite).holds_key:
            if at is not None and model.classes[opposite.class_name].versioned:
                return sorted(self._held_at(opposite, id_, at))
            return sorted(entity.reference.id for entity in self.holders(opposite, id_))
        return sorted(other for known, owner, other in self.links if (known, owner) == (role, id_))

    def holders(self, role: RoleName, id_: str) -> Iterator[Entity]:
        """Yield the objects whose key, the given role, has the given id as its target."""
        return (
            entity
            for (class_name, _), entity in self.objects.items()
            if class_name == role.class_name and entity.state.get(role.role_name) == id_
        )

    def _held_at(self, role: RoleName, id_: str, at: Instant) -> Iterator[str]:
        """Yield the ids of the objects whose key had the given id as its target at an instant."""
        for reference in {*self.objects, *self.past.closed}:
            if reference.class_name == role.class_name:
                version = self.past.at(reference, at, self.objects)
                leads_there = version is not None and version.state.get(role.role_name) == id_
                yield from [reference.id] * leads_there

    def holding(self, class_: Class, unique: Unique, values: State) -> Iterator[Entity]:
        """Yield the objects of a class that have the given values of a uniqueness constraint."""
        wanted = unique_values(class_, values, unique)
        return (
            entity
            for reference, entity in self.objects.items()
            if reference.class_name == class_.name
            and wanted is not None
            and unique_values(class_, entity.state, unique) == wanted
        )

    def counts(self, model: Model, reference: Reference) -> Mapping[RoleName, int]:
        """Return the counts in the head of an object: for each required role, how many objects lead to it."""
        return {
            name: sum(1 for _ in self.holders(name, reference.id))
            if role.holds_key
            else len(self.led_to(model, name, reference.id))
            for name, role in roles(model)
            if role.required
            and (role.holds_key or role.many)
            and reference.class_name == (role.target if role.holds_key else name.class_name)
        }


def role_of(model: Model, name: RoleName) -> Role:
    return model.classes[name.class_name].roles[name.role_name]


def is_linked(role: Role) -> bool:
    """Return whether a role is stored outside its object: as a key of the opposite side, or as links."""
    return not (role.holds_key or role.composition or role.whole)


def opposite_of(model: Model, name: RoleName) -> RoleName | None:
    """Return the opposite role, or None if the association has only one side."""
    role = role_of(model, name)
    return None if role.opposite is None else RoleName(role.target, role.opposite)


def target(model: Model, name: RoleName) -> str:
    """Return the name of the class that a role leads to."""
    return role_of(model, name).target


def roles(model: Model) -> Iterator[tuple[RoleName, Role]]:
    """Yield all roles of associations in a model, with their full names."""
    for class_ in model.classes.values():
        for role in class_.roles.values():
            if class_.kind is not ClassKind.FORM and not role.composition and not role.whole:
                yield RoleName(class_.name, role.name), role


def ends(model: Model, role: RoleName, owner: str, other: str) -> Iterator[tuple[RoleName, str, str]]:
    """Yield a link as each side of the association sees it: role, owner, and target."""
    yield role, owner, other
    opposite = opposite_of(model, role)
    if opposite is not None:
        yield opposite, other, owner


def breaches(model: Model, before: Graph, after: Graph, change: Change) -> tuple[RoleViolation, ...]:
    """Return the violations of role rules that a change causes."""
    found = [
        *_missing(model, after, change),
        *_left_without_target(model, before, after),
        *_left_empty(model, before, after),
        *_coupled(model, after, change),
    ]
    return tuple(dict.fromkeys(found))


def has_doubtful_links(model: Model, before: Graph, change: Change) -> bool:
    """Return whether a change creates a link that exists, or deletes one that does not exist."""
    return any(
        is_counted(model, link.role)
        and ((link.role, link.owner, link.other) in before.links) == isinstance(link, LinkCreation)
        for link in change.link_effects()
    )


def is_one_way(model: Model, name: RoleName) -> bool:
    """Return whether a role cannot be followed back: it is optional and has no opposite."""
    role = role_of(model, name)
    return role.opposite is None and not role.required


def is_counted(model: Model, name: RoleName) -> bool:
    """Return whether a role or its opposite is required, so that objects count its links."""
    opposite = opposite_of(model, name)
    return role_of(model, name).required or (opposite is not None and role_of(model, opposite).required)


def _missing(model: Model, after: Graph, change: Change) -> Iterator[RoleViolation]:
    for name, id_ in _set_keys(model, change):
        if Reference(target(model, name), id_) not in after.objects:
            yield TargetNotFound(Reference(target(model, name), id_))
    for link in change.link_effects():
        for end, owner, _ in ends(model, link.role, link.owner, link.other):
            yield from _owner_missing(model, after, Reference(end.class_name, owner), link)
        other = Reference(target(model, link.role), link.other)
        yield from _owner_missing(model, after, other, link)


def _owner_missing(model: Model, after: Graph, reference: Reference, link: object) -> Iterator[RoleViolation]:
    is_singleton = model.classes[reference.class_name].kind is ClassKind.SINGLETON
    if isinstance(link, LinkCreation) and not is_singleton and reference not in after.objects:
        yield TargetNotFound(reference)


def _set_keys(model: Model, change: Change) -> Iterator[tuple[RoleName, str]]:
    """Yield each key that a change sets to another object: the role, and the new target's id."""
    for effect in change.object_effects():
        if effect.after is None:
            continue
        for name, role in roles(model):
            id_ = effect.after.state.get(name.role_name)
            old = None if effect.before is None else effect.before.state.get(name.role_name)
            is_own = name.class_name == effect.after.reference.class_name
            if role.holds_key and is_own and isinstance(id_, str) and id_ != old:
                yield name, id_


def _left_without_target(model: Model, before: Graph, after: Graph) -> Iterator[RoleViolation]:
    for name, role in roles(model):
        for reference in before.objects.keys() - after.objects.keys():
            needed = role.holds_key and role.required and reference.class_name == role.target
            if needed and any(after.holders(name, reference.id)):
                yield RequiredRoleEmpty(reference, name)


def _left_empty(model: Model, before: Graph, after: Graph) -> Iterator[RoleViolation]:
    for name, role in roles(model):
        if not role.required or role.holds_key:
            continue
        for reference in before.objects.keys() & after.objects.keys():
            had = reference.class_name == name.class_name and before.led_to(model, name, reference.id)
            if had and not after.led_to(model, name, reference.id):
                yield RequiredRoleEmpty(reference, name)


def _coupled(model: Model, after: Graph, change: Change) -> Iterator[RoleViolation]:
    for name, id_ in _set_keys(model, change):
        opposite = opposite_of(model, name)
        if (
            opposite is not None
            and not role_of(model, opposite).many
            and len(list(after.holders(name, id_))) > 1
        ):
            yield AlreadyAssociated(name, id_)


def taken(model: Model, after: Graph, change: Change) -> Iterator[tuple[Reference, Unique]]:
    """Yield each written object whose unique values another object has, with the violated constraint."""
    for effect in change.object_effects():
        class_ = model.classes[reference_of(effect).class_name]
        for unique in class_.uniques if effect.after else ():
            mine = after.objects[reference_of(effect)]
            if any(other is not mine for other in after.holding(class_, unique, mine.state)):
                yield mine.reference, unique


def unique_values(class_: Class, state: State, unique: Unique) -> list[object] | None:
    """Return what a uniqueness constraint compares of its values, or None if one of them is null."""
    values = [folded(class_, name, state.get(name)) for name in unique.attributes]
    if None in values:
        return None
    return [unicodedata.normalize("NFC", value) if isinstance(value, str) else value for value in values]
