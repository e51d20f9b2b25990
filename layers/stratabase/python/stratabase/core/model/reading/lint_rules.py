"""Warnings about the design of a model: parts without versions, profiles, labels, grants without index.

Such a model works, but some of its services answer with less than its author expects, or slowly. There are
also warnings about `@warning`: about conditions on which many objects depend, and those that tell hidden
values; and about hidden roles whose links the opposite roles show.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stratabase.core.model.api_names import ID
from stratabase.core.model.dependencies import (
    MAX_DEPENDENTS,
    PathNode,
    all_dependencies,
    direct_dependencies,
    paths_of,
)
from stratabase.core.model.member_names import NAMING_ATTRIBUTES
from stratabase.core.model.model import Action, Class, ClassKind, Model, Profile, Role
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import ClassDraft, DirectiveUse, ModelDraft
from stratabase.values.cel.environment import Path
from stratabase.values.cel.typed_expression import Either, Implied, Together
from stratabase.values.messages import and_list

_WRITES = frozenset({Action.CREATE, Action.EDIT})


def _warnings(draft: ModelDraft, model: Model) -> Iterator[tuple[Class, DirectiveUse, frozenset[Path]]]:
    """Yield each `@warning` with its class, and with what its condition reads."""
    for class_draft in draft.classes.values():
        for use in class_draft.directives("warning"):
            condition = expressions_of(model).condition(class_draft.name, use["condition"])
            yield model.classes[class_draft.name], use, frozenset(condition.paths)


def lint_dependents(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each role of a blocking `@warning` by which many objects depend on one."""
    for class_, use, paths in _warnings(draft, model):
        if use["blocking"] and class_.is_stored:
            for node in paths_of(model, class_.name, paths).nodes():
                if node.parent is not None and node.role is not None and _leads_from_many(model, node):
                    message = _many_dependents(class_, node.parent.class_name, node.role)
                    yield error_at(use.node_of("condition"), message)


def _leads_from_many(model: Model, node: PathNode) -> bool:
    """Return whether the role that leads to a node can lead from many objects to one."""
    role, parent = node.role, node.parent
    if role is None or parent is None or role.composition:
        return False
    if role.opposite is None:
        return model.classes[parent.class_name].kind is not ClassKind.SINGLETON
    return model.classes[role.target].roles[role.opposite].many


def _many_dependents(class_: Class, owner: str, role: Role) -> str:
    name, target = f"{owner}.{role.name}", role.target
    text = (
        f"Many {owner} objects can lead to one {target} by {name}. A write that changes or deletes the "
        f"{target} tests this condition for each {class_.name} that depends on it, and is refused if there "
        f"are more than {MAX_DEPENDENTS}."
    )
    if role.opposite is None:
        return (
            f"{text} {name} has no opposite, so the write searches {owner} objects, and on DynamoDB it can "
            f"miss the newest ones. Add an opposite role to {target}."
        )
    return f"{text} If there can be so many, store what the condition reads in {owner} itself."


