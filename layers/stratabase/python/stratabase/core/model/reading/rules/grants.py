"""Rules on grants: they name a profile once, narrow the class's grant, and don't reveal unique values."""

from collections.abc import Iterable, Iterator

from stratabase.core.model.model import Action, DefaultAccess
from stratabase.core.model.reading.draft.errors import ModelError, check_not_empty, error_at
from stratabase.core.model.reading.draft.model_draft import ClassDraft, DirectiveUse, FieldDraft, ModelDraft
from stratabase.values.messages import and_list
from stratabase.values.wording import shorten

_ALL_ACTIONS = tuple(action.value for action in Action)
_WRITE_ACTIONS = frozenset({"CREATE", "EDIT"})


def check_grants(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@grant` of classes, and of their attributes and roles."""
    for class_ in draft.granted_classes:
        for holder in (class_, *class_.fields):
            yield from _check_grants_of(draft, list(holder.directives("grant")))
        # A rule of its own checks those of users, which can only be read.
        for field in class_.fields if class_ is not draft.users else ():
            yield from _check_narrowing(draft, class_, field)


def _check_grants_of(draft: ModelDraft, uses: Iterable[DirectiveUse]) -> Iterator[ModelError]:
    seen: set[str] = set()
    for use in uses:
        yield from _check_profile(draft, use, seen)
        yield from _check_actions(use)
        yield from check_not_empty(use, "where")
        seen.add(use["profile"])


def _check_profile(draft: ModelDraft, use: DirectiveUse, seen: set[str]) -> Iterator[ModelError]:
    name, place = use["profile"], use.node_of("profile")
    profiles = {profile["name"]: profile for profile in draft.directives("profile")}
    if name in seen:
        yield error_at(place, f'There is already a @grant for "{shorten(name)}" here. Remove one.')
    elif name not in profiles and not draft.schema_unparsed:
        advice = f"It has {and_list(profiles)}" if profiles else 'Add @profile(name: "…") after @application'
        text = f'The model has no profile "{shorten(name)}". {advice}.'
        yield error_at(place, text, word=name, among=profiles)
    elif name in profiles and profiles[name]["administrator"]:
        text = (
            f"{shorten(name)} is an administrator profile, which always has full access. Remove this @grant."
        )
        yield error_at(place, text)


def _check_actions(use: DirectiveUse) -> Iterator[ModelError]:
    seen: set[str] = set()
    for action, node in use.items_of("allow"):
        if action in seen:
            yield error_at(node, f"{action} is listed more than once. Remove one.")
        seen.add(action)


def _check_narrowing(draft: ModelDraft, class_: ClassDraft, field: FieldDraft) -> Iterator[ModelError]:
    """Check the grants of an attribute or role against those of its class."""
    granted = {
        use["profile"]: use["allow"] if use.is_valid else _ALL_ACTIONS for use in class_.directives("grant")
    }
    allowed = _default_actions(draft, class_) | granted
    for use in field.directives("grant"):
        profile = use["profile"]
        if profile not in allowed and not draft.is_part(class_.name):
            text = (
                f'{class_.name} has no @grant for "{shorten(profile)}" to narrow. Add one to the class, '
                "or add access: READ or FULL to the profile."
            )
            yield error_at(use.node_of("profile"), text)
        for action, node in use.items_of("allow"):
            if action == "DELETE" and field.type:
                yield error_at(
                    node,
                    "DELETE is for objects, not for attributes. To allow clearing an attribute, use EDIT.",
                )
            elif action not in allowed.get(profile, (action,)):
                reason = (
                    f'{class_.name} doesn\'t allow {action} for "{shorten(profile)}"'
                    if profile in granted
                    else f'"{shorten(profile)}" has access: READ to {class_.name}, not {action}'
                )
                text = f"{reason}, so {field.name} can't allow it."
                yield error_at(node, text)


def _default_actions(draft: ModelDraft, class_: ClassDraft) -> dict[str, tuple[str, ...]]:
    """Return what the `access` of each profile allows on a class without grants. A part follows its whole."""
    if draft.is_part(class_.name):
        return {}
    return {
        use["name"]: tuple(action.value for action in DefaultAccess(use["access"]).actions)
        for use in draft.directives("profile")
        if use["access"] != DefaultAccess.NONE.value
    }


def check_readable_uniques(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield an error for each grant that allows CREATE or EDIT of a unique attribute or role without READ.

    Without READ, a member could find out existing values: a write with such a value is refused. The role to
    the whole is set through a composition. CREATE alone makes parts of new wholes, which reveals nothing.
    """
    reported: set[int] = set()
    for class_ in draft.classes.values():
        for name in _unique_names(draft, class_):
            for use in _effective_grants(class_, class_.fields_by_name.get(name)):
                yield from _check_readable(use, f"the unique {class_.name}.{name}", _WRITE_ACTIONS, reported)
            for composition in _compositions_behind(draft, class_, name):
                whole = draft.classes[composition.owner]
                subject = f"{composition.full_name}, whose parts have the unique {class_.name}.{name},"
                for use in _effective_grants(whole, composition):
                    yield from _check_readable(use, subject, frozenset({"EDIT"}), reported)


def _check_readable(
    use: DirectiveUse, subject: str, actions: frozenset[str], reported: set[int]
) -> Iterator[ModelError]:
    writing = [action for action in use["allow"] if action in actions]
    if writing and use.is_valid and "READ" not in use["allow"] and id(use) not in reported:
        reported.add(id(use))
        yield error_at(use.node_of("allow"), _unreadable_message(subject, use, writing))


def _unreadable_message(subject: str, use: DirectiveUse, writing: list[str]) -> str:
    return (
        f'"{shorten(use["profile"])}" can {and_list(writing)} {subject} without READ, '
        "so members can discover existing values by trial and error. Add READ."
    )


def _unique_names(draft: ModelDraft, class_: ClassDraft) -> list[str]:
    """Return the names of the attributes and roles in the uniqueness constraints of a class."""
    known = {*class_.fields_by_name, *(each.name for each in draft.whole_roles.get(class_.name, ()))}
    names = dict.fromkeys(name for use in class_.directives("unique") for name in use["attributes"])
    return [name for name in names if name in known]


def _compositions_behind(draft: ModelDraft, class_: ClassDraft, name: str) -> Iterator[FieldDraft]:
    """Yield the composition whose parts have this role to their whole, if there is one."""
    yield from (each.composition for each in draft.whole_roles.get(class_.name, ()) if each.name == name)


def _effective_grants(class_: ClassDraft, field: FieldDraft | None) -> list[DirectiveUse]:
    """Return the grant that applies to a field of a class, for each profile that has one.

    `field`: None for a role to the whole, which has no grants of its own.
    """
    of_class = {use["profile"]: use for use in class_.directives("grant")}
    own = {} if field is None else {use["profile"]: use for use in field.directives("grant")}
    return list((of_class | own).values())
