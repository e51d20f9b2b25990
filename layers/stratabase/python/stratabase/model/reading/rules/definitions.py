"""A model consists of one schema extension or more, types and enums; nothing else."""

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

from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake

_REFUSED: dict[type[DefinitionNode], str] = {
    SchemaDefinitionNode: "The service makes the schema itself. Write: extend schema @application(name: …).",
    DirectiveDefinitionNode: "A model has the directives of directives.graphql, and no others.",
    InterfaceTypeDefinitionNode: "A model has no interfaces. Write the fields into each type.",
    UnionTypeDefinitionNode: "A model has no unions. Write one role for each class.",
    InputObjectTypeDefinitionNode: "The service makes the inputs. A form is a type with @class(kind: FORM).",
    ScalarTypeDefinitionNode: "A model has the attribute types of directives.graphql, and no others.",
    TypeExtensionNode: "A model says everything about a type or enum in one place, without extensions.",
}
_OTHER = "A model has no operations; these belong to its clients."
_KNOWN = (ObjectTypeDefinitionNode, EnumTypeDefinitionNode, SchemaExtensionNode)


def definitions(manuscript: Manuscript) -> Iterator[Mistake]:
    """Refuse definitions that a model has no use for."""
    for node in manuscript.definitions:
        if not isinstance(node, _KNOWN):
            yield mistake(getattr(node, "name", None) or node, _refusal(node))
        elif isinstance(node, SchemaExtensionNode) and node.operation_types:
            yield mistake(node.operation_types[0], _REFUSED[SchemaDefinitionNode])
        elif isinstance(node, ObjectTypeDefinitionNode) and node.interfaces:
            yield mistake(node.interfaces[0], _REFUSED[InterfaceTypeDefinitionNode])


def _refusal(node: DefinitionNode) -> str:
    return next((text for kind, text in _REFUSED.items() if isinstance(node, kind)), _OTHER)