def lint_hidden_conditions(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each `@warning` that tells a profile something about values that it can't read."""
    for class_, use, paths in _warnings(draft, model):
        read = sorted(all_dependencies(model, class_.name, paths))
        for profile in model.profiles.values():
            written = [] if profile.administrator else _written(model, profile, class_, use, paths)
            if not written:
                continue
            hidden = [f"{owner}.{name}" for owner, name in read if _is_hidden(model, profile, owner, name)]
            if hidden:
                yield error_at(
                    use.node_of("condition"),
                    f"Members of the profile {profile.name} can write {and_list(written)}, but can't read "
                    f"{and_list(hidden)}. Whether this warning is reported tells them something about it.",
                )


def _written(
    model: Model, profile: Profile, class_: Class, use: DirectiveUse, paths: frozenset[Path]
) -> list[str]:
    """Return the classes that a profile can write, and whose writes test the condition of a `@warning`."""
    # Only blocking warnings are also tested when objects on their paths are written, or deleted.
    is_kept = use["blocking"] and class_.is_stored
    others = {node.class_name for node in paths_of(model, class_.name, paths).nodes()} if is_kept else set()
    tested = {
        class_.name: _WRITES,
        **{name: _WRITES | {Action.DELETE} for name in sorted(others - {class_.name})},
    }
    return [
        name
        for name, actions in tested.items()
        if not _allowed(model, profile, model.classes[name]).isdisjoint(actions)
    ]


def _allowed(model: Model, profile: Profile, class_: Class) -> frozenset[Action]:
    """Return what a profile may do with a class. Parts without a grant follow their wholes."""
    allowed: frozenset[Action] = frozenset()
    # A part can have parts of its own class.
    followed, seen = [class_], {class_.name}
    while followed:
        each = followed.pop()
        own = [one.allow for one in each.grants if one.profile == profile.name and one.field is None]
        wholes = {role.target for role in each.roles.values() if role.whole}
        if own or not wholes:
            allowed |= own[0] if own else profile.access.actions
        else:
            followed += [model.classes[name] for name in sorted(wholes - seen)]
            seen |= wholes
    return allowed


def _is_hidden(model: Model, profile: Profile, class_name: str, name: str) -> bool:
    class_ = model.classes[class_name]
    if class_.kind is ClassKind.USERS:
        return False
    own = [each for each in class_.grants if each.profile == profile.name and each.field == name]
    is_readable = Action.READ in (own[0].allow if own else _allowed(model, profile, class_))
    return not is_readable or Action.READ not in _allowed(model, profile, class_)


def lint_labels(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each label that is null for a profile that may read objects of the class."""
    for class_draft in draft.classes.values():
        class_, use = model.classes[class_draft.name], class_draft.directive("class")
        label = class_.label_attribute
        if label is None or not class_.is_stored:
            continue
        read = sorted(direct_dependencies(model, class_.name, label) or {(class_.name, label.name)})
        for profile in model.profiles.values():
            if profile.administrator or Action.READ not in _allowed(model, profile, class_):
                continue
            hidden = [f"{owner}.{name}" for owner, name in read if _is_hidden(model, profile, owner, name)]
            if hidden:
                yield error_at(
                    class_draft.node.name if use is None or class_.label is None else use.node_of("label"),
                    f"Members of the profile {profile.name} can read {class_.name}, but not "
                    f"{and_list(hidden)}, so the label of each object is null for them. Set the label of "
                    "@class to what they can read.",
                )


def lint_opposites(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each role that a profile can't read, while its opposite shows the same links.

    A grant for the profile on the opposite says what is meant.
    """
    for class_draft in draft.classes.values():
        class_ = model.classes[class_draft.name]
        for field in class_draft.fields:
            role = class_.roles.get(field.name)
            if role is not None:
                for use in field.directives("grant"):
                    if _shows_opposite(model, model.profiles[use["profile"]], class_, role):
                        yield from _unequal_sides(class_.name, role, use)


def _shows_opposite(model: Model, profile: Profile, class_: Class, role: Role) -> bool:
    """Return whether a profile can follow the opposite of a role, and no grant says so."""
    if role.opposite is None or role.composition or role.whole or profile.administrator:
        return False
    target = model.classes[role.target]
    is_readable = all(Action.READ in _allowed(model, profile, each) for each in (class_, target))
    return is_readable and not any(
        each.profile == profile.name and each.field == role.opposite for each in target.grants
    )


def _unequal_sides(class_name: str, role: Role, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield the warning about the grant of a role whose opposite has none, if it hides anything."""
    profile, name, opposite = use["profile"], f"{class_name}.{role.name}", f"{role.target}.{role.opposite}"
    advice = (
        f'To hide the links there too, add @grant(profile: "{profile}", allow: []) to {opposite}. To keep '
        "showing them, add a @grant there that allows READ."
    )
    if Action.READ.value not in use["allow"]:
        text = f"Members of the profile {profile} can't read {name}, but {opposite} shows the same links."
        yield error_at(use.node_of("allow"), f"{text} {advice}")
    elif use["where"]:
        text = (
            f"Members of the profile {profile} can read {name} of only some objects, but {opposite} shows "
            "the links of the others."
        )
        yield error_at(use.node_of("where"), f"{text} {advice}")


def lint_parts(draft: ModelDraft, _model: Model) -> Iterator[ModelError]:
    """Yield a warning for each composition of a versioned class whose parts have no versions."""
    for whole in draft.classes.values():
        for field in whole.fields if whole.versioned else ():
            part = draft.classes.get(field.target) if field.is_composition else None
            if part is not None and not part.versioned:
                yield error_at(
                    field.node.name,
                    f"{whole.name} is versioned, but its parts {field.full_name} are not: an earlier version "
                    f"of {whole.name} shows them as they are now, without those that were deleted since. "
                    f"Add @class(versioned: true) to {part.name}.",
                )


def lint_profiles(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each profile that can do nothing."""
    for use in draft.directives("profile"):
        profile = model.profiles[use["name"]]
        if not profile.administrator and not any(_allowed_by_class(model, profile)):
            yield error_at(use.node_of("name"), _reason_for_nothing(model, profile, use))


def _allowed_by_class(model: Model, profile: Profile) -> Iterator[frozenset[Action]]:
    """Yield what a profile may do with each class, without parts that follow their wholes.

    Users count only if a grant names the profile.
    """
    for class_ in model.classes.values():
        own = [each for each in class_.grants if each.profile == profile.name and each.field is None]
        if own or not (class_.part or class_.kind is ClassKind.USERS):
            yield own[0].allow if own else profile.access.actions


def _reason_for_nothing(model: Model, profile: Profile, use: DirectiveUse) -> str:
    name = profile.name
    if any(grant.profile == name for class_ in model.classes.values() for grant in class_.grants):
        return (
            f"No @grant of the profile {name} on a class allows an action, so its members can do nothing. "
            "Allow actions in a @grant, or remove the profile."
        )
    if "access" in use.written:
        return (
            f"The profile {name} has access: NONE and no @grant names it, so its members can do nothing. Add "
            "a @grant to each class that they may use, or remove the profile."
        )
    return (
        f"The profile {name} has no access and no @grant names it, so its members can do nothing. Add a "
        "@grant to each class that they may use. To let them do everything, add access: FULL to the profile."
    )


def lint_conditions(draft: ModelDraft, model: Model) -> Iterator[ModelError]:
    """Yield a warning for each `where` that limits the pages of a class, if no index serves it."""
    for class_draft in draft.classes.values():
        class_ = model.classes[class_draft.name]
        if class_.kind is ClassKind.ORDINARY and class_.exposed:
            yield from _lint_conditions_of(class_draft, class_, model)


def _lint_conditions_of(draft: ClassDraft, class_: Class, model: Model) -> Iterator[ModelError]:
    for use in draft.directives("grant"):
        if use["where"] and "READ" in use["allow"]:
            implied = expressions_of(model).condition(class_.name, use["where"]).implied
            compared = tuple(_compared(class_, model, implied))
            if not any(_is_served(class_, model, one, compared) for one in compared):
                yield _unserved(class_, model, use, compared)


class _Compared(NamedTuple):
    """An attribute that a condition compares with something that depends on no object."""

    roles: Path
    """The to-one roles that lead to the attribute."""
    attribute: str
    is_single_value: bool
    """Whether the attribute must equal one of some values."""


def _compared(class_: Class, model: Model, implied: Implied | None) -> Iterator[_Compared]:
    """Yield what a condition compares for each object that meets it."""
    if isinstance(implied, Together):
        for part in implied.parts:
            yield from _compared(class_, model, part)
    elif isinstance(implied, Either):
        # Alternatives for one attribute are one list of values. The store finds no others.
        found = [tuple(_compared(class_, model, part)) for part in implied.parts]
        if len(set(found)) == 1 and all(one.is_single_value for one in found[0]):
            yield from found[0]
    elif implied is not None:
        path = _stored_path(class_, model, implied.path)
        if path is not None:
            yield _Compared(path[:-1], path[-1], implied.operator in {"==", "in"})


def _stored_path(class_: Class, model: Model, path: Path) -> Path | None:
    """Return a path to a stored attribute for one to a derived attribute; None if it has no such path."""
    *roles, name = path
    attribute = _follow(class_, model, tuple(roles)).attributes.get(name)
    if attribute is None or attribute.derivation is None:
        return path
    derivation = attribute.derivation
    if derivation.expression is not None or derivation.aggregate is not None:
        return None
    return _stored_path(class_, model, (*roles, *derivation.path))


def _follow(class_: Class, model: Model, roles: Path) -> Class:
    for role in roles:
        class_ = model.classes[class_.roles[role].target]
    return class_


def _is_served(class_: Class, model: Model, one: _Compared, compared: Iterable[_Compared]) -> bool:
    """Return whether the store finds the objects for which a comparison holds by a key or an index.

    It does so by `_id`, by an index that begins with the attribute, and by a unique constraint on some of
    the compared attributes. If roles lead to the attribute, it then goes back along them.
    """
    target = _follow(class_, model, one.roles)
    equal = {each.attribute for each in compared if each.roles == one.roles and each.is_single_value}
    is_found = (
        (one.attribute == ID and one.is_single_value)
        or any(index.attributes[0] == one.attribute for index in target.indexes)
        or any(equal.issuperset(unique.attributes) for unique in target.uniques if one.is_single_value)
    )
    return is_found and _one_way_role(class_, model, one.roles) is None


def _one_way_role(class_: Class, model: Model, roles: Path) -> tuple[Class, str] | None:
    """Return the first of some to-one roles that the store cannot go back along, with its class."""
    for name in roles:
        role = class_.roles[name]
        is_one_way = role.opposite is None and not role.required
        if is_one_way and not any(index.attributes[0] == name for index in class_.indexes):
            return class_, name
        class_ = model.classes[role.target]
    return None


def _unserved(class_: Class, model: Model, use: DirectiveUse, compared: Iterable[_Compared]) -> ModelError:
    advice = next(
        (_advice(class_, model, one) for one in compared if _is_indexable(class_, model, one)),
        f"Compare an attribute of {class_.name}, or one that to-one roles lead to, with a constant or a "
        "field of caller, and add an @index that begins with it.",
    )
    return error_at(
        use.node_of("where"),
        f"No @index or @unique covers what this condition compares, so a page of {class_.name} for a member "
        f"of the profile {use['profile']} tests all its objects. {advice}",
    )


def _is_indexable(class_: Class, model: Model, one: _Compared) -> bool:
    target = _follow(class_, model, one.roles)
    attribute = target.attributes.get(one.attribute)
    # Users have no indexes.
    return target.kind is not ClassKind.USERS and attribute is not None and attribute.type.indexable


def _advice(class_: Class, model: Model, one: _Compared) -> str:
    """Return the advice about the indexes by which a comparison would find objects."""
    target = _follow(class_, model, one.roles)
    one_way = _one_way_role(class_, model, one.roles)
    wanted = []
    if not any(index.attributes[0] == one.attribute for index in target.indexes):
        wanted.append(f'@index(attributes: ["{one.attribute}"]) to {target.name}')
    if one_way is not None:
        owner, name = one_way
        wanted.append(
            f'@index(attributes: ["{name}"]) to {owner.name}, or an opposite role to {owner.name}.{name}'
        )
    if one.attribute in NAMING_ATTRIBUTES and one.is_single_value:
        # A member who was renamed keeps their objects, so the name alone does not find them.
        wanted.append(f"filter pages by {one.attribute} too")
    return f"Add {', and '.join(wanted)}."
