"""The rights of a profile: what it may do with the objects, attributes and roles of each class.

A class that names the profile in no grant gives it what the profile's `access` says: nothing, unless the
model says otherwise. A grant on an attribute or role alone does not name the class: it narrows what `access`
gives. A part without grants of its own follows its whole: it is visible if its whole is, and if the profile
may read the composition.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import NamedTuple

from stratabase.core.domain.objects.entity import whole_roles
from stratabase.core.model.dependencies import ClassField, all_dependencies
from stratabase.core.model.model import Action, ClassKind, DefaultAccess, Grant, Model, Profile, Role
from stratabase.core.model.model_expressions import ModelExpressions, expressions_of
from stratabase.core.model.users import USER
from stratabase.values.cel.expression import Expression
from stratabase.values.cel.scope import ID


class Permission(NamedTuple):
    """The permitted actions, on all objects or on those that meet the condition `where`."""

    actions: frozenset[Action] = frozenset()
    where: Expression | None = None


NO_PERMISSION = Permission()
"""No action is permitted."""


class Access:
    """The rights of one profile.

    A class without a grant for the profile gives it what its `access` says. A part without grants follows its
    whole.
    """

    def __init__(self, model: Model, profile: str, default: DefaultAccess) -> None:
        self.profile = profile
        self.model = model
        self._default = default
        self._members: dict[ClassField, Permission] = {}
        # A part is in here only if it has a grant of its own: see `follows_whole`. Users always need a grant.
        self._classes = {
            name: Permission(default.actions)
            for name, class_ in model.classes.items()
            if not class_.part and class_.kind is not ClassKind.USERS
        }
        for class_ in model.classes.values():
            for grant in class_.grants:
                if grant.profile == profile:
                    self._add_grant(class_.name, grant)
        # In this order: which classes are partly visible depends on which are readable.
        self._readable = readable_classes(self)
        self._partly_visible = partly_visible_classes(self)
        self._sources: dict[ClassField, frozenset[ClassField]] = {}

    def _add_grant(self, class_name: str, grant: Grant) -> None:
        where = None
        if grant.where is not None:
            where = expressions_of(self.model).condition(class_name, grant.where)
        permission = Permission(grant.allow, where)
        if grant.field is None:
            self._classes[class_name] = permission
        else:
            self._members[class_name, grant.field] = permission

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that the model says of the profile's rights. Equal hashes mean equal rights."""
        grants = (
            f"{class_.name}.{grant.field} {sorted(each.value for each in grant.allow)} {grant.where}"
            for class_ in self.model.classes.values()
            for grant in class_.grants
            if grant.profile == self.profile
        )
        text = "\n".join([self.profile, self._default.value, *sorted(grants)])
        return blake2b(text.encode(), digest_size=12).hexdigest()

    @cached_property
    def is_unconditional(self) -> bool:
        """Whether what the profile sees of an object depends on the object's class alone."""
        permissions = (*self._classes.values(), *self._members.values())
        return self._readable.isdisjoint(self._partly_visible) and all(
            permission.where is None for permission in permissions
        )

    def class_permission(self, class_name: str) -> Permission:
        """Return the permission that a class's own grant gives, or without one the profile's `access`."""
        return self._classes.get(class_name, NO_PERMISSION)

    def field_permission(self, class_name: str, name: str) -> Permission | None:
        """Return the permission from a grant on an attribute or role; None if there is no such grant."""
        return self._members.get((class_name, name))

    def follows_whole(self, class_name: str) -> bool:
        """Return whether the permissions for objects of a class are those for their wholes."""
        return self.model.classes[class_name].part and class_name not in self._classes

    @property
    def allows_nothing(self) -> bool:
        """Whether the profile may do nothing at all: neither see an object of any class, nor write one."""
        return not self._readable and all(
            permission.actions <= {Action.READ} for permission in self._classes.values()
        )

    def may_read_class(self, class_name: str) -> bool:
        """Return whether the profile may see objects of a class: all, or those that meet conditions."""
        return class_name in self._readable

    def sees_every_object(self, class_name: str) -> bool:
        """Return whether the profile sees all objects of a class."""
        return class_name in self._readable and class_name not in self._partly_visible

    def always_shows(self, class_name: str, name: str) -> bool:
        """Return whether the profile may read an attribute or role of every object of a class that it sees.

        The result is False if it sees no object of the class, or none of the class that the role leads to.
        """
        permission, role = (
            self.field_permission(class_name, name),
            self.model.classes[class_name].roles.get(name),
        )
        is_open = permission is None or (Action.READ in permission.actions and permission.where is None)
        is_open = is_open and self.may_read_class(class_name)
        return is_open and (role is None or self.may_read_class(role.target))

    def may_follow(self, class_name: str, role: Role) -> bool:
        """Return whether the profile may follow a role from at least some objects of a class."""
        permission = self.field_permission(class_name, role.name)
        return self.may_read_class(role.target) and (permission is None or Action.READ in permission.actions)

    def may_know(self, class_name: str, name: str) -> bool:
        """Return whether the profile may use an attribute or role in some way. Messages may name it then."""
        permission, role = (
            self.field_permission(class_name, name),
            self.model.classes[class_name].roles.get(name),
        )
        is_usable = permission is None or bool(permission.actions)
        return is_usable and self._may_use(class_name) and (role is None or self._may_use(role.target))

    def _may_use(self, class_name: str) -> bool:
        """Return whether the profile may do anything with a class, for parts also through their wholes."""
        return self.may_read_class(class_name) or bool(self.class_permission(class_name).actions)

    def read_obstacle(self, class_name: str, name: str) -> str | None:
        """Return what prevents the profile from reading an attribute of a class; None if nothing does.

        The result is a class name, `Class.attribute` or `Class.role`: the attribute itself, or something that
        it is derived from.
        """
        return next(self._obstacles(class_name, name), None)

    def conditional_source(self, class_name: str, name: str) -> str | None:
        """Return what makes an attribute readable of some objects only: `Class.attribute` or `Class.role`.

        It is the first of the attribute and its dependencies whose permission has a condition; None if none
        has.
        """
        for owner, field in sorted(self._dependencies(class_name, name)):
            permission = self.field_permission(owner, field)
            if permission is not None and permission.where is not None:
                return f"{owner}.{field}"
        return None

    def _obstacles(self, class_name: str, name: str) -> Iterator[str]:
        # The message names the first obstacle, and a missing grant on the attribute itself says most.
        for owner, field in sorted(
            self._dependencies(class_name, name), key=lambda each: each != (class_name, name)
        ):
            permission = self.field_permission(owner, field)
            if not self.may_read_class(owner):
                yield owner
            elif permission is not None and Action.READ not in permission.actions:
                yield f"{owner}.{field}"
            elif (role := self.model.classes[owner].roles.get(field)) and not self.may_read_class(
                role.target
            ):
                yield role.target

    def _dependencies(self, class_name: str, name: str) -> frozenset[ClassField]:
        if name == ID:
            return frozenset()
        if (class_name, name) not in self._sources:
            self._sources[class_name, name] = all_dependencies(self.model, class_name, [(name,)])
        return self._sources[class_name, name]


