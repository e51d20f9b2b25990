"""Rules on classes: what singletons and forms can't have, and the arguments of warnings."""

from collections.abc import Callable, Iterator, Mapping

from stratabase.core.model.model import ClassKind
from stratabase.core.model.reading.draft.errors import ModelError, check_not_empty, error_at
from stratabase.core.model.reading.draft.model_draft import ClassDraft, FieldDraft, ModelDraft
from stratabase.core.model.types.base import AttributeType
from stratabase.values.wording import shorten

MAX_GROUP = 60
"""The maximum number of characters of a group."""
_ONE_OBJECT = "it has only one object"
_NEVER_STORED = "its objects are never stored"
_WHY = {ClassKind.SINGLETON: _ONE_OBJECT, ClassKind.FORM: _NEVER_STORED}
_REFUSED_DIRECTIVES: Mapping[ClassKind, tuple[str, ...]] = {
    ClassKind.SINGLETON: ("unique", "index"),
    ClassKind.FORM: ("unique", "index"),
}
_REFUSED_ARGUMENTS: Mapping[ClassKind, tuple[str, ...]] = {ClassKind.FORM: ("versioned", "platform")}
_REFUSES_TYPE: Mapping[ClassKind, Callable[[AttributeType], bool]] = {
    ClassKind.SINGLETON: lambda type_: type_.numbered,
    ClassKind.FORM: lambda type_: type_.numbered or type_.holds_file,
}


def check_class_kinds(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the directives, arguments, types and roles that singletons and forms can't have.

    Also check the group of each class, and that platform attributes are listed once.
    """
    for class_ in draft.classes.values():
        yield from _check_platform_attributes(class_)
        yield from _check_group(class_)
        if class_.kind is not ClassKind.ORDINARY:
            yield from _check_directives(class_)
            yield from _check_arguments(class_)
            for field in class_.fields:
                yield from _check_field(class_, field)
    yield from _check_role_targets(draft)


def _check_platform_attributes(class_: ClassDraft) -> Iterator[ModelError]:
    use = class_.directive("class")
    seen: set[str] = set()
    for word, node in use.items_of("platform") if use else ():
        if word in seen:
            yield error_at(node, f"{word} is listed more than once. Remove one.")
        seen.add(word)


def _check_group(class_: ClassDraft) -> Iterator[ModelError]:
    use = class_.directive("class")
    if use is None or use["group"] is None:
        return
    yield from check_not_empty(use, "group")
    if len(use["group"]) > MAX_GROUP:
        yield error_at(use.node_of("group"), f"group can have at most {MAX_GROUP} characters.")


def _check_directives(class_: ClassDraft) -> Iterator[ModelError]:
    for use in class_.uses:
        if use.name in _REFUSED_DIRECTIVES[class_.kind]:
            text = f"@{use.name} can't be used on {_describe(class_)}: {_WHY[class_.kind]}."
            yield error_at(use.node, text)


def _check_arguments(class_: ClassDraft) -> Iterator[ModelError]:
    use = class_.directive("class")
    for name in _REFUSED_ARGUMENTS.get(class_.kind, ()):
        if use and use[name]:
            text = f"{name} can't be used on {_describe(class_)}: {_WHY[class_.kind]}."
            yield error_at(use.node_of(name), text)


def _check_field(class_: ClassDraft, field: FieldDraft) -> Iterator[ModelError]:
    if field.type and _REFUSES_TYPE[class_.kind](field.type) and not field.is_derived:
        text = f"{_describe(class_)} can't have an attribute of type {field.type.name}: {_WHY[class_.kind]}."
        yield error_at(field.type_node, text[0].upper() + text[1:])
    if class_.kind is ClassKind.FORM and field.is_composition:
        yield error_at(field.type_node, f"The form {class_.name} can't have parts: {_NEVER_STORED}.")


def _check_role_targets(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield an error for each role that leads to a singleton or a form."""
    for field in draft.fields:
        target = draft.classes.get(field.target) if field.target_class else None
        if target and target.kind is not ClassKind.ORDINARY:
            text = f"A role can't lead to {_describe(target)}: {_WHY[target.kind]}."
            yield error_at(field.type_node, text)


def _describe(class_: ClassDraft) -> str:
    return f"the {class_.kind.value.lower()} {class_.name}"


def check_warnings(draft: ModelDraft) -> Iterator[ModelError]:
    """Check every `@warning`: its arguments are not empty, and its name is unique in the class."""
    for class_ in draft.classes.values():
        seen: set[str] = set()
        for use in class_.directives("warning"):
            for argument in ("name", "condition", "message"):
                yield from check_not_empty(use, argument)
            if use["name"] in seen:
                text = f'{class_.name} already has a warning "{shorten(use["name"])}". Use another name.'
                yield error_at(use.node_of("name"), text)
            seen.add(use["name"])
