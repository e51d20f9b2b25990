"""Classes and enums do not take the names of types that the service generates."""

from collections.abc import Iterator

from graphql.language import EnumTypeDefinitionNode, ObjectTypeDefinitionNode

from stratabase.model.api_names import FIXED_TYPES, GeneratedType, type_name
from stratabase.model.reading.manuscript import Manuscript
from stratabase.model.reading.mistake import Mistake, mistake, shown

UNNAMABLE = frozenset({"true", "false", "null"})
"""What cannot be in `EntityName`, which has a value for each class."""


def generated(manuscript: Manuscript) -> Iterator[Mistake]:
    """Check the names of classes and enums against what is generated."""
    made = {
        type_name(name, each): name
        for name in manuscript.classes
        for each in GeneratedType
        if each is not GeneratedType.OBJECT
    }
    for node in manuscript.definitions:
        if isinstance(node, ObjectTypeDefinitionNode | EnumTypeDefinitionNode):
            name = node.name.value
            if name in FIXED_TYPES:
                yield mistake(node.name, f"{name} is the name of a type that every generated schema has.")
            elif name in UNNAMABLE and name in manuscript.classes:
                text = f"A class cannot be called {name}: no GraphQL enum has that value."
                yield mistake(node.name, text)
            elif name in made:
                text = f"{shown(name)} is the name of a type that is generated for the class {made[name]}."
                yield mistake(node.name, text)
