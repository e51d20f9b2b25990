"""Warnings about `@warning`: conditions on which many objects depend, and those that tell hidden values."""

from collections.abc import Iterator

from stratabase.core.model.condition_paths import MAX_DEPENDENTS, PathNode, paths_of
from stratabase.core.model.dependencies import all_dependencies
from stratabase.core.model.model import Action, Class, ClassKind, Model, Profile, Role
from stratabase.core.model.model_expressions import expressions_of
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, ModelDraft
from stratabase.values.cel.environment import Path
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
    for grant in class_.grants:
        if grant.profile == profile.name and grant.field is None:
            return grant.allow
    wholes = [model.classes[role.target] for role in class_.roles.values() if role.whole]
    if wholes:
        return frozenset().union(*(_allowed(model, profile, whole) for whole in wholes))
    return profile.access.actions


def _is_hidden(model: Model, profile: Profile, class_name: str, name: str) -> bool:
    class_ = model.classes[class_name]
    if class_.kind is ClassKind.USERS:
        return False
    own = [each for each in class_.grants if each.profile == profile.name and each.field == name]
    is_readable = Action.READ in (own[0].allow if own else _allowed(model, profile, class_))
    return not is_readable or Action.READ not in _allowed(model, profile, class_)
