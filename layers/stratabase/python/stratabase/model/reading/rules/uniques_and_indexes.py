"""Rules on `@unique` and `@index`: their attributes can be compared, and `getBy` services don't clash."""

from collections.abc import Iterator

from stratabase.messages import and_list
from stratabase.model.api_names import get_by_verb
from stratabase.model.model import PlatformAttribute
from stratabase.model.reading.draft.errors import ModelError, error_at, line_of
from stratabase.model.reading.draft.model_draft import ClassDraft, DirectiveUse, ModelDraft
from stratabase.wording import shorten

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
            yield from _check_repeated(use, seen, services)


def _check_unique_attributes(class_: ClassDraft, use: DirectiveUse) -> Iterator[ModelError]:
    """Yield an error for each attribute that is derived, or can't be an argument of the `getBy` service."""
    for name, node in use.items_of("attributes"):
        field = class_.attributes.get(name)
        if field and field.is_derived:
            text = f"{field.full_name} is derived, so it can't be unique. {_ADVICE_FOR_DERIVED}"
            yield error_at(node, text)
        elif field and name in GET_BY_ARGUMENTS:
            text = f"{field.full_name} can't be unique: its getBy service already has an argument {name}."
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
            yield error_at(
                node, text, word="" if _is_known(class_, name) else name, among=_attribute_names(class_)
            )
        seen.add(name)


def _attribute_names(class_: ClassDraft) -> list[str]:
    return [field.name for field in class_.fields_by_name.values() if not field.target_class]


def _is_known(class_: ClassDraft, name: str) -> bool:
    return name in class_.fields_by_name or name in _PLATFORM


def _reason_to_refuse(draft: ModelDraft, class_: ClassDraft, use: DirectiveUse, name: str) -> str | None:
    """Return why an attribute can't be listed, or None if it can."""
    if name in _PLATFORM:
        return _reason_to_refuse_platform(class_, use, name)
    if name in class_.roles or any(
        whole_role.name == name for whole_role in draft.whole_roles.get(class_.name, ())
    ):
        return f"{class_.name}.{name} is a role, but @{use.name} takes only attributes."
    if name not in class_.fields_by_name:
        return f"{class_.name} has no attribute {shorten(name)}."
    type_ = class_.fields_by_name[name].type
    if type_ is None or type_.indexable:
        return None
    return f"{class_.name}.{name} is a File, so it can't be {_PURPOSES[use.name]}."


def _reason_to_refuse_platform(class_: ClassDraft, use: DirectiveUse, name: str) -> str | None:
    if use.name == "unique":
        return f"{name} is set by Stratabase, so it can't be unique."
    recorded = class_.directive("class")
    if _PLATFORM[name] in class_.platform or (recorded and not recorded.is_valid):
        return None
    return f"{class_.name} doesn't record {name}. Add @class(platform: [{_PLATFORM[name].name}])."