def access_of(model: Model, profile: str | None) -> Access | None:
    """Return the access of a profile; None if it may do everything.

    A profile of None stands for the service itself, which acts for no member.
    """
    return None if profile is None else _cached_accesses(expressions_of(model)).of(profile)


class _Accesses:
    """The access of each profile, for one model."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._named = {grant.profile for class_ in model.classes.values() for grant in class_.grants}
        self._by_profile: dict[str, Access | None] = {}

    def of(self, profile: str) -> Access | None:
        """Return the access of a profile. One that the model does not have may do nothing."""
        if profile not in self._by_profile:
            self._by_profile[profile] = self._make(profile)
        return self._by_profile[profile]

    def _make(self, name: str) -> Access | None:
        profile = self._model.profiles.get(name, Profile(name))
        is_full = name not in self._named and profile.access is DefaultAccess.FULL
        # No `access` covers users, so only administrators may do everything where there are users.
        is_restricted = not is_full or USER in self._model.classes
        return (
            Access(self._model, name, profile.access) if is_restricted and not profile.administrator else None
        )


@lru_cache(maxsize=4)
def _cached_accesses(expressions: ModelExpressions) -> _Accesses:
    # A model is not hashable, so it cannot be a cache key. Each model has one object with its expressions.
    return _Accesses(expressions.model)


def readable_classes(access: Access) -> frozenset[str]:
    """Return the names of the classes of which the profile may see objects."""
    return _classes_where(_is_readable, access)


def _is_readable(access: Access, class_name: str, found: set[str]) -> bool:
    class_ = access.model.classes[class_name]
    if (
        not access.follows_whole(class_name)
        and Action.READ not in access.class_permission(class_name).actions
    ):
        return False
    return not class_.part or any(
        role.target in found and _is_shown(access, role) for role in whole_roles(class_)
    )


def partly_visible_classes(access: Access) -> frozenset[str]:
    """Return the names of the classes of which some objects may be hidden from the profile."""
    return _classes_where(_is_partly_visible, access)


def _is_partly_visible(access: Access, class_name: str, found: set[str]) -> bool:
    class_ = access.model.classes[class_name]
    if access.class_permission(class_name).where is not None:
        return True
    return any(
        role.target in found or not access.may_read_class(role.target) or not _is_always_shown(access, role)
        for role in whole_roles(class_)
    )


def _classes_where(predicate: Callable[[Access, str, set[str]], bool], access: Access) -> frozenset[str]:
    """Return the names of the classes for which a predicate holds.

    The predicate also takes the names found so far, because a part can depend on the class of its whole. So
    it is applied until nothing more is found.
    """
    found: set[str] = set()
    while more := [
        name for name in access.model.classes if name not in found and predicate(access, name, found)
    ]:
        found.update(more)
    return frozenset(found)


def _is_shown(access: Access, role: Role) -> bool:
    """Return whether the profile may read the composition opposite to a part's role on some objects."""
    permission = access.field_permission(role.target, str(role.opposite))
    return permission is None or Action.READ in permission.actions


def _is_always_shown(access: Access, role: Role) -> bool:
    """Return whether the profile may read the composition opposite to a part's role on every object."""
    permission = access.field_permission(role.target, str(role.opposite))
    return permission is None or (Action.READ in permission.actions and permission.where is None)
