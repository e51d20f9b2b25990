"""Rules on `@unique` and `@index`: their attributes can be compared, and `getBy` services don't clash.

They can also name roles, if the objects of the class hold the key: to-one associations, and roles to wholes.
"""

from collections.abc import Iterator

from stratabase.core.model.api_names import get_by_verb
from stratabase.core.model.model import PlatformAttribute
from stratabase.core.model.reading.draft.errors import ModelError, error_at, line_of
from stratabase.core.model.reading.draft.model_draft import ClassDraft, DirectiveUse, FieldDraft, ModelDraft
from stratabase.core.model.reading.rules.roles import holds_key, mutual_opposite
from stratabase.values.messages import and_list
from stratabase.values.wording import shorten

_PLATFORM = {attribute.value: attribute for attribute in PlatformAttribute}
GET_BY_ARGUMENTS = frozenset({"insight", "disableCache"})
"""The arguments of a `getBy` service besides the attributes."""
MAX_INDEXES = 7
_PURPOSES = {"unique": "unique", "index": "indexed"}
"""By directive: what it makes of attributes."""
_ADVICE_FOR_DERIVED = "Use the attributes that it is derived from."


def check_uniques(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@unique`."""
    for class_ in draft.classes.values():
        seen: dict[frozenset[str], str] = {}
        services: dict[str, tuple[str, ...]] = {}
        for use in class_.directives("unique"):
            yield from check_attribute_list(draft, class_, use)
            yield from _check_unique_attributes(class_, use)
            yield from _check_arguments(draft, class_, use)
            yield from _check_repeated(use, seen, services)


def _check_unique_attributes(class_: ClassDraft, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield an error for each attribute that is derived."""
    for name, node in use.items_of("attributes"):
        field = class_.attributes.get(name)
        if field and field.is_derived:
            text = f"{field.full_name} is derived, so it can't be unique. {_ADVICE_FOR_DERIVED}"
            yield error_at(node, text)


def _check_arguments(draft: ModelDraft, class_: ClassDraft, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield an error for each attribute or role that can't be an argument of the `getBy` service."""
    for name, node in use.items_of("attributes"):
        field = class_.fields_by_name.get(name)
        is_known = (field is not None and not field.is_derived) or name in _whole_roles(draft, class_)
        if is_known and name in GET_BY_ARGUMENTS:
            text = f"{class_.name}.{name} can't be unique: its getBy service already has an argument {name}."
            yield error_at(node, text)


def _check_repeated(
    use: DirectiveUse, seen: dict[frozenset[str], str], services: dict[str, tuple[str, ...]]
) -> Iterator[ModelError]:
    attributes, service = use["attributes"], get_by_verb(use["attributes"])
    if first := seen.get(frozenset(attributes)):
        yield error_at(use.node, f"{first} has the same attributes. Remove one.")
    elif (other := services.get(service)) is not None:
        lists = f"for {and_list(other)}, and for {and_list(attributes)}"
        text = f"The service {service} would be generated twice: {lists}."
        yield error_at(use.node, text)
    seen.setdefault(frozenset(attributes), f"The @unique on line {line_of(use.node)}")
    services.setdefault(service, attributes)


def check_indexes(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@index`."""
    for class_ in draft.classes.values():
        seen: set[tuple[str, ...]] = set()
        for number, use in enumerate(class_.directives("index"), start=1):
            yield from check_attribute_list(draft, class_, use)
            yield from _check_not_derived(class_, use)
            if use["attributes"] in seen:
                yield error_at(use.node, f"{class_.name} already has this @index. Remove one.")
            elif number > MAX_INDEXES:
                text = f"{class_.name} has more than {MAX_INDEXES} indexes. Keep those that are used most."
                yield error_at(use.node, text)
            seen.add(use["attributes"])


def _check_not_derived(class_: ClassDraft, use: DirectiveUse) -> Iterator[ModelError]:
    for name, node in use.items_of("attributes"):
        field = class_.attributes.get(name)
        if field and field.is_derived:
            text = f"{field.full_name} is derived, so it can't be indexed. {_ADVICE_FOR_DERIVED}"
            yield error_at(node, text)


def check_attribute_list(draft: ModelDraft, class_: ClassDraft, use: DirectiveUse) -> Iterator[ModelError]:
    """Check the argument `attributes` of an `@unique` or `@index` of a class."""
    if use.is_valid and not use["attributes"]:
        yield error_at(use.node_of("attributes"), f"@{use.name} needs at least one attribute.")
    seen: set[str] = set()
    for name, node in use.items_of("attributes"):
        text = (
            f"{shorten(name)} is listed more than once. Remove one."
            if name in seen
            else _reason_to_refuse(draft, class_, use, name)
        )
        if text:
            is_known = _is_known(draft, class_, name)
            yield error_at(node, text, word="" if is_known else name, among=_column_names(draft, class_))
        seen.add(name)


def _column_names(draft: ModelDraft, class_: ClassDraft) -> list[str]:
    """Return the names that an `@unique` or `@index` can list, as far as their types are known."""
    fields = class_.fields_by_name.values()
    own = [field.name for field in fields if not field.target_class or holds_key(draft, field)]
    return [*own, *_whole_roles(draft, class_)]


def _whole_roles(draft: ModelDraft, class_: ClassDraft) -> list[str]:
    return [role.name for role in draft.whole_roles.get(class_.name, ())]


def _is_known(draft: ModelDraft, class_: ClassDraft, name: str) -> bool:
    return name in class_.fields_by_name or name in _PLATFORM or name in _whole_roles(draft, class_)


def _reason_to_refuse(draft: ModelDraft, class_: ClassDraft, use: DirectiveUse, name: str) -> str | None:
    """Return why an attribute can't be listed, or None if it can."""
    if name in _PLATFORM:
        return _reason_to_refuse_platform(class_, use, name)
    if name in class_.roles:
        return _reason_to_refuse_role(draft, use, class_.roles[name])
    if name in _whole_roles(draft, class_):
        return None
    if name not in class_.fields_by_name:
        return f"{class_.name} has no attribute or to-one role {shorten(name)}."
    type_ = class_.fields_by_name[name].type
    if type_ is None or type_.indexable:
        return None
    return f"{class_.name}.{name} is a File, so it can't be {_PURPOSES[use.name]}."


def _reason_to_refuse_role(draft: ModelDraft, use: DirectiveUse, role: FieldDraft) -> str | None:
    """Return why a role that the class defines can't be listed: other objects or links hold its keys."""
    if holds_key(draft, role):
        return None
    purpose, where = _PURPOSES[use.name], f"in an @{use.name} of {role.target}"
    if role.is_composition:
        wholes = draft.whole_roles.get(role.target, ())
        back = next((each.name for each in wholes if each.composition is role), None)
        advice = f" To name the whole of a {role.target}, list {back} {where}." if back else ""
        return f"{role.full_name} leads to parts, so it can't be {purpose}.{advice}"
    other = mutual_opposite(draft, role)
    if role.many:
        can_name = other is not None and not other.many
        advice = f"Use a to-one role whose key {role.owner} holds."
        if can_name and other is not None:
            advice = f"Its opposite {other.full_name} holds the key: list {other.name} {where}."
        return f"{role.full_name} leads to many objects, so it can't be {purpose}. {advice}"
    assert other is not None
    return (
        f"{role.full_name} doesn't hold the key of its association, so it can't be {purpose}. "
        f"{other.full_name} holds it: list {other.name} {where}, or add holds: true to {role.full_name}, "
        f"and remove it from {other.full_name}."
    )


def _reason_to_refuse_platform(class_: ClassDraft, use: DirectiveUse, name: str) -> str | None:
    if use.name == "unique":
        return f"{name} is set by Stratabase, so it can't be unique."
    recorded = class_.directive("class")
    if _PLATFORM[name] in class_.platform or (recorded and not recorded.is_valid):
        return None
    return f"{class_.name} doesn't record {name}. Add @class(platform: [{_PLATFORM[name].name}])."
