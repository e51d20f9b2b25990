"""What a profile may read of the objects of a class, and the issues of reading what it may not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from stratabase.core.domain.access.grants import Access, access_of
from stratabase.core.domain.issues.issue import Issue, IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Forbidden, Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, RoleName, whole_roles
from stratabase.core.model.model import Action, Class, Model, Role
from stratabase.core.model.types.base import Stored
from stratabase.values.cel.expression import Expression
from stratabase.values.messages import Message, _

_REDACTED = ".redacted"
"""The name under which a state lists the derived attributes that the profile may not read of the object."""
_HIDDEN_KEYS = ".hiddenKeys"
"""The name under which a state keeps the keys of roles that the profile may not read of the object. By them,
the opposite roles find the object."""


@dataclass(frozen=True)
class ClassVisibility:
    """What a profile sees of the objects of a class."""

    is_open: bool
    """Whether the profile may see objects of the class at all."""
    where: Expression | None
    """The condition that visible objects meet; None if there is no condition."""
    hidden: frozenset[str]
    """The attributes and compositions that the profile may read of no object."""
    conditional: tuple[tuple[str, Expression], ...]
    """The attributes and roles that the profile may read of some objects, each with its condition."""
    derived: frozenset[str]
    """The derived attributes that have a grant of their own."""
    keys: frozenset[str]
    """The roles that have a grant of their own, and by whose keys the opposite roles find the objects."""
    by_whole: bool
    """Whether an object is visible only if its whole is, and some wholes may be hidden."""
    is_plain: bool
    """Whether stored values of an object alone decide if it is visible."""

    @cached_property
    def conditions(self) -> Sequence[Expression]:
        """All conditions to evaluate for an object: `where`, if there is one, then those of `conditional`."""
        own = () if self.where is None else (self.where,)
        return *own, *(condition for _name, condition in self.conditional)

    @property
    def conditional_on(self) -> frozenset[str]:
        """The attributes and roles that the conditions of `conditional` use."""
        return frozenset(path[0] for _name, condition in self.conditional for path in condition.paths)

    @cached_property
    def is_unrestricted(self) -> bool:
        """Whether the profile sees every object with all its values."""
        return self.is_open and not self.hidden and self.is_unconditional

    @cached_property
    def is_unconditional(self) -> bool:
        """Whether the profile sees the same of every object. `apply` needs no values then."""
        return not self.is_open or not (self.conditions or self.by_whole)

    def apply(self, entity: Entity, values: tuple[object, ...]) -> Entity | None:
        """Return what the profile sees of an object; None if it does not see the object.

        `values`: the values of `conditions` for the object, in that order.
        """
        if not self.is_open or (self.where is not None and values[0] is not True):
            return None
        if not self.conditional:
            return self.without_hidden(entity)
        # The value of `where` comes first, if there is one; those of the attributes and roles come last.
        results = values[len(values) - len(self.conditional) :]
        pairs = zip(self.conditional, results, strict=True)
        return self.redact(
            entity, self.hidden | {name for (name, _where), value in pairs if value is not True}
        )

    def without_hidden(self, entity: Entity) -> Entity:
        """Return what the profile sees of an object that meets `where`, if nothing is conditional."""
        return self.redact(entity, self.hidden) if self.hidden else entity

    def redact(self, entity: Entity, names: frozenset[str]) -> Entity:
        """Return an object without the values of some names.

        The state of the result lists those that are derived, because they are not computed yet. It keeps the
        keys among them for `key_despite_grants`.
        """
        listed = entity.state.get(_REDACTED)
        redacted = sorted({*(listed if isinstance(listed, list) else ()), *names} & self.derived)
        if not redacted and names.isdisjoint(entity.state):
            return entity
        state: dict[str, Stored] = {name: each for name, each in entity.state.items() if name not in names}
        if redacted:
            state[_REDACTED] = redacted
        keys = {name: entity.state[name] for name in self.keys & names if name in entity.state}
        if keys:
            state[_HIDDEN_KEYS] = {**_hidden_keys(entity), **keys}
        return replace(entity, state=state)


def is_redacted(entity: Entity, name: str) -> bool:
    """Return whether the profile may not read a derived attribute of an object."""
    redacted = entity.state.get(_REDACTED)
    return isinstance(redacted, list) and name in redacted


def key_despite_grants(entity: Entity, role: str) -> Stored:
    """Return the key that an object holds for a role, whether the profile may read the role or not.

    It is for the opposite role, which has a grant of its own. The role itself shows what the state has.
    """
    return entity.state.get(role) or _hidden_keys(entity).get(role)


def _hidden_keys(entity: Entity) -> Mapping[str, Stored]:
    keys = entity.state.get(_HIDDEN_KEYS)
    return keys if isinstance(keys, Mapping) else {}


_BY_ACCESS: WeakKeyDictionary[Access, dict[str, ClassVisibility]] = WeakKeyDictionary()


def known_visibilities(access: Access) -> dict[str, ClassVisibility]:
    """Return the visibilities of classes that requests of a profile have found out, for others to use."""
    return _BY_ACCESS.setdefault(access, {})


def class_visibility(access: Access, class_: Class) -> ClassVisibility:
    """Return what a profile sees of the objects of a class."""
    permissions = {
        name: access.field_permission(class_.name, name) for name in (*class_.attributes, *class_.roles)
    }
    restricted = {name: permission for name, permission in permissions.items() if permission is not None}
    where = access.class_permission(class_.name).where
    is_open = access.may_read_class(class_.name)
    by_whole = is_open and not access.sees_every_object(class_.name) and any(whole_roles(class_))
    return ClassVisibility(
        is_open,
        where,
        frozenset(
            name
            for name, permission in restricted.items()
            if Action.READ not in permission.actions and _is_removable(class_, name)
        ),
        tuple(
            (name, permission.where)
            for name, permission in restricted.items()
            if Action.READ in permission.actions and permission.where is not None
        ),
        frozenset(name for name in restricted if name in class_.derived),
        frozenset(name for name in restricted if name in class_.roles and class_.roles[name].holds_key),
        by_whole,
        not by_whole and (where is None or _uses_only_stored_values(class_, where)),
    )


def _uses_only_stored_values(class_: Class, where: Expression) -> bool:
    """Return whether a condition uses only stored attributes of the object itself."""
    return all(path[0] not in class_.roles and path[0] not in class_.derived for path in where.paths)


def _is_removable(class_: Class, name: str) -> bool:
    """Return whether a state can do without a name.

    A key cannot be taken out: the other side of the association finds the object by it.
    """
    role = class_.roles.get(name)
    return role is None or role.composition


def readable_refusal(access: Access | None, refusal: ReadBudgetExceeded) -> ReadBudgetExceeded:
    """Return a refusal without the names of classes and attributes that the profile may not read.

    The `where` of a grant may read them, and so may be what has used up the budget.
    """
    if access is None:
        return refusal
    class_name, hint = refusal.class_name, refusal.hint
    if class_name is None or not access.may_read_class(class_name):
        return ReadBudgetExceeded(None, refusal.objects_read, Hint(shared=True, compares=hint.compares))
    is_readable = all(access.read_obstacle(class_name, name) is None for name in hint.index)
    derived = tuple(name for name in hint.derived if access.read_obstacle(class_name, name) is None)
    shown = replace(hint, index=hint.index if is_readable else (), derived=derived)
    return refusal if shown == hint else ReadBudgetExceeded(class_name, refusal.objects_read, shown)


def missing_grant_message(access: Access, action: Action, name: str) -> Message:
    """Return the message for a profile that may not perform an action on a class or field at all."""
    return _(
        "The profile {profile} does not have {action} permission for {name}.",
        profile=access.profile,
        action=action.value,
        name=name,
    )


def unreadable_target_message(access: Access, role: RoleName) -> Message:
    """Return the message for a role that leads to a class of which the profile may read nothing.

    It does not name the class.
    """
    return _(
        "The profile {profile} does not have {action} permission for the objects that {role} leads to.",
        role=str(role),
        profile=access.profile,
        action=Action.READ.value,
    )


def check_any_right(access: Access | None) -> Issue | None:
    """Return the issue of a profile that may do nothing in the application; otherwise None."""
    if access is None or not access.allows_nothing:
        return None
    return Issue(
        IssueType.APPLICATION_ACCESS_FORBIDDEN,
        _(
            "The profile {profile} has no permissions in the application {application}. Ask an administrator "
            "for another profile.",
            profile=access.profile,
            application=access.model.application,
        ),
    )


def require_any_right(model: Model, profile: str) -> None:
    """Raise Forbidden for a profile that may do nothing in the application."""
    issue = check_any_right(access_of(model, profile))
    if issue is not None:
        raise Forbidden(issue.message)


def check_class(access: Access, class_: Class, path: Path = ()) -> Issue | None:
    """Return the issue of reading objects of a class; None if the profile may see some."""
    if access.may_read_class(class_.name):
        return None
    message = missing_grant_message(access, Action.READ, class_.name)
    return Subject(class_).issue(IssueType.ENTITY_GRANT_READ, message, *path)


def check_attribute(access: Access, class_: Class, name: str, path: Path) -> Issue | None:
    """Return the issue of reading an attribute of a class; None if it is readable of some objects."""
    obstacle = access.read_obstacle(class_.name, name)
    if obstacle is None:
        return None
    own = f"{class_.name}.{name}"
    message = missing_grant_message(access, Action.READ, own)
    if obstacle != own:
        # The request does not name what the attribute is derived from, so the message must not either.
        message = _(
            "{attribute} depends on data for which the profile {profile} does not have {action} permission.",
            attribute=own,
            profile=access.profile,
            action=Action.READ.value,
        )
    return _attribute_issue(class_, name, message, path)


def may_read_label(access: Access | None, class_: Class) -> bool:
    """Return whether a class has labels, and the profile may read what they consist of in some objects."""
    attribute = class_.label_attribute
    if attribute is None:
        return False
    return access is None or access.read_obstacle(class_.name, attribute.name) is None


def check_comparable(access: Access, class_: Class, name: str, path: Path) -> Issue | None:
    """Return the issue of using an attribute of a class in a filter, an order or a lookup; None if permitted.

    An attribute that is readable of some objects only is refused. Otherwise the result would reveal its
    values in the other objects. `Capabilities.compares` hides the same attributes in the schema.
    """
    source = access.conditional_source(class_.name, name)
    if source is not None and access.read_obstacle(class_.name, name) is None:
        return _attribute_issue(
            class_, name, _conditional_message(access, f"{class_.name}.{name}", source), path
        )
    return check_attribute(access, class_, name, path)


def check_role(access: Access, class_: Class, role: Role, path: Path) -> Issue | None:
    """Return the issue of following a role from objects of a class; None if the profile may follow it."""
    if access.may_follow(class_.name, role):
        return None
    own = RoleName(class_.name, role.name)
    if access.may_read_class(role.target):
        message = missing_grant_message(access, Action.READ, str(own))
    else:
        message = unreadable_target_message(access, own)
    return Subject(class_).role_issue(IssueType.ROLE_GRANT_READ, message, role.name, path)


def check_role_comparable(access: Access, class_: Class, role: Role, path: Path) -> Issue | None:
    """Return the issue of using a role of a class in a filter or a lookup; None if permitted.

    As in `check_comparable`, a role that is readable of some objects only is refused.
    """
    permission = access.field_permission(class_.name, role.name)
    if permission is None or permission.where is None or not access.may_follow(class_.name, role):
        return check_role(access, class_, role, path)
    own = f"{class_.name}.{role.name}"
    message = _conditional_message(access, own, own)
    return Subject(class_).role_issue(IssueType.ROLE_GRANT_READ, message, role.name, path)


def _conditional_message(access: Access, attribute: str, source: str) -> Message:
    """Return the message for an attribute that the profile may read of some objects only.

    `source` is the attribute or role with the condition: the attribute itself, or one that it depends on.
    """
    if source == attribute:
        return _(
            "{attribute} can't be used in totals, or to filter, sort, or look up objects. "
            "The profile {profile} has {action} permission for it on only some objects.",
            attribute=attribute,
            profile=access.profile,
            action=Action.READ.value,
        )
    return _(
        "{attribute} can't be used in totals, or to filter, sort, or look up objects, because it "
        "depends on {source}. "
        "The profile {profile} has {action} permission for {source} on only some objects.",
        attribute=attribute,
        source=source,
        profile=access.profile,
        action=Action.READ.value,
    )


def _attribute_issue(class_: Class, name: str, message: Message, path: Path) -> Issue:
    return Subject(class_).attribute_issue(IssueType.ATTRIBUTE_GRANT_READ, message, name, path=path)
