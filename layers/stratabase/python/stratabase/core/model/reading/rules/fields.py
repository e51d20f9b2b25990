"""Rules on fields: each is an attribute with one value, or a role to one object or a list of objects."""

from collections.abc import Iterator

from graphql.language import TypeNode, print_ast

from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import ClassDraft, FieldDraft, ModelDraft
from stratabase.core.model.types import TYPES
from stratabase.core.model.users import USER
from stratabase.values.wording import nearest_word, shorten

_FOREIGN_TYPES = {foreign: name for name, type_ in TYPES.items() for foreign in type_.foreign_names}
"""The attribute types for type names of other languages, as suggestions. Later types have priority."""
_INSTEAD_OF_TYPES = {
    **dict.fromkeys(
        ("ID", "Id"),
        "Each object has an _id by itself. For an identifier that clients give, use String.",
    ),
    **dict.fromkeys(
        ("JSON", "Json", "JSONObject", "Object", "Map", "Any"),
        "For values with a structure, use a class and @composition. For JSON that only "
        "clients read, use Text.",
    ),
}
"""What to use instead of types of other languages that no attribute type corresponds to."""
_FOR_ROLES = ("association", "composition")
_FOR_ATTRIBUTES = ("domain", "file", "derived", "default", "text")


def check_fields(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the type of every field, and that its directives fit an attribute or a role."""
    for class_ in draft.classes.values():
        yield from _check_has_fields(class_)
        for field in class_.fields:
            yield from _check_no_arguments(field)
            yield from (
                _check_list(field) if field.type or field.target_class else _report_unknown_type(draft, field)
            )
            yield from _check_directives(field)


def _check_has_fields(class_: ClassDraft) -> Iterator[ModelError]:
    if not class_.fields:
        yield error_at(
            class_.node.name, f"The class {shorten(class_.name)} has no attributes or roles. Add a field."
        )


def _check_no_arguments(field: FieldDraft) -> Iterator[ModelError]:
    if field.node.arguments:
        text = (
            f"{shorten(field.full_name)} can't have arguments. Stratabase generates those that clients need."
        )
        yield error_at(field.node.arguments[0], text)


def _report_unknown_type(draft: ModelDraft, field: FieldDraft) -> Iterator[ModelError]:
    word = field.target
    if word in draft.unparsed:
        return
    if instead := _INSTEAD_OF_TYPES.get(word):
        yield error_at(field.type_node, f"Unknown type {word}. {instead}")
        return
    known = [*TYPES, *draft.classes, *draft.enumerations, *draft.unparsed, USER]
    message = f"Unknown type {shorten(word)}. Use an attribute type, or a class or enum of the model."
    at = error_at(field.type_node, message)
    yield ModelError(
        at.file, at.line, at.column, message, _FOREIGN_TYPES.get(word) or nearest_word(word, tuple(known))
    )


def _check_list(field: FieldDraft) -> Iterator[ModelError]:
    if field.type and field.many:
        text = f"{field.full_name} can't be a list. For many values, use a class and @composition."
        yield error_at(field.node.type, text)
    elif field.target_class and field.many and not _is_list(field.node.type):
        right = f"[{field.target_class}!]" + "!" * field.required
        yield error_at(field.node.type, f"The type is not a valid list of objects. Write {right}.")


def _is_list(node: TypeNode) -> bool:
    """Return whether a type is `[X!]` or `[X!]!`, the only valid lists."""
    return print_ast(node).count("[") == 1 and print_ast(node).rstrip("!").endswith("!]")


def _check_directives(field: FieldDraft) -> Iterator[ModelError]:
    wrong: tuple[str, ...] = ()
    type_ = other = ""
    if field.type:
        wrong, type_, other = _FOR_ROLES, "an attribute", "roles"
    elif field.target_class:
        wrong, type_, other = _FOR_ATTRIBUTES, "a role", "attributes"
    for use in field.uses:
        if use.name in wrong:
            yield error_at(
                use.node, f"@{use.name} can be used only on {other}, but {field.full_name} is {type_}."
            )
    if (
        field.target_class
        and (composition := field.directive("composition"))
        and field.directive("association")
    ):
        text = f"{field.full_name} can't be both an association and a composition. Remove one."
        yield error_at(composition.node, text)
