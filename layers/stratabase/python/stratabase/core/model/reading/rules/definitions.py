"""Rules on definitions: a model has one application, profiles, types and enums, and nothing else."""

import re
from collections.abc import Iterator

from graphql.language import (
    DefinitionNode,
    DirectiveDefinitionNode,
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    ObjectTypeExtensionNode,
    ScalarTypeDefinitionNode,
    SchemaDefinitionNode,
    SchemaExtensionNode,
    TypeExtensionNode,
    UnionTypeDefinitionNode,
)

from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, ModelDraft
from stratabase.core.model.reading.draft.parser import is_user_extension
from stratabase.core.model.users import USER
from stratabase.values.wording import shorten

_REFUSED_DEFINITIONS: dict[type[DefinitionNode], str] = {
    SchemaDefinitionNode: "A model can't define the schema. Write: extend schema @application(name: …).",
    DirectiveDefinitionNode: "A model can't define directives. Use those of directives.graphql.",
    InterfaceTypeDefinitionNode: "A model can't have interfaces. Repeat the fields in each type.",
    UnionTypeDefinitionNode: "A model can't have unions. Add one role for each class.",
    InputObjectTypeDefinitionNode: (
        "A model can't define inputs. For a form, add a type with @class(kind: FORM)."
    ),
    ScalarTypeDefinitionNode: "A model can't define scalars. Use the attribute types of directives.graphql.",
    TypeExtensionNode: f"A model can't extend a type or an enum, except {USER}. Define it in one place.",
}
_OTHER_DEFINITION = "A model can't contain operations. Clients send them."
_ALLOWED_DEFINITIONS = (ObjectTypeDefinitionNode, EnumTypeDefinitionNode, SchemaExtensionNode)
_APPLICATION_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
_APPLICATION_NAME_RULE = "Use up to 100 letters, digits, and underscores, and begin with a letter."
_PROFILE_NAME = re.compile(r"\S(.{0,98}\S)?")
_NO_APPLICATION = 'The model has no application. Add: extend schema @application(name: "…").'


def check_definitions(draft: ModelDraft) -> Iterator[ModelError]:
    """Yield an error for each definition that a model can't have."""
    for node in draft.definitions:
        if not isinstance(node, _ALLOWED_DEFINITIONS) and not is_user_extension(node):
            yield error_at(getattr(node, "name", None) or node, _reason_to_refuse(node))
        elif isinstance(node, SchemaExtensionNode) and node.operation_types:
            yield error_at(node.operation_types[0], _REFUSED_DEFINITIONS[SchemaDefinitionNode])
        elif isinstance(node, ObjectTypeDefinitionNode | ObjectTypeExtensionNode) and node.interfaces:
            yield error_at(node.interfaces[0], _REFUSED_DEFINITIONS[InterfaceTypeDefinitionNode])


def _reason_to_refuse(node: DefinitionNode) -> str:
    return next(
        (text for type_, text in _REFUSED_DEFINITIONS.items() if isinstance(node, type_)), _OTHER_DEFINITION
    )


def check_application(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that the model has an application with a valid name, and at least one class.

    The name becomes the last part of the address of the API.
    """
    use = draft.directive("application")
    if use is None:
        yield from _check_absence(draft)
        return
    if not _APPLICATION_NAME.fullmatch(use["name"]):
        text = f'"{shorten(use["name"])}" is not a valid application name. {_APPLICATION_NAME_RULE}'
        yield error_at(use.node_of("name"), text)
    if not draft.classes and not draft.unparsed:
        yield error_at(use.node, f"The application {shorten(use['name'])} has no class. Add a type.")


def _check_absence(draft: ModelDraft) -> Iterator[ModelError]:
    if draft.schema_unparsed or _has_invalid_application(draft):
        return
    if draft.schema:
        yield error_at(draft.schema, _NO_APPLICATION)
    else:
        yield ModelError(draft.file, 1, 1, _NO_APPLICATION)


def _has_invalid_application(draft: ModelDraft) -> bool:
    """Return whether there is an `@application` about which another rule has yielded an error."""
    schemas = (node for node in draft.definitions if isinstance(node, SchemaExtensionNode))
    return any(use.name.value == "application" for node in schemas for use in node.directives or ())


def check_profiles(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that profile names are valid and unique, that there is an administrator, and `access`."""
    uses = list(draft.directives("profile"))
    seen: set[str] = set()
    for use in uses:
        yield from _check_profile_name(use, seen)
        if use["administrator"] and "access" in use.written:
            text = f"{shorten(use['name'])} is an administrator profile, which always has full access. "
            yield error_at(use.node_of("access"), f"{text}Remove access.")
        seen.add(use["name"].casefold())
    if uses and not draft.schema_unparsed and all(use.is_valid and not use["administrator"] for use in uses):
        text = "The model has no administrator profile. Add administrator: true to one of the profiles."
        yield error_at(uses[0].node, text)


def _check_profile_name(use: DirectiveUse, seen: set[str]) -> Iterator[ModelError]:
    name = use["name"]
    if not _PROFILE_NAME.fullmatch(name) or not name.isprintable():
        text = "A profile name must have 1 to 100 printable characters, without spaces around them."
        yield error_at(use.node_of("name"), text)
    elif name.casefold() in seen:
        text = f'There is already a profile "{shorten(name)}". Names must differ in more than case.'
        yield error_at(use.node_of("name"), text)


def check_enums(draft: ModelDraft) -> Iterator[ModelError]:
    """Check that every enum has values, each once."""
    for node in draft.enumerations.values():
        if not node.values:
            yield error_at(node.name, f"The enum {shorten(node.name.value)} has no values. Add at least one.")
        yield from _check_repeated_values(node)


def _check_repeated_values(node: EnumTypeDefinitionNode) -> Iterator[ModelError]:
    seen: set[str] = set()
    for value in node.values or ():
        if value.name.value in seen:
            text = (
                f"{shorten(node.name.value)} already has the value {shorten(value.name.value)}. Remove one."
            )
            yield error_at(value.name, text)
        seen.add(value.name.value)
