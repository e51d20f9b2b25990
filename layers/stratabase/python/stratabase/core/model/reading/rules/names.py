"""Rules on names: they are not reserved, too long, or repeated. Case doesn't matter."""

from collections.abc import Iterable, Iterator

from graphql.language import EnumTypeDefinitionNode, NameNode, ObjectTypeDefinitionNode

from stratabase.core.model.api_names import (
    FILTER_COMBINATIONS,
    FIXED_TYPES,
    SEPARATOR,
    GeneratedType,
    type_name,
)
from stratabase.core.model.reading.draft.errors import ModelError, error_at, line_of
from stratabase.core.model.reading.draft.model_draft import ClassDraft, ModelDraft, WholeRole
from stratabase.core.model.types import TYPES
from stratabase.values.wording import shorten

MAX_NAME_LENGTH = 100
GRAPHQL_LITERALS = frozenset({"true", "false", "null"})
"""Names that can't be values of the generated enum `EntityName`, which has a value for each class."""


def check_names(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the names of classes, enums, enum values, attributes and roles, including roles to wholes."""
    definitions = [
        node
        for node in draft.definitions
        if isinstance(node, ObjectTypeDefinitionNode | EnumTypeDefinitionNode)
    ]
    yield from _check_distinct((node.name for node in definitions), TYPES, "")
    for class_ in draft.classes.values():
        yield from _check_distinct((field.node.name for field in class_.fields), (), f"{class_.name}.")
        yield from _check_filter_fields(field.node.name for field in class_.fields)
        yield from _check_whole_roles(class_, draft.whole_roles.get(class_.name, ()))
    for node in draft.enumerations.values():
        for value in node.values or ():
            yield from check_reserved(value.name)


def _check_distinct(nodes: Iterable[NameNode], taken: Iterable[str], owner: str) -> Iterator[ModelError]:
    """Yield an error for each name that is reserved or taken.

    `taken` are names that nothing else can have. `owner` is the prefix of the names in messages.
    """
    seen = {name.casefold(): (name, "is an attribute type") for name in taken}
    for node in nodes:
        yield from check_reserved(node)
        name = node.value
        if name.casefold() in seen:
            other, what = seen[name.casefold()]
            case = "" if name == other else " (case is ignored)"
            yield error_at(
                node, f"The name {owner}{shorten(name)} is taken: {owner}{shorten(other)} {what}{case}."
            )
        seen.setdefault(name.casefold(), (name, f"is on line {line_of(node)}"))


def check_reserved(node: NameNode) -> Iterator[ModelError]:
    """Yield an error if a name is reserved or too long."""
    if text := reserved_name_error(node.value):
        yield error_at(node, text)


def reserved_name_error(name: str) -> str | None:
    """Return an error message if a name is reserved or too long, or else None."""
    if name.startswith("_"):
        return f"{shorten(name)} begins with _, which is reserved for Stratabase. Use another name."
    if SEPARATOR in name:
        return f"{shorten(name)} contains {SEPARATOR}, which is reserved for generated names."
    if len(name) > MAX_NAME_LENGTH:
        return f"{shorten(name)} is too long. Use at most {MAX_NAME_LENGTH} characters."
    return None


def _check_filter_fields(nodes: Iterable[NameNode]) -> Iterator[ModelError]:
    """Yield an error for each attribute and role whose name a filter uses to combine other filters."""
    for node in nodes:
        if text := _filter_field_error(node.value):
            yield error_at(node, text)


def _filter_field_error(name: str) -> str | None:
    if name not in FILTER_COMBINATIONS:
        return None
    return f"{name} can't be the name of an attribute or role: it combines filters. Use another name."


def _check_whole_roles(part: ClassDraft, whole_roles: Iterable[WholeRole]) -> Iterator[ModelError]:
    taken = {field.name.casefold(): f"{field.full_name} is a field" for field in part.fields_by_name.values()}
    for whole_role in whole_roles:
        origin = whole_role.composition.full_name
        if text := _filter_field_error(whole_role.name):
            yield error_at(whole_role.place, text)
        if text := taken.get(whole_role.name.casefold()):
            yield error_at(
                whole_role.place,
                f"The role back from {part.name} through {origin} can't be called "
                f"{shorten(whole_role.name)}: "
                f'{text}. Use another name: @composition(whole: "…").',
            )
        taken.setdefault(whole_role.name.casefold(), f"the role back through {origin} has that name")


def check_generated_names(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that the names of classes and enums differ from those of generated types."""
    generated = {
        type_name(name, each): name
        for name in draft.classes
        for each in GeneratedType
        # A name in a model contains no separator, which is reported elsewhere.
        if each is not GeneratedType.OBJECT and SEPARATOR not in each.value
    }
    for node in draft.definitions:
        if isinstance(node, ObjectTypeDefinitionNode | EnumTypeDefinitionNode):
            name = node.name.value
            if name in FIXED_TYPES:
                yield error_at(node.name, f"Every generated schema has a type {name}. Use another name.")
            elif name in GRAPHQL_LITERALS and name in draft.classes:
                text = f"A class can't be called {name}: a GraphQL enum can't have that value."
                yield error_at(node.name, text)
            elif name in generated:
                reason = f"The type {shorten(name)} is generated for the class {generated[name]}"
                yield error_at(node.name, f"{reason}. Use another name.")
