"""A model has one application, profiles, types and enums, and nothing else."""

import re
from collections.abc import Iterator

from graphql.language import (
    DefinitionNode,
    DirectiveDefinitionNode,
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    ScalarTypeDefinitionNode,
    SchemaDefinitionNode,
    SchemaExtensionNode,
    TypeExtensionNode,
    UnionTypeDefinitionNode,
)

from stratabase.model.reading.draft.errors import ModelError, error_at
from stratabase.model.reading.draft.model_draft import DirectiveUse, ModelDraft
from stratabase.wording import shorten

_REFUSED_DEFINITIONS: dict[type[DefinitionNode], str] = {
    SchemaDefinitionNode: "The service makes the schema itself. Write: extend schema @application(name: …).",
    DirectiveDefinitionNode: "A model has the directives of directives.graphql, and no others.",
    InterfaceTypeDefinitionNode: "A model has no interfaces. Write the fields into each type.",
    UnionTypeDefinitionNode: "A model has no unions. Write one role for each class.",
    InputObjectTypeDefinitionNode: "The service makes the inputs. A form is a type with @class(kind: FORM).",
    ScalarTypeDefinitionNode: "A model has the attribute types of directives.graphql, and no others.",
    TypeExtensionNode: "A model says everything about a type or enum in one place, without extensions.",
}
_OTHER_DEFINITION = "A model has no operations; these belong to its clients."
_ALLOWED_DEFINITIONS = (ObjectTypeDefinitionNode, EnumTypeDefinitionNode, SchemaExtensionNode)
_APPLICATION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_PROFILE_NAME = re.compile(r"\S(.{0,98}\S)?")
_NO_APPLICATION = 'The model names no application. It begins with: extend schema @application(name: "…").'


def check_definitions(draft: ModelDraft) -> Iterator[ModelError]:
    """Refuse definitions that a model has no use for."""
    for node in draft.definitions:
        if not isinstance(node, _ALLOWED_DEFINITIONS):
            yield error_at(getattr(node, "name", None) or node, _reason_to_refuse(node))
        elif isinstance(node, SchemaExtensionNode) and node.operation_types:
            yield error_at(node.operation_types[0], _REFUSED_DEFINITIONS[SchemaDefinitionNode])
        elif isinstance(node, ObjectTypeDefinitionNode) and node.interfaces:
            yield error_at(node.interfaces[0], _REFUSED_DEFINITIONS[InterfaceTypeDefinitionNode])


def _reason_to_refuse(node: DefinitionNode) -> str:
    return next(
        (text for type_, text in _REFUSED_DEFINITIONS.items() if isinstance(node, type_)), _OTHER_DEFINITION
    )


def check_application(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that there is an application, that its name fits into an address, and that it has a class."""
    use = draft.directive("application")
    if use is None:
        yield from _check_absence(draft)
        return
    if not _APPLICATION_NAME.fullmatch(use["name"]):
        text = f'"{shorten(use["name"])}" names no application: write letters, digits and _, a letter first.'
        yield error_at(use.node_of("name"), text)
    if not draft.classes and not draft.unparsed:
        yield error_at(use.node, f"The application {shorten(use['name'])} has no class. Write a type.")


def _check_absence(draft: ModelDraft) -> Iterator[ModelError]:
    if draft.schema_unparsed or _has_invalid_application(draft):
        return
    if draft.schema:
        yield error_at(draft.schema, _NO_APPLICATION)
    else:
        yield ModelError(draft.file, 1, 1, _NO_APPLICATION)


def _has_invalid_application(draft: ModelDraft) -> bool:
    """Return whether there is an @application that other rules have found wrong."""
    schemas = (node for node in draft.definitions if isinstance(node, SchemaExtensionNode))
    return any(use.name.value == "application" for node in schemas for use in node.directives or ())


def check_profiles(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that profiles have names of their own, and that one of them is an administrator's."""
    uses = list(draft.directives("profile"))
    seen: set[str] = set()
    for use in uses:
        yield from _check_profile_name(use, seen)
        seen.add(use["name"].casefold())
    if uses and not draft.schema_unparsed and all(use.is_valid and not use["administrator"] for use in uses):
        text = "No profile is an administrator's. Write administrator: true in one of them."
        yield error_at(uses[0].node, text)


def _check_profile_name(use: DirectiveUse, seen: set[str]) -> Iterator[ModelError]:
    name = use["name"]
    if not _PROFILE_NAME.fullmatch(name) or not name.isprintable():
        yield error_at(
            use.node_of("name"), "A profile has a name of 1 to 100 characters, without blanks around it."
        )
    elif name.casefold() in seen:
        text = (
            f'There is a profile "{shorten(name)}" already; names that differ only in case count as the same.'
        )
        yield error_at(use.node_of("name"), text)


def check_enums(draft: ModelDraft) -> Iterator[ModelError]:
    """Check the values of every enum."""
    for node in draft.enumerations.values():
        if not node.values:
            yield error_at(node.name, f"The enum {shorten(node.name.value)} has no values.")
        yield from _check_repeated_values(node)


def _check_repeated_values(node: EnumTypeDefinitionNode) -> Iterator[ModelError]:
    seen: set[str] = set()
    for value in node.values or ():
        if value.name.value in seen:
            text = f"{shorten(node.name.value)} has the value {shorten(value.name.value)} already."
            yield error_at(value.name, text)
        seen.add(value.name.value)
