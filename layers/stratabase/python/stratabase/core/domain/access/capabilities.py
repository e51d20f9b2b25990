"""What a profile may use of a model: of which classes, attributes and roles, for which actions.

A profile may use what it may use of some objects. Conditions of grants decide about single objects when a
request is executed. An action that can never succeed is left out, such as to create an object without
permission to set a required attribute.
"""

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from hashlib import sha256

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.objects.entity import RoleStorage, opposite_name, storage_of, whole_roles
from stratabase.core.domain.objects.former_state import kept_in_versions
from stratabase.core.model.attribute import Attribute, Origin
from stratabase.core.model.model import Action, Class, ClassKind, Model, Role

_WRITES = frozenset({Action.CREATE, Action.EDIT, Action.DELETE})
"""The actions that a restoration may perform on parts."""


class Capabilities:
    """What a profile may use of a model.

    `access` is None for a profile with full access, which may use everything.
    """

    def __init__(self, model: Model, access: Access | None = None) -> None:
        self._model = model
        self._access = access

    @property
    def is_full(self) -> bool:
        """Whether the profile may use everything."""
        return self._access is None

    def sees(self, class_: Class) -> bool:
        """Return whether the profile may read objects of a class."""
        return self._access is None or self._access.may_read_class(class_.name)

    def reads(self, class_: Class, attribute: str) -> bool:
        """Return whether the profile may read an attribute of a class."""
        access = self._access
        return access is None or (
            access.may_read_class(class_.name) and access.read_obstacle(class_.name, attribute) is None
        )

    def compares(self, class_: Class, attribute: str) -> bool:
        """Return whether the profile may filter, sort and look up objects of a class by an attribute.

        The schema shows no others. `visibility.check_comparable` refuses them in requests, and says why.
        """
        access = self._access
        return access is None or (
            self.reads(class_, attribute) and access.conditional_source(class_.name, attribute) is None
        )

    def follows(self, class_: Class, role: Role) -> bool:
        """Return whether the profile may follow a role from objects of a class."""
        access = self._access
        return access is None or (access.may_read_class(class_.name) and access.may_follow(class_.name, role))

    def compares_role(self, class_: Class, role: Role) -> bool:
        """Return whether the profile may filter objects of a class by a role."""
        access = self._access
        return access is None or access.always_shows(class_.name, role.name)

    def creates(self, class_: Class) -> bool:
        """Return whether the profile may create objects of a class, with all that is required."""
        return class_.name in self._creatable

    def updates(self, class_: Class) -> bool:
        """Return whether the profile may update objects of a class, or only some of their parts."""
        return class_.name in self._updatable

    def deletes(self, class_: Class) -> bool:
        """Return whether the profile may delete objects of a class, or edit the wholes that parts follow."""
        access = self._access
        return access is None or (
            self.updates(class_)
            if access.follows_whole(class_.name)
            else Action.DELETE in access.class_permission(class_.name).actions
        )

    def locks(self, class_: Class) -> bool:
        """Return whether the profile may lock objects of a class: all that it may edit."""
        return class_.kind is not ClassKind.USERS and class_.name in self._lockable

    def restores(self, class_: Class) -> bool:
        """Return whether the profile may restore versions of a class.

        What the profile may not always read counts as changed by a restoration, so it must be settable.
        """
        access = self._access
        if access is None:
            return True
        unshown = [name for name in kept_in_versions(class_) if not access.always_shows(class_.name, name)]
        return any(
            action in access.class_permission(class_.name).actions
            and all(self._restores_field(access, class_, name, action) for name in unshown)
            for action in (Action.CREATE, Action.EDIT)
        )

    def sets(self, class_: Class, name: str, actions: Iterable[Action]) -> bool:
        """Return whether the profile may set an attribute or role by one of the actions CREATE and EDIT."""
        return any(self._sets(class_, name, action) for action in actions)

    def changes_parts(self, part: Class, action: Action) -> bool:
        """Return whether the profile may perform an action on parts of existing objects, in some role."""
        return any(
            self._changes_parts_of_existing(self._model.classes[role.target], self._composition(role), action)
            for role in whole_roles(part)
        )

    def saves_parts(self, part: Class) -> bool:
        """Return whether the profile may create or update parts of new or existing objects, in some role."""
        return (
            self.changes_parts(part, Action.CREATE)
            or self.changes_parts(part, Action.EDIT)
            or any(
                self._sets(self._model.classes[role.target], str(role.opposite), Action.CREATE)
                for role in whole_roles(part)
            )
        )

    def deletes_all(self, part: Class) -> bool:
        """Return whether the profile may delete all parts of a class at once, in some role.

        It then deletes parts that it does not see, so a condition on the deletion could not be checked.
        """
        access = self._access
        is_checked = (
            access is None
            or access.follows_whole(part.name)
            or access.may_read_class(part.name)
            or access.class_permission(part.name).where is None
        )
        return is_checked and self.changes_parts(part, Action.DELETE)

    @cached_property
    def key(self) -> str:
        """A hash of what the capabilities depend on: profiles with equal keys may use the same.

        It is empty for full access.
        """
        access = self._access
        if access is None:
            return ""
        permissions = [
            (
                class_.name,
                access.follows_whole(class_.name),
                _summary(access, class_.name),
                tuple(
                    (name, _summary(access, class_.name, name))
                    for name in (*class_.attributes, *class_.roles)
                    if access.field_permission(class_.name, name) is not None
                ),
            )
            for class_ in self._model.classes.values()
            if access.follows_whole(class_.name) or access.class_permission(class_.name).actions
        ]
        return sha256(repr(permissions).encode()).hexdigest()

    def _allows(self, class_: Class, name: str, action: Action) -> bool:
        """Return whether no grant on an attribute or role takes an action away."""
        permission = None if self._access is None else self._access.field_permission(class_.name, name)
        return permission is None or action in permission.actions

    def _sets(self, class_: Class, name: str, action: Action) -> bool:
        role = class_.roles.get(name)
        if role is None or not role.composition:
            is_permitted = self._permits(class_, action) and self._allows(class_, name, action)
            return is_permitted and (role is None or self._links(role))
        if action is Action.CREATE:
            return self._permits(class_, action) and self._changes_parts(class_, role, action)
        return any(self._changes_parts_of_existing(class_, role, each) for each in _WRITES)

    def _permits(self, class_: Class, action: Action) -> bool:
        """Return whether the profile may create or edit objects of a class."""
        return class_.name in (self._creatable if action is Action.CREATE else self._editable)

    def _links(self, role: Role) -> bool:
        """Return whether the profile may write the opposite side of an association."""
        access = self._access
        if access is None:
            return True
        target, opposite = self._model.classes[role.target], opposite_name(role)
        holds_key = storage_of(self._model, role) in (RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS)
        return (
            access.may_read_class(target.name)
            and (opposite is None or self._allows(target, opposite.role_name, Action.EDIT))
            and (not holds_key or target.name in self._editable)
        )

    def _changes_parts(self, class_: Class, role: Role, action: Action) -> bool:
        """Return whether the profile may perform an action on parts in a composition of a class."""
        part = self._model.classes[role.target]
        if not self._allows(class_, role.name, action):
            return False
        if action is Action.CREATE:
            return self.creates(part)
        return self.updates(part) if action is Action.EDIT else self.deletes(part)

    def _changes_parts_of_existing(self, class_: Class, role: Role, action: Action) -> bool:
        """Return whether the profile may perform an action on parts of existing objects of a class.

        To write parts with grants of their own, a profile that sees the whole need not edit it.
        """
        access = self._access
        is_open = class_.name in self._editable or (
            access is not None
            and access.may_read_class(class_.name)
            and not access.follows_whole(role.target)
        )
        return is_open and self._changes_parts(class_, role, action)

    def _restores_field(self, access: Access, class_: Class, name: str, action: Action) -> bool:
        role = class_.roles.get(name)
        if role is None or not role.composition:
            return self._allows(class_, name, action) and (role is None or self._links(role))
        part = self._model.classes[role.target]
        own = _WRITES if access.follows_whole(part.name) else access.class_permission(part.name).actions
        return own >= _WRITES and all(self._allows(class_, name, each) for each in _WRITES)

    def _composition(self, whole: Role) -> Role:
        """Return the composition that is opposite to a part's role back to its whole."""
        return self._model.classes[whole.target].roles[str(whole.opposite)]

    @cached_property
    def _editable(self) -> frozenset[str]:
        return self._fixpoint(lambda class_, found: self._may(class_, Action.EDIT, found))

    @cached_property
    def _lockable(self) -> frozenset[str]:
        # A part is locked through the roles on the way from its whole, which the profile must see.
        return self._fixpoint(lambda class_, found: self._may(class_, Action.EDIT, found, Action.READ))

    @cached_property
    def _permitted(self) -> frozenset[str]:
        """The classes with CREATE permission. An edit of a whole can also create parts without grants."""
        return self._fixpoint(lambda class_, found: self._may(class_, Action.CREATE, found | self._editable))

    def _may(self, class_: Class, action: Action, wholes: frozenset[str], *also: Action) -> bool:
        """Return whether a class's own grant permits an action, or that for one of its wholes.

        `wholes` are the classes for which the action is permitted, and `also` the further actions that the
        compositions must permit.
        """
        access = self._access
        if access is None:
            return True
        if not access.follows_whole(class_.name):
            return action in access.class_permission(class_.name).actions
        return any(
            role.target in wholes
            and all(
                self._allows(self._model.classes[role.target], str(role.opposite), each)
                for each in (action, *also)
            )
            for role in whole_roles(class_)
        )

    @cached_property
    def _creatable(self) -> frozenset[str]:
        found = self._permitted
        # A class is left out if a part that it requires is left out. So remove classes until nothing changes.
        while removed := {
            name for name in found if not self._sets_required(self._model.classes[name], found)
        }:
            found = found - removed
        return found

    def _sets_required(self, class_: Class, creatable: frozenset[str]) -> bool:
        """Return whether the profile may set all that a new object of a class requires."""
        attributes = (each.name for each in class_.attributes.values() if _must_be_set(class_, each))
        roles = (role for role in class_.roles.values() if role.required and not role.whole)
        return all(self._allows(class_, name, Action.CREATE) for name in attributes) and all(
            self._allows(class_, role.name, Action.CREATE)
            and (role.target in creatable if role.composition else self._links(role))
            for role in roles
        )

    @cached_property
    def _updatable(self) -> frozenset[str]:
        # Not a call of `_changes_parts_of_existing`, which asks which parts are updatable.
        return self._fixpoint(
            lambda class_, found: (
                class_.name in self._editable
                or any(self._updates_only_parts(class_, role, found) for role in class_.compositions)
            )
        )

    def _updates_only_parts(self, class_: Class, role: Role, updatable: frozenset[str]) -> bool:
        access, part = self._access, self._model.classes[role.target]
        if access is None or access.follows_whole(part.name) or not access.may_read_class(class_.name):
            return False
        deletes = Action.DELETE in access.class_permission(part.name).actions
        return (
            (self._allows(class_, role.name, Action.CREATE) and self.creates(part))
            or (self._allows(class_, role.name, Action.EDIT) and part.name in updatable)
            or (self._allows(class_, role.name, Action.DELETE) and deletes)
        )

    def _fixpoint(self, predicate: Callable[[Class, frozenset[str]], bool]) -> frozenset[str]:
        """Return the classes for which a predicate holds. It also takes those that were found so far."""
        found: frozenset[str] = frozenset()
        while more := {
            name
            for name, class_ in self._model.classes.items()
            if name not in found and predicate(class_, found)
        }:
            found |= more
        return found


@lru_cache(maxsize=32)
def capabilities_of(access: Access) -> Capabilities:
    """Return what a profile with restricted access may use."""
    return Capabilities(access.model, access)


def _summary(access: Access, class_name: str, name: str | None = None) -> object:
    """Return the actions of a permission, and whether it has a condition."""
    permission = (
        access.class_permission(class_name) if name is None else access.field_permission(class_name, name)
    )
    return permission and (sorted(each.value for each in permission.actions), permission.where is not None)


def _must_be_set(class_: Class, attribute: Attribute) -> bool:
    """Return whether a new object has no value of a required attribute unless the request sets it."""
    is_given = attribute.required and attribute.default is None and attribute.origin is Origin.NATIVE
    return is_given and attribute.name not in class_.serials
